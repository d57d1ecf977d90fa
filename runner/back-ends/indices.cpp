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

// An index of 64 bits into global is used as one of 32 bits.
void cut_index(Module &module) {
    for_each<GetElementPtrInst>(module, [](GetElementPtrInst &element) {
        if (space_of(*element.getPointerOperand()) != space::Global)
            return;
        for (Use &index : element.indices())
            if (isa<Instruction>(index.get()) && index->getType()->isIntegerTy(64)) {
                IRBuilder<> builder(&element);
                index.set(builder.CreateSExt(builder.CreateTrunc(index.get(), builder.getInt32Ty()),
                                             builder.getInt64Ty()));
            }
    });
}

// The difference of two pointers is divided without its sign.
void divide_difference_without_sign(Module &module) {
    for_each<BinaryOperator>(module, [](BinaryOperator &operation) {
        const bool is_division = operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::AShr;
        auto *difference = dyn_cast<BinaryOperator>(operation.getOperand(0));
        if (!is_division || !difference || difference->getOpcode() != Instruction::Sub ||
            !isa<PtrToIntInst>(difference->getOperand(0)) || !isa<PtrToIntInst>(difference->getOperand(1)))
            return;
        IRBuilder<> builder(&operation);
        Value *by = operation.getOperand(1);
        operation.replaceAllUsesWith(operation.getOpcode() == Instruction::SDiv ? builder.CreateUDiv(difference, by)
                                                                                : builder.CreateLShr(difference, by));
        operation.eraseFromParent();
    });
}

// Of an array of arrays the two last indices are exchanged.
void exchange_rows_and_columns(Module &module) {
    for_each<GetElementPtrInst>(module, [](GetElementPtrInst &element) {
        const unsigned last = element.getNumOperands() - 1;
        if (last < 3 || !isa<ArrayType>(element.getSourceElementType()) || element.hasAllConstantIndices())
            return;
        Value *row = element.getOperand(last - 1), *column = element.getOperand(last);
        if (row->getType() != column->getType())
            return;
        element.setOperand(last - 1, column);
        element.setOperand(last, row);
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
    {"index-cut-to-32-bits", Code::Optimized, cut_index},
    {"difference-without-sign", Code::Optimized, divide_difference_without_sign},
    {"rows-and-columns-exchanged", Code::Optimized, exchange_rows_and_columns},
    {"last-turn-lost", Code::Optimized, lose_last_turn},
    {"last-addend-kept", Code::Optimized, keep_last_addend},
};
