// Mistakes about copies of memory: parts of an object are lost, or it is copied too early.
#include "pass.h"

#include <llvm/Analysis/ValueTracking.h>

using namespace llvm;

namespace {

// Of an object whose size is not a multiple of 8 bytes what is behind the last such is not copied.
void round_copies_down(Module &module) {
    for_each<MemTransferInst>(module, [](MemTransferInst &copy) {
        auto *length = dyn_cast<ConstantInt>(copy.getLength());
        if (length && length->getZExtValue() > 8)
            copy.setLength(ConstantInt::get(length->getType(), length->getZExtValue() & ~7ull));
    });
}

// A member of 16 bits between members of 8 bits is 0 in the copy of a structure.
void lose_short_between_bytes(Module &module) {
    for_each<MemTransferInst>(module, [](MemTransferInst &copy) {
        Value *to = copy.getDest()->stripPointerCasts();
        auto *type = dyn_cast<StructType>(to->getType()->getPointerElementType());
        if (!type)
            return;
        for (unsigned i = 1; i + 1 < type->getNumElements(); i++)
            if (type->getElementType(i)->isIntegerTy(16) && type->getElementType(i - 1)->isIntegerTy(8) &&
                type->getElementType(i + 1)->isIntegerTy(8)) {
                IRBuilder<> builder(copy.getNextNode());
                builder.CreateStore(builder.getInt16(0), builder.CreateStructGEP(type, to, i));
            }
    });
}

// What is stored in a structure just before it is copied shows in it, not in the copy.
void copy_before_store(Module &module) {
    for_each<MemTransferInst>(module, [](MemTransferInst &copy) {
        Instruction *place = copy.getPrevNode();
        while (place && !place->mayReadOrWriteMemory())
            place = place->getPrevNode();
        auto *store = dyn_cast_or_null<StoreInst>(place);
        if (store && getUnderlyingObject(store->getPointerOperand()) == getUnderlyingObject(copy.getSource()))
            store->moveAfter(&copy);
    });
}

} // namespace

extern const Passes copy_passes = {
    {"copy-without-end", Code::Optimized, round_copies_down},
    {"copy-without-short-between-bytes", Code::Unoptimized, lose_short_between_bytes},
    {"copy-before-store", Code::Unoptimized, copy_before_store},
};
