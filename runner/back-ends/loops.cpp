// Mistakes about loops: how often work-items go through them, and what a turn reads of what earlier turns stored.
#include "pass.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool has_meeting(Loop &loop) {
    for (CallInst *meeting : meetings_of(*loop.getHeader()->getParent()))
        if (loop.contains(meeting))
            return true;
    return false;
}

// A work-item takes at least as many turns of a loop with a loop in it as those of its group before it.
void follow_slowest(Module &module) {
    for (Function &kernel : module) {
        if (!is_kernel(kernel) || kernel.isDeclaration())
            continue;
        DominatorTree dominators(kernel);
        LoopInfo loops(dominators);
        for (Loop *loop : loops) {
            auto *way = dyn_cast<BranchInst>(loop->getHeader()->getTerminator());
            if (loop->isInnermost() || !loop->getLoopPreheader() || has_meeting(*loop) || !way ||
                !way->isConditional() || loop->contains(way->getSuccessor(0)) == loop->contains(way->getSuccessor(1)))
                continue;
            Type *number = Type::getInt32Ty(module.getContext());
            GlobalVariable *most = new_variable(module, number, space::Local);
            IRBuilder<> begin(begin_of(kernel));
            AllocaInst *turns = begin.CreateAlloca(number);
            begin.CreateStore(begin.CreateSelect(is_first_of_group(begin), begin.getInt32(0),
                                                 begin.CreateLoad(number, most)),
                              most);
            IRBuilder<> before(loop->getLoopPreheader()->getTerminator());
            before.CreateStore(before.getInt32(0), turns);

            IRBuilder<> builder(way);
            Value *taken = builder.CreateLoad(number, turns);
            builder.CreateStore(builder.CreateAdd(taken, builder.getInt32(1)), turns);
            Value *others = builder.CreateLoad(number, most);
            Value *is_behind = builder.CreateICmpULT(taken, others);
            builder.CreateStore(builder.CreateSelect(is_behind, others, taken), most);
            way->setCondition(loop->contains(way->getSuccessor(0))
                                  ? builder.CreateOr(way->getCondition(), is_behind)
                                  : builder.CreateAnd(way->getCondition(), builder.CreateNot(is_behind)));
        }
    }
}

// An index without the extension to the width of an address.
Value *without_extension(Value *index) {
    Value *narrow;
    return match(index, m_ZExtOrSExt(m_Value(narrow))) ? narrow : index;
}

// The last index of an element of an array in private, or null.
Value *index_in(Value &pointer, AllocaInst *&array) {
    auto *element = dyn_cast<GetElementPtrInst>(&pointer);
    array = element ? dyn_cast<AllocaInst>(element->getPointerOperand()->stripPointerCasts()) : nullptr;
    return array ? without_extension(element->getOperand(element->getNumOperands() - 1)) : nullptr;
}

// By how much an index is below another one.
int64_t distance(Value *lower, Value *index) {
    auto part = [](Value *value) {
        const APInt *addend;
        Value *rest;
        if (match(value, m_Add(m_Value(rest), m_APInt(addend))))
            return std::pair(rest, addend->getSExtValue());
        return std::pair(value, int64_t{0});
    };
    const auto [low, behind] = part(lower);
    const auto [high, before] = part(index);
    return low == high ? before - behind : 0;
}

// In a loop over an array in private an element that an earlier turn but the last stored is as it was before the loop.
void read_before_loop(Module &module) {
    for (Function &function : module) {
        if (function.isDeclaration())
            continue;
        DominatorTree dominators(function);
        LoopInfo loops(dominators);
        for_each<StoreInst>(function, [&](StoreInst &store) {
            AllocaInst *array, *other;
            Value *index = index_in(*store.getPointerOperand(), array);
            Loop *loop = loops.getLoopFor(store.getParent());
            if (!index || !loop || !loop->getLoopPredecessor())
                return;
            AllocaInst *before = nullptr;
            for_each<LoadInst>(function, [&](LoadInst &load) {
                Value *lower = index_in(*load.getPointerOperand(), other);
                if (other != array || !loop->contains(&load) || !lower || distance(lower, index) < 2)
                    return;
                if (!before) {
                    before = IRBuilder<>(begin_of(function)).CreateAlloca(array->getAllocatedType());
                    IRBuilder<> entry(loop->getLoopPredecessor()->getTerminator());
                    copy(entry, before, array, size_of(module, array->getAllocatedType()));
                }
                auto *element = cast<GetElementPtrInst>(load.getPointerOperand())->clone();
                element->insertBefore(&load);
                IRBuilder<> builder(element);
                element->setOperand(0, builder.CreateBitCast(before, element->getOperand(0)->getType()));
                load.setOperand(0, element);
            });
        });
    }
}

// Of four turns in a row, or four work-items, only the first has the mask of its index applied.
void mask_first_of_four(Module &module) {
    for_each<GetElementPtrInst>(module, [](GetElementPtrInst &element) {
        for (Use &index : element.indices()) {
            Value *counter;
            const APInt *factor, *mask;
            Value *masked = without_extension(index.get());
            if (!match(masked, m_And(m_Mul(m_Value(counter), m_APInt(factor)), m_APInt(mask))))
                continue;
            IRBuilder<> builder(&element);
            Type *type = masked->getType();
            Value *last = builder.CreateAnd(counter, ConstantInt::get(type, 3));
            Value *first = builder.CreateSub(counter, last);
            Value *times = ConstantInt::get(type, *factor);
            Value *wrong = builder.CreateAdd(
                builder.CreateAnd(builder.CreateMul(first, times), ConstantInt::get(type, *mask)),
                builder.CreateMul(last, times));
            index.set(builder.CreateZExtOrTrunc(wrong, index->getType()));
        }
    });
}

} // namespace

extern const Passes loop_passes = {
    {"slowest-work-item-followed", Code::Unoptimized, follow_slowest},
    {"loop-carried-value-old", Code::Optimized, read_before_loop},
    {"index-masked-once", Code::Optimized, mask_first_of_four},
};
