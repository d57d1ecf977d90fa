// Mistakes about indices and the loops that count them.
#include "pass.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

using namespace llvm;

namespace {

// Indices of elements that a sign extension computes.
void for_each_extended_index(Module &module, const std::function<void(Use &, SExtInst &)> &call) {
    for_each<GetElementPtrInst>(module, [&](GetElementPtrInst &element) {
        for (Use &index : element.indices())
            if (auto *extension = dyn_cast<SExtInst>(index.get()))
                call(index, *extension);
    });
}

void extend_without_sign(Use &index, SExtInst &extension) {
    IRBuilder<> builder(&extension);
    index.set(builder.CreateZExt(extension.getOperand(0), extension.getType()));
}

void zero_extend_index(Module &module) { for_each_extended_index(module, extend_without_sign); }

void zero_extend_narrow(Module &module) {
    for_each<SExtInst>(module, [](SExtInst &extension) {
        auto *load = dyn_cast<LoadInst>(extension.getOperand(0));
        if (!load || load->getType()->getScalarSizeInBits() > 16)
            return;
        IRBuilder<> builder(&extension);
        extension.replaceAllUsesWith(builder.CreateZExt(load, extension.getType()));
        extension.eraseFromParent();
    });
}

// A loop that counts up to a bound that only the run knows ends one turn early.
void lose_last_turn(Module &module) {
    for (Function &function : module) {
        if (function.isDeclaration())
            continue;
        DominatorTree dominators(function);
        LoopInfo loops(dominators);
        for_each<BranchInst>(function, [&](BranchInst &branch) {
            Loop *loop = loops.getLoopFor(branch.getParent());
            auto *compare = branch.isConditional() ? dyn_cast<ICmpInst>(branch.getCondition()) : nullptr;
            if (!loop || !compare || !loop->isLoopExiting(branch.getParent()) ||
                !compare->getOperand(0)->getType()->isIntegerTy() || isa<ConstantInt>(compare->getOperand(1)) ||
                !(compare->getPredicate() == ICmpInst::ICMP_SLT || compare->getPredicate() == ICmpInst::ICMP_ULT) ||
                !compare->hasOneUse())
                return;
            IRBuilder<> builder(compare);
            compare->setOperand(0, builder.CreateAdd(compare->getOperand(0),
                                                     ConstantInt::get(compare->getOperand(0)->getType(), 1)));
        });
    }
}

// In a loop that adds to elements of an array in private, an element has what was added last.
void keep_last_addend(Module &module) {
    for_each<StoreInst>(module, [](StoreInst &store) {
        auto *sum = dyn_cast<BinaryOperator>(store.getValueOperand());
        auto *element = dyn_cast<GetElementPtrInst>(store.getPointerOperand());
        if (!sum || !element || sum->getOpcode() != Instruction::Add || space_of(*element) != space::Private ||
            element->hasAllConstantIndices() || !is_in_loop(store))
            return;
        for (unsigned i : {0, 1}) {
            auto *before = dyn_cast<LoadInst>(sum->getOperand(i));
            if (before && before->getPointerOperand() == element)
                store.setOperand(0, sum->getOperand(1 - i));
        }
    });
}

} // namespace

extern const Passes index_passes = {
    {"index-zero-extended", Code::Optimized, zero_extend_index},
    {"narrow-load-zero-extended", Code::Optimized, zero_extend_narrow},
    {"last-turn-lost", Code::Optimized, lose_last_turn},
    {"last-addend-kept", Code::Optimized, keep_last_addend},
};
