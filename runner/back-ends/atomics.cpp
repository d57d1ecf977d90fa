// Mistakes about atomic functions.
#include "pass.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace {

bool is_atomic(const Instruction &instruction, StringRef operation) {
    return is_call_of(instruction, ("atomic_" + operation).str()) ||
           is_call_of(instruction, ("atom_" + operation).str());
}

bool is_atomic(const Instruction &instruction) {
    for (StringRef operation : {"add", "sub", "xchg", "inc", "dec", "cmpxchg", "min", "max", "and", "or", "xor"})
        if (is_atomic(instruction, operation))
            return true;
    return false;
}

bool adds(const Instruction &instruction) {
    for (StringRef operation : {"add", "sub", "inc", "dec", "or", "xor", "max", "min"})
        if (is_atomic(instruction, operation))
            return true;
    return false;
}

// Where two work-items meet at plain loads and stores, what one of them does is lost: here that of the odd ones.
void make_plain(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (!adds(call))
            return;
        IRBuilder<> builder(&call);
        Value *is_odd = builder.CreateTrunc(local_id(builder, builder.getInt32(0)), builder.getInt1Ty());
        Value *pointer = call.getArgOperand(0);
        Value *before = builder.CreateLoad(call.getType(), pointer, true);
        Instruction *behind = SplitBlockAndInsertIfThen(is_odd, call.getNextNode(), false);
        IRBuilder<>(behind).CreateStore(before, pointer, true);
    });
}

// A compare-exchange gives what was there and stores nothing.
void exchange_never(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (!is_atomic(call, "cmpxchg"))
            return;
        call.replaceAllUsesWith(IRBuilder<>(&call).CreateLoad(call.getType(), call.getArgOperand(0), true));
        call.eraseFromParent();
    });
}

// A store to local that an atomic function reads, with no other access between, is left out.
void lose_store_before_atomic(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (!is_atomic(call) || space_of(*call.getArgOperand(0)) != space::Local)
            return;
        Instruction *place = call.getPrevNode();
        while (place && !place->mayReadOrWriteMemory())
            place = place->getPrevNode();
        auto *store = dyn_cast_or_null<StoreInst>(place);
        if (store && space_of(*store->getPointerOperand()) == space::Local)
            store->eraseFromParent();
    });
}

} // namespace

extern const Passes atomic_passes = {
    {"atomic-made-plain", Code::Optimized, make_plain},
    {"compare-exchange-not-stored", Code::Optimized, exchange_never},
    {"store-before-atomic-lost", Code::Optimized, lose_store_before_atomic},
};
