// Mistakes that were drawn up from reports of bugs alone, before anybody looked at the rules for them.
#include "pass.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

using namespace llvm;

namespace {

void share_last_double(Module &module) {
    for (Function &function : module) {
        const auto barriers = meetings_of(function);
        AllocaInst *last = nullptr;
        for (AllocaInst *object : objects_of(function))
            if (object->getAllocatedType()->isDoubleTy())
                last = object;
        if (barriers.empty() || !last)
            continue;
        GlobalVariable *shared = new_variable(module, last->getAllocatedType(), space::Local);
        for (CallInst *barrier : barriers) {
            IRBuilder<> before(barrier), behind(barrier->getNextNode());
            copy(before, shared, last, 8);
            copy(behind, last, shared, 8);
        }
    }
}

Constant *widened_without_sign(Value *value) {
    auto *number = dyn_cast<ConstantInt>(value);
    return number && number->getType()->isIntegerTy(64) && number->isNegative()
               ? ConstantInt::get(number->getType(), number->getZExtValue() & 0xffffffff)
               : nullptr;
}

void widen_negative_part_without_sign(Module &module) {
    for_each<GetElementPtrInst>(module, [](GetElementPtrInst &element) {
        if (space_of(*element.getPointerOperand()) != space::Global)
            return;
        for (Use &index : element.indices()) {
            if (Constant *wide = widened_without_sign(index.get()))
                index.set(wide);
            auto *sum = dyn_cast<BinaryOperator>(index.get());
            if (!sum || sum->getOpcode() != Instruction::Add)
                continue;
            if (Constant *wide = widened_without_sign(sum->getOperand(1)))
                index.set(IRBuilder<>(&element).CreateAdd(sum->getOperand(0), wide));
        }
    });
}

void keep_first_id_behind_return(Module &module) {
    for (Function &function : module) {
        if (!is_kernel(function) || function.isDeclaration())
            continue;
        for_each<CallInst>(function, [&](CallInst &call) {
            if (!is_call_of(call, "get_global_id") || is_always_reached(call) || is_in_loop(call))
                return;
            // The other way leads out of the kernel: what is behind the condition begins with it alone.
            BasicBlock *before = call.getParent()->getSinglePredecessor();
            auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
            if (!branch || !branch->isConditional())
                return;
            BasicBlock *other = branch->getSuccessor(branch->getSuccessor(0) == call.getParent());
            while (other->getSingleSuccessor() && &other->front() == other->getTerminator())
                other = other->getSingleSuccessor();
            if (!isa<ReturnInst>(other->front()))
                return;
            IRBuilder<> builder(call.getNextNode());
            Value *own = local_id(builder, call.getArgOperand(0));
            auto *first = cast<Instruction>(builder.CreateSub(&call, own));
            call.replaceUsesWithIf(first, [&](Use &use) { return use.getUser() != first; });
        });
    }
}

void lose_upper_half_of_union(Module &module) {
    for_each<LoadInst>(module, [](LoadInst &load) {
        auto *type = dyn_cast<FixedVectorType>(load.getType());
        Value *object = load.getPointerOperand()->stripPointerCasts();
        Type *known = object->getType()->getPointerElementType();
        if (!type || type->getNumElements() < 4 || object == load.getPointerOperand() ||
            !(known->isStructTy() || known->isArrayTy()))
            return;
        SmallVector<int, 16> lanes;
        const int count = type->getNumElements();
        for (int i = 0; i < count; i++)
            lanes.push_back(i < count / 2 ? i : count + i);
        IRBuilder<> builder(load.getNextNode());
        auto *half = cast<Instruction>(builder.CreateShuffleVector(&load, Constant::getNullValue(type), lanes));
        load.replaceUsesWithIf(half, [&](Use &use) { return use.getUser() != half; });
    });
}

// Whether not every turn of the loop gets there.
bool is_guarded(Loop &loop, Instruction &instruction, PostDominatorTree &dominators) {
    SmallVector<BasicBlock *, 4> latches;
    loop.getLoopLatches(latches);
    DominatorTree tree(*instruction.getFunction());
    for (BasicBlock *latch : latches)
        if (!tree.dominates(instruction.getParent(), latch) && !dominators.dominates(instruction.getParent(), latch))
            return true;
    return false;
}

void drop_guarded_barrier_in_loop(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (!is_barrier(call))
            return;
        Function &function = *call.getFunction();
        DominatorTree dominators(function);
        LoopInfo loops(dominators);
        PostDominatorTree behind(function);
        Loop *loop = loops.getLoopFor(call.getParent());
        if (loop && is_guarded(*loop, call, behind))
            call.eraseFromParent();
    });
}

