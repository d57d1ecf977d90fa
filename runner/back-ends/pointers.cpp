// Mistakes about pointers: which of several is meant, which are null, what is left of them as integers.
#include "pass.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

using namespace llvm;

namespace {

void select_other_pointer(Module &module) {
    for_each<SelectInst>(module, [](SelectInst &select) {
        if (select.getType()->isPointerTy() && space_of(select) != space::Constant)
            select.swapValues();
    });
}

// A pointer that comes from two ways has the value of the other way.
void take_other_way(Module &module) {
    for (Function &function : module) {
        if (function.isDeclaration())
            continue;
        DominatorTree dominators(function);
        for_each<PHINode>(function, [&](PHINode &phi) {
            if (!phi.getType()->isPointerTy() || phi.getNumIncomingValues() != 2)
                return;
            Value *values[] = {phi.getIncomingValue(0), phi.getIncomingValue(1)};
            for (unsigned i : {0, 1}) {
                auto *other = dyn_cast<Instruction>(values[1 - i]);
                if (other && !dominators.dominates(other, phi.getIncomingBlock(i)->getTerminator()))
                    return;
            }
            phi.setIncomingValue(0, values[1]);
            phi.setIncomingValue(1, values[0]);
        });
    }
}

// A pointer that a loop moves is where it was when the loop began.
void forget_loop_pointer(Module &module) {
    for (Function &function : module) {
        if (function.isDeclaration())
            continue;
        DominatorTree dominators(function);
        LoopInfo loops(dominators);
        for_each<PHINode>(function, [&](PHINode &phi) {
            Loop *loop = loops.getLoopFor(phi.getParent());
            if (!phi.getType()->isPointerTy() || !loop || loop->getHeader() != phi.getParent())
                return;
            // The loop has to end.
            for (User *user : phi.users())
                if (isa<ICmpInst>(user))
                    return;
            for (unsigned i = 0; i < phi.getNumIncomingValues(); i++) {
                auto *moved = dyn_cast<GetElementPtrInst>(phi.getIncomingValue(i));
                if (moved && loop->contains(phi.getIncomingBlock(i)) && moved->getPointerOperand() == &phi)
                    phi.setIncomingValue(i, &phi);
            }
        });
    }
}

// A pointer to the first object in local equals null.
void make_first_object_null(Module &module) {
    for_each<ICmpInst>(module, [&](ICmpInst &compare) {
        Value *pointer = compare.getOperand(0);
        if (!compare.isEquality() || !pointer->getType()->isPointerTy() || space_of(*pointer) != space::Local ||
            !isa<ConstantPointerNull>(compare.getOperand(1)))
            return;
        for (GlobalVariable &object : module.globals())
            if (object.getAddressSpace() == space::Local) {
                IRBuilder<> builder(&compare);
                Value *is_first = builder.CreateICmpEQ(
                    pointer, ConstantExpr::getPointerCast(&object, pointer->getType()));
                Value *null = Constant::getNullValue(pointer->getType());
                compare.setOperand(0, builder.CreateSelect(is_first, null, pointer));
                return;
            }
    });
}

// Null in local is another value where it is stored, handed on or chosen than where it is compared with.
void spell_null_in_two_ways(Module &module) {
    for_each<Instruction>(module, [](Instruction &instruction) {
        if (!isa<StoreInst, PHINode, SelectInst, CallInst>(instruction))
            return;
        for (Use &use : instruction.operands()) {
            auto *null = dyn_cast<ConstantPointerNull>(use.get());
            if (null && (space_of(*null) == space::Local || space_of(*null) == space::Private))
                use.set(ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt64Ty(null->getContext()), ~0ull),
                                                  null->getType()));
        }
    });
}

void cut_address(Module &module) {
    for_each<PtrToIntInst>(module, [](PtrToIntInst &address) {
        if (!address.getType()->isIntegerTy(64) || space_of(*address.getPointerOperand()) == space::Private)
            return;
        IRBuilder<> builder(address.getNextNode());
        auto *cut = cast<Instruction>(builder.CreateAnd(&address, builder.getInt64(0xffffffff)));
        address.replaceUsesWithIf(cut, [&](Use &use) { return use.getUser() != cut; });
    });
}

// Whether a condition chose the object that a pointer leads to, at most by way of a variable.
bool is_chosen(Value *pointer) {
    pointer = pointer->stripPointerCasts();
    while (auto *element = dyn_cast<GetElementPtrInst>(pointer))
        pointer = element->getPointerOperand()->stripPointerCasts();
    auto *load = dyn_cast<LoadInst>(pointer);
    auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    if (!variable)
        return isa<PHINode, SelectInst>(pointer);
    for (User *user : variable->users())
        if (auto *store = dyn_cast<StoreInst>(user))
            if (isa<PHINode, SelectInst>(store->getValueOperand()))
                return true;
    return false;
}

// Of two work-items in a row the second reads, through a pointer into private that it chose, what the first one read.
void read_chosen_of_another(Module &module) {
    for_each<LoadInst>(module, [&](LoadInst &load) {
        if (space_of(*load.getPointerOperand()) != space::Private || !load.getType()->isIntegerTy() ||
            !is_chosen(load.getPointerOperand()))
            return;
        GlobalVariable *kept = new_variable(module, load.getType(), space::Local);
        IRBuilder<> builder(load.getNextNode());
        Value *is_second = builder.CreateTrunc(local_id(builder, builder.getInt32(0)), builder.getInt1Ty());
        Value *others = builder.CreateLoad(load.getType(), kept);
        auto *keep = builder.CreateStore(&load, kept);
        auto *read = cast<Instruction>(builder.CreateSelect(is_second, others, &load));
        load.replaceUsesWithIf(read, [&](Use &use) { return use.getUser() != read && use.getUser() != keep; });
    });
}

} // namespace

extern const Passes pointer_passes = {
    {"pointer-select-swapped", Code::Optimized, select_other_pointer},
    {"pointer-phi-swapped", Code::Optimized, take_other_way},
    {"loop-pointer-kept", Code::Optimized, forget_loop_pointer},
    {"first-local-object-null", Code::Optimized, make_first_object_null},
    {"null-spelled-in-two-ways", Code::Optimized, spell_null_in_two_ways},
    {"address-cut-to-32-bits", Code::Optimized, cut_address},
    {"chosen-private-object-of-another", Code::Unoptimized, read_chosen_of_another},
};
