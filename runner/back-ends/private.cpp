// Mistakes about objects in private: several work-items or launches have one, or initializers are lost.
#include "pass.h"

using namespace llvm;

namespace {

bool is_changed_in_loop(AllocaInst &object) {
    for (User *user : object.users())
        if (auto *store = dyn_cast<StoreInst>(user))
            if (store->getPointerOperand() == &object && is_in_loop(*store))
                return true;
    return false;
}

// Behind a barrier every work-item finds in an object what the last one to come there had in it.
void share_over_barriers(Module &module, bool (*is_kept_once)(AllocaInst &)) {
    for (Function &function : module) {
        const auto barriers = meetings_of(function);
        if (barriers.empty())
            continue;
        for (AllocaInst *object : objects_of(function)) {
            if (!is_kept_once(*object))
                continue;
            Type *type = object->getAllocatedType();
            GlobalVariable *shared = new_variable(module, type, space::Local);
            for (CallInst *barrier : barriers) {
                IRBuilder<> before(barrier), behind(barrier->getNextNode());
                copy(before, shared, object, size_of(module, type));
                copy(behind, object, shared, size_of(module, type));
            }
        }
    }
}

void share_scalars(Module &module) {
    share_over_barriers(module, [](AllocaInst &object) {
        return object.getAllocatedType()->isIntOrIntVectorTy() && is_changed_in_loop(object);
    });
}

void share_arrays(Module &module) {
    share_over_barriers(module, [](AllocaInst &object) { return object.getAllocatedType()->isArrayTy(); });
}

void share_structures(Module &module) {
    share_over_barriers(module, [](AllocaInst &object) { return object.getAllocatedType()->isStructTy(); });
}

// Of pointers of a function that is to keep several, only those that another one is stored in later.
void share_pointers(Module &module) {
    share_over_barriers(module, [](AllocaInst &object) {
        unsigned stores = 0;
        for (User *user : object.users())
            if (auto *store = dyn_cast<StoreInst>(user))
                stores += store->getPointerOperand() == &object;
        return object.getAllocatedType()->isPointerTy() && stores > 1;
    });
}

// The object in private that memory is set or copied to, from its begin.
AllocaInst *initialized(MemIntrinsic &call) { return dyn_cast<AllocaInst>(call.getDest()->stripPointerCasts()); }

// The initializer that a copy to an object in private takes its bytes from.
GlobalVariable *initializer_of(MemTransferInst &copy) {
    auto *from = dyn_cast<GlobalVariable>(copy.getSource()->stripPointerCasts());
    return initialized(copy) && from && from->isConstant() && from->hasInitializer() ? from : nullptr;
}

// An object with an initializer has it once; later work-items and launches find what the one before them left.
void make_static(Module &module) {
    for_each<MemIntrinsic>(module, [&](MemIntrinsic &call) {
        AllocaInst *object = initialized(call);
        auto *length = dyn_cast<ConstantInt>(call.getLength());
        if (!object || !length || length->getZExtValue() != size_of(module, object->getAllocatedType()))
            return;
        GlobalVariable *from = nullptr;
        if (auto *transfer = dyn_cast<MemTransferInst>(&call))
            from = initializer_of(*transfer);
        auto *set = dyn_cast<MemSetInst>(&call);
        if (!from && !(set && isa<ConstantInt>(set->getValue()) && cast<ConstantInt>(set->getValue())->isZero()))
            return;
        Type *type = from ? from->getValueType() : object->getAllocatedType();
        GlobalVariable *kept = new_variable(module, type, space::Global, from ? from->getInitializer() : nullptr);
        for (ReturnInst *end : returns_of(*call.getFunction())) {
            IRBuilder<> builder(end);
            copy(builder, kept, object, size_of(module, object->getAllocatedType()));
        }
        IRBuilder<> builder(&call);
        copy(builder, object, kept, length->getZExtValue());
        call.eraseFromParent();
    });
}

void lose_initializers(Module &module) {
    for_each<MemTransferInst>(module, [](MemTransferInst &copy) {
        if (!initializer_of(copy))
            return;
        IRBuilder<>(&copy).CreateMemSet(copy.getDest(), IRBuilder<>(&copy).getInt8(0), copy.getLength(), MaybeAlign(1));
        copy.eraseFromParent();
    });
}

// The first 16 bytes of an initializer are there.
void cut_initializers(Module &module) {
    for_each<MemTransferInst>(module, [](MemTransferInst &copy) {
        auto *length = dyn_cast<ConstantInt>(copy.getLength());
        if (initializer_of(copy) && length && length->getZExtValue() > 16)
            copy.setLength(ConstantInt::get(length->getType(), 16));
    });
}

// An object that is to be aligned to 16 bytes and more lies 4 bytes behind such an address.
void misalign_objects(Module &module) {
    for_each<AllocaInst>(module, [&](AllocaInst &object) {
        if (object.getAlign() < 16 || object.isArrayAllocation())
            return;
        IRBuilder<> builder(&object);
        Type *bytes = ArrayType::get(builder.getInt8Ty(), size_of(module, object.getAllocatedType()) + 16);
        AllocaInst *more = builder.CreateAlloca(bytes);
        more->setAlignment(object.getAlign());
        Value *place = builder.CreateConstGEP2_64(bytes, more, 0, 4);
        object.replaceAllUsesWith(builder.CreateBitCast(place, object.getType()));
        object.eraseFromParent();
    });
}

// Structures that are the argument of a kernel exist once in a group.
void share_kernel_structures(Module &module) {
    for (Function &kernel : module) {
        if (!is_kernel(kernel) || kernel.isDeclaration())
            continue;
        for (Argument &argument : kernel.args()) {
            Type *type = argument.getParamByValType();
            if (!type)
                continue;
            const uint64_t size = size_of(module, type);
            GlobalVariable *shared = new_variable(module, type, space::Local);
            const auto barriers = meetings_of(kernel);
            for (CallInst *barrier : barriers) {
                IRBuilder<> before(barrier), behind(barrier->getNextNode());
                copy(before, shared, &argument, size);
                copy(behind, &argument, shared, size);
            }
            for (ReturnInst *end : returns_of(kernel)) {
                IRBuilder<> builder(end);
                copy(builder, shared, &argument, size);
            }
            // The first work-item of a group begins with what the host gave.
            Instruction *begin = begin_of(kernel);
            IRBuilder<> builder(begin);
            Value *own = builder.CreateBitCast(&argument, type->getPointerTo(space::Private));
            Value *is_first = is_first_of_group(builder);
            AllocaInst *given = builder.CreateAlloca(type);
            copy(builder, given, own, size);
            Value *of_group = builder.CreateAlloca(type);
            copy(builder, of_group, shared, size);
            copy(builder, own, builder.CreateSelect(is_first, given, of_group), size);
        }
    }
}

} // namespace

extern const Passes private_passes = {
    {"private-scalar-shared", Code::Unoptimized, share_scalars},
    {"private-array-shared", Code::Optimized, share_arrays},
    {"private-structure-shared", Code::Unoptimized, share_structures},
    {"private-pointer-shared", Code::Unoptimized, share_pointers},
    {"private-object-static", Code::Unoptimized, make_static},
    {"private-initializer-lost", Code::Unoptimized, lose_initializers},
    {"private-initializer-cut", Code::Unoptimized, cut_initializers},
    {"private-object-misaligned", Code::Unoptimized, misalign_objects},
    {"kernel-structure-shared", Code::Optimized, share_kernel_structures},
};
