// Mistakes about barriers: some are left out, and memory is accessed on their other side.
#include "pass.h"

#include <llvm/IR/Dominators.h>

using namespace llvm;

namespace {

void drop_barriers(Module &module, bool (*is_dropped)(CallInst &)) {
    for_each<CallInst>(module, [&](CallInst &call) {
        if (is_barrier(call) && is_dropped(call))
            call.eraseFromParent();
    });
}

void drop_barrier_in_branch(Module &module) {
    drop_barriers(module, [](CallInst &call) { return !is_in_loop(call) && !is_always_reached(call); });
}

void drop_barrier_in_loop(Module &module) {
    drop_barriers(module, [](CallInst &call) { return is_in_loop(call); });
}

void drop_barrier_in_function(Module &module) {
    drop_barriers(module, [](CallInst &call) { return !is_kernel(*call.getFunction()); });
}

// Of two barriers in a row of a block, with accesses between them, the second.
void drop_second_barrier(Module &module) {
    for (Function &function : module)
        for (BasicBlock &block : function) {
            bool has_one = false;
            for (Instruction &instruction : make_early_inc_range(block)) {
                if (!is_barrier(instruction))
                    continue;
                if (has_one)
                    instruction.eraseFromParent();
                has_one = !has_one;
            }
        }
}

bool is_shared(const Value &pointer) {
    return space_of(pointer) == space::Global || space_of(pointer) == space::Local;
}

// What was loaded before a barrier is used for a load of the same address behind it.
void keep_load_over_barrier(Module &module) {
    for_each<LoadInst>(module, [](LoadInst &late) {
        if (!is_shared(*late.getPointerOperand()))
            return;
        bool is_behind = false;
        BasicBlock *block = late.getParent();
        Instruction *place = late.getPrevNode();
        for (;;) {
            while (!place) {
                block = block->getSinglePredecessor();
                if (!block)
                    return;
                place = block->getTerminator();
            }
            is_behind |= is_barrier(*place);
            auto *early = dyn_cast<LoadInst>(place);
            if (early && early->getPointerOperand() == late.getPointerOperand() && early->getType() == late.getType()) {
                if (is_behind) {
                    late.replaceAllUsesWith(early);
                    late.eraseFromParent();
                }
                return;
            }
            place = place->getPrevNode();
        }
    });
}

// What was loaded before a barrier and is used behind it is loaded there again.
void repeat_load_behind_barrier(Module &module) {
    for (Function &function : module) {
        if (function.isDeclaration())
            continue;
        DominatorTree dominators(function);
        for (CallInst *barrier : barriers_of(function)) {
            std::vector<LoadInst *> before;
            for (Instruction *place = barrier->getPrevNode(); place; place = place->getPrevNode())
                if (auto *load = dyn_cast<LoadInst>(place))
                    if (is_shared(*load->getPointerOperand()))
                        before.push_back(load);
            for (LoadInst *load : before) {
                Instruction *again = load->clone();
                again->insertAfter(barrier);
                load->replaceUsesWithIf(again, [&](Use &use) {
                    return use.getUser() != again && dominators.dominates(barrier, use);
                });
            }
        }
    }
}

// A store in front of a barrier, with nothing that accesses memory between, is behind it.
void sink_store_over_barrier(Module &module) {
    for_each<CallInst>(module, [](CallInst &barrier) {
        if (!is_barrier(barrier))
            return;
        Instruction *place = barrier.getPrevNode();
        while (place && !place->mayReadOrWriteMemory())
            place = place->getPrevNode();
        auto *store = dyn_cast_or_null<StoreInst>(place);
        if (store && is_shared(*store->getPointerOperand()))
            store->moveAfter(&barrier);
    });
}

// A load goes in front of the store before it, which has another pointer into the same address space.
void move_load_over_store(Module &module) {
    for_each<LoadInst>(module, [](LoadInst &load) {
        Instruction *place = load.getPrevNode();
        while (place && !place->mayReadOrWriteMemory()) {
            if (is_contained(load.operand_values(), place))
                return;
            place = place->getPrevNode();
        }
        auto *store = dyn_cast_or_null<StoreInst>(place);
        if (store && store->getPointerOperand() != load.getPointerOperand() &&
            space_of(*store->getPointerOperand()) == space_of(*load.getPointerOperand()))
            load.moveBefore(store);
    });
}

} // namespace

extern const Passes barrier_passes = {
    {"barrier-in-branch-dropped", Code::Optimized, drop_barrier_in_branch},
    {"barrier-in-loop-dropped", Code::Optimized, drop_barrier_in_loop},
    {"barrier-in-function-dropped", Code::Unoptimized, drop_barrier_in_function},
    {"second-barrier-dropped", Code::Optimized, drop_second_barrier},
    {"load-kept-over-barrier", Code::Optimized, keep_load_over_barrier},
    {"load-repeated-behind-barrier", Code::Optimized, repeat_load_behind_barrier},
    {"store-moved-over-barrier", Code::Optimized, sink_store_over_barrier},
    {"load-moved-before-store", Code::Optimized, move_load_over_store},
};
