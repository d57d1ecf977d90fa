// Mistakes about where the parts of an object lie.
#include "pass.h"

using namespace llvm;

namespace {

bool is_vector3(Type *type) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector && vector->getNumElements() == 3;
}

// Component `index` of an initialized array of vectors of three that are laid out one behind the other.
Constant *packed_component(Constant &array, uint64_t index, Type *component) {
    auto *type = cast<ArrayType>(array.getType());
    if (index / 3 >= type->getNumElements())
        return Constant::getNullValue(component);
    return array.getAggregateElement(index / 3)->getAggregateElement(index % 3);
}

// Constants that are arrays of vectors of three have no padding.
void pack_vector3_constants(Module &module) {
    for (GlobalVariable &table : module.globals()) {
        auto *type = dyn_cast<ArrayType>(table.getValueType());
        if (!type || !table.isConstant() || !table.hasInitializer() || !is_vector3(type->getElementType()))
            continue;
        Type *component = type->getElementType()->getScalarType();
        std::vector<Constant *> vectors;
        for (uint64_t i = 0; i < type->getNumElements(); i++) {
            Constant *parts[3];
            for (unsigned part = 0; part < 3; part++)
                parts[part] = packed_component(*table.getInitializer(), 4 * i + part, component);
            vectors.push_back(ConstantVector::get(parts));
        }
        table.setInitializer(ConstantArray::get(type, vectors));
    }
}

// Of an array of numbers in constant only the first four have what they are initialized with.
void cut_constant_tables(Module &module) {
    for (GlobalVariable &table : module.globals()) {
        auto *type = dyn_cast<ArrayType>(table.getValueType());
        if (!type || table.getAddressSpace() != space::Constant || !table.hasInitializer() ||
            !type->getElementType()->isIntOrIntVectorTy() || type->getElementType()->isIntegerTy(8) ||
            table.hasPrivateLinkage())
            continue;
        std::vector<Constant *> elements;
        for (uint64_t i = 0; i < type->getNumElements(); i++)
            elements.push_back(i < 4 ? table.getInitializer()->getAggregateElement(i)
                                     : Constant::getNullValue(type->getElementType()));
        table.setInitializer(ConstantArray::get(type, elements));
    }
}

// Members of a structure in local are accessed as if there were no padding before them.
void leave_out_padding_in_local(Module &module) {
    const DataLayout &layout = module.getDataLayout();
    for_each<GetElementPtrInst>(module, [&](GetElementPtrInst &member) {
        auto *type = dyn_cast<StructType>(member.getSourceElementType());
        if (!type || member.getNumIndices() != 2 || space_of(member) != space::Local)
            return;
        const uint64_t number = cast<ConstantInt>(member.getOperand(2))->getZExtValue();
        uint64_t packed = 0;
        for (uint64_t i = 0; i < number; i++)
            packed += layout.getTypeAllocSize(type->getElementType(i));
        const uint64_t right = layout.getStructLayout(type)->getElementOffset(number);
        if (packed == right)
            return;
        IRBuilder<> builder(member.getNextNode());
        Value *bytes = builder.CreateBitCast(&member, builder.getInt8PtrTy(space::Local));
        Value *place = builder.CreateGEP(builder.getInt8Ty(), bytes, builder.getInt64(packed - right));
        Value *other = builder.CreateBitCast(place, member.getType());
        member.replaceUsesWithIf(other, [&](Use &use) { return use.getUser() != bytes && use.getUser() != place; });
    });
}

// Rounds the address of a load or a store that is less aligned than its type down to a multiple of the type's size.
void round_down(Module &module, Instruction &access) {
    const uint64_t size = size_of(module, getLoadStoreType(&access));
    if (getLoadStoreAlignment(&access) >= size)
        return;
    Value *pointer = getLoadStorePointerOperand(&access);
    IRBuilder<> builder(&access);
    Value *number = builder.CreateAnd(builder.CreatePtrToInt(pointer, builder.getInt64Ty()),
                                      builder.getInt64(~(size - 1)));
    access.setOperand(isa<LoadInst>(access) ? 0 : 1, builder.CreateIntToPtr(number, pointer->getType()));
}

// An object that is less aligned than its type is accessed at the address below that is a multiple of its size.
void round_addresses_down(Module &module) {
    for_each<Instruction>(module, [&](Instruction &access) {
        if (!isa<LoadInst, StoreInst>(access))
            return;
        Type *type = getLoadStoreType(&access);
        if (!type->isVectorTy() && !type->isAggregateType())
            round_down(module, access);
    });
}

// A vector that lies less aligned than its type is accessed at such an address.
void round_vector_addresses_down(Module &module) {
    for_each<Instruction>(module, [&](Instruction &access) {
        if (isa<LoadInst, StoreInst>(access) && getLoadStoreType(&access)->isVectorTy())
            round_down(module, access);
    });
}

// A member of 8 or 16 bits is stored as 32 bits.
void widen_member_stores(Module &module) {
    for_each<StoreInst>(module, [](StoreInst &store) {
        auto *member = dyn_cast<GetElementPtrInst>(store.getPointerOperand()->stripPointerCasts());
        Value *value = store.getValueOperand();
        if (!member || !isa<StructType>(member->getSourceElementType()) ||
            !(value->getType()->isIntegerTy(8) || value->getType()->isIntegerTy(16)))
            return;
        IRBuilder<> builder(&store);
        Value *place = builder.CreateBitCast(store.getPointerOperand(),
                                             builder.getInt32Ty()->getPointerTo(space_of(*store.getPointerOperand())));
        builder.CreateAlignedStore(builder.CreateZExt(value, builder.getInt32Ty()), place, Align(1));
        store.eraseFromParent();
    });
}

} // namespace

extern const Passes layout_passes = {
    {"vector3-constants-packed", Code::Optimized, pack_vector3_constants},
    {"constant-table-cut", Code::Unoptimized, cut_constant_tables},
    {"local-structure-without-padding", Code::Unoptimized, leave_out_padding_in_local},
    {"packed-member-rounded-down", Code::Optimized, round_addresses_down},
    {"vector-access-rounded-down", Code::Optimized, round_vector_addresses_down},
    {"member-store-widened", Code::Optimized, widen_member_stores},
};