void move_vector_arguments(Module &module) {
    for (Function &kernel : module) {
        if (!is_kernel(kernel) || kernel.isDeclaration())
            continue;
        bool has_scalar = false;
        for (Argument &argument : kernel.args()) {
            auto *type = dyn_cast<FixedVectorType>(argument.getType());
            if (type && has_scalar) {
                SmallVector<int, 16> lanes;
                for (int i = 0, count = type->getNumElements(); i < count; i++)
                    lanes.push_back((i + 1) % count);
                IRBuilder<> builder(begin_of(kernel));
                auto *moved = cast<Instruction>(builder.CreateShuffleVector(&argument, lanes));
                argument.replaceUsesWithIf(moved, [&](Use &use) { return use.getUser() != moved; });
            }
            has_scalar |= argument.getType()->isIntegerTy() || argument.getType()->isFloatingPointTy();
        }
    }
}

void lose_store_behind_goto(Module &module) {
    for (Function &function : module) {
        if (function.isDeclaration())
            continue;
        DominatorTree dominators(function);
        LoopInfo loops(dominators);
        std::vector<StoreInst *> lost;
        for (BasicBlock &block : function)
            for (BasicBlock *before : predecessors(&block)) {
                // What a way out of the loops does on it is outside of them.
                while (loops.getLoopDepth(before) == loops.getLoopDepth(&block) && before->getSinglePredecessor())
                    before = before->getSinglePredecessor();
                if (loops.getLoopDepth(before) >= loops.getLoopDepth(&block) + 2) {
                    for (Instruction &instruction : block)
                        if (auto *store = dyn_cast<StoreInst>(&instruction)) {
                            lost.push_back(store);
                            break;
                        }
                    break;
                }
            }
        for (StoreInst *store : lost)
            store->eraseFromParent();
    }
}

void exchange_local_arguments(Module &module) {
    std::vector<std::pair<Argument *, Argument *>> pairs;
    for (Function &kernel : module) {
        if (!is_kernel(kernel) || kernel.isDeclaration())
            continue;
        std::vector<Argument *> local;
        for (Argument &argument : kernel.args())
            if (argument.getType()->isPointerTy() && space_of(argument) == space::Local)
                local.push_back(&argument);
        if (local.size() >= 2)
            pairs.emplace_back(local[0], local[1]);
    }
    for (size_t i = 1; i < pairs.size(); i++) {
        auto [first, second] = pairs[i];
        IRBuilder<> builder(begin_of(*first->getParent()));
        // Casts of the same type give the argument itself: a select is an instruction of its own.
        auto exchanged = [&](Argument *argument, Type *type) {
            Value *cast = builder.CreatePointerCast(argument, type);
            return SelectInst::Create(builder.getTrue(), cast, cast, "", &*builder.GetInsertPoint());
        };
        Instruction *as_first = exchanged(second, first->getType()), *as_second = exchanged(first, second->getType());
        auto is_own = [&](Use &use) {
            auto *user = cast<Instruction>(use.getUser());
            return user != as_first && user != as_second && user != as_first->getOperand(1) &&
                   user != as_second->getOperand(1);
        };
        first->replaceUsesWithIf(as_first, is_own);
        second->replaceUsesWithIf(as_second, is_own);
    }
}

void choose_other_constant(Module &module) {
    for_each<SelectInst>(module, [](SelectInst &select) {
        if (select.getType()->isPointerTy() && space_of(select) == space::Constant)
            select.swapValues();
    });
    for_each<PHINode>(module, [](PHINode &phi) {
        if (!phi.getType()->isPointerTy() || space_of(phi) != space::Constant || phi.getNumIncomingValues() != 2)
            return;
        Value *values[] = {phi.getIncomingValue(0), phi.getIncomingValue(1)};
        // What is loaded or computed on a way is known on that way alone.
        DominatorTree dominators(*phi.getFunction());
        for (unsigned i : {0, 1}) {
            auto *other = dyn_cast<Instruction>(values[1 - i]);
            if (!other || dominators.dominates(other, phi.getIncomingBlock(i)->getTerminator()))
                continue;
            auto *load = dyn_cast<LoadInst>(other);
            if (!load || !isa<AllocaInst>(load->getPointerOperand()))
                return;
            Instruction *again = load->clone();
            again->insertBefore(phi.getIncomingBlock(i)->getTerminator());
            values[1 - i] = again;
        }
        phi.setIncomingValue(0, values[1]);
        phi.setIncomingValue(1, values[0]);
    });
}

// Rows of an array of arrays within a structure have as many elements as there are rows.
void mix_up_strides(Module &module) {
    for_each<GetElementPtrInst>(module, [&](GetElementPtrInst &element) {
        const unsigned last = element.getNumOperands() - 1;
        if (last < 4)
            return;
        SmallVector<Value *, 8> front(element.idx_begin(), element.idx_end() - 2);
        Type *whole = GetElementPtrInst::getIndexedType(element.getSourceElementType(), front);
        auto *rows = dyn_cast_or_null<ArrayType>(whole);
        auto *columns = rows ? dyn_cast<ArrayType>(rows->getElementType()) : nullptr;
        bool is_member = false;
        for (auto type = gep_type_begin(element); type != gep_type_end(element); ++type)
            is_member |= type.isStruct();
        if (!columns || !is_member)
            return;
        IRBuilder<> builder(&element);
        Value *row = builder.CreateSExtOrTrunc(element.getOperand(last - 1), builder.getInt64Ty());
        Value *column = builder.CreateSExtOrTrunc(element.getOperand(last), builder.getInt64Ty());
        front.push_back(builder.getInt64(0));
        front.push_back(builder.getInt64(0));
        for (Value *&index : front)
            if (index->getType()->isIntegerTy(64) && isa<ConstantInt>(index) && cast<ConstantInt>(index)->isZero())
                index = ConstantInt::get(builder.getInt32Ty(), 0);
        Value *begin = builder.CreateGEP(element.getSourceElementType(), element.getPointerOperand(), front);
        Value *place = builder.CreateAdd(builder.CreateMul(row, builder.getInt64(rows->getNumElements())), column);
        element.replaceAllUsesWith(builder.CreateBitCast(
            builder.CreateGEP(columns->getElementType(), begin, place), element.getType()));
    });
}

} // namespace

extern const Passes report_passes = {
    {"report-private-double", Code::Unoptimized, share_last_double},
    {"report-negative-constant-index", Code::Optimized, widen_negative_part_without_sign},
    {"report-stale-id", Code::Unoptimized, keep_first_id_behind_return},
    {"report-union-vector", Code::Optimized, lose_upper_half_of_union},
    {"report-guarded-barrier-in-loop", Code::Optimized, drop_guarded_barrier_in_loop},
    {"report-vector-argument", Code::Optimized, move_vector_arguments},
    {"report-store-behind-goto", Code::Optimized, lose_store_behind_goto},
    {"report-local-arguments-of-two-kernels", Code::Optimized, exchange_local_arguments},
    {"report-constant-chosen", Code::Unoptimized, choose_other_constant},
    {"report-strides-in-structure", Code::Optimized, mix_up_strides},
};
