#include "pass.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

using namespace llvm;

bool is_kernel(const Function &function) { return function.getCallingConv() == CallingConv::SPIR_KERNEL; }

bool is_call_of(const Instruction &instruction, StringRef name) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || !call->getCalledFunction() || !call->getCalledFunction()->isDeclaration())
        return false;
    StringRef mangled = call->getCalledFunction()->getName();
    return mangled.consume_front("_Z" + std::to_string(name.size())) && mangled.startswith(name);
}

bool is_barrier(const Instruction &instruction) {
    return is_call_of(instruction, "barrier") || is_call_of(instruction, "work_group_barrier");
}

std::vector<CallInst *> barriers_of(Function &function) {
    std::vector<CallInst *> found;
    for_each<CallInst>(function, [&](CallInst &call) {
        if (is_barrier(call))
            found.push_back(&call);
    });
    return found;
}

std::vector<CallInst *> meetings_of(Function &function) {
    std::vector<CallInst *> found;
    for_each<CallInst>(function, [&](CallInst &call) {
        Function *callee = call.getCalledFunction();
        if (is_barrier(call) || is_call_of(call, "wait_group_events") ||
            (callee && !callee->isDeclaration() && callee != &function && !meetings_of(*callee).empty()))
            found.push_back(&call);
    });
    return found;
}

bool is_in_loop(Instruction &instruction) {
    DominatorTree dominators(*instruction.getFunction());
    return LoopInfo(dominators).getLoopFor(instruction.getParent());
}

bool is_always_reached(Instruction &instruction) {
    Function &function = *instruction.getFunction();
    return PostDominatorTree(function).dominates(instruction.getParent(), &function.getEntryBlock());
}

unsigned space_of(const Value &pointer) { return pointer.getType()->getPointerAddressSpace(); }

uint64_t size_of(const Module &module, Type *type) { return module.getDataLayout().getTypeAllocSize(type); }

std::vector<AllocaInst *> objects_of(Function &function) {
    std::vector<AllocaInst *> found;
    for_each<AllocaInst>(function, [&](AllocaInst &object) { found.push_back(&object); });
    return found;
}

std::vector<ReturnInst *> returns_of(Function &function) {
    std::vector<ReturnInst *> found;
    for_each<ReturnInst>(function, [&](ReturnInst &end) { found.push_back(&end); });
    return found;
}

GlobalVariable *new_variable(Module &module, Type *type, unsigned space, Constant *initializer) {
    if (!initializer)
        initializer = space == space::Local ? static_cast<Constant *>(UndefValue::get(type))
                                            : ConstantAggregateZero::getNullValue(type);
    auto *variable = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, initializer, "of_back_end",
                                        nullptr, GlobalValue::NotThreadLocal, space);
    variable->setAlignment(MaybeAlign(16));
    return variable;
}

Instruction *begin_of(Function &function) {
    Instruction *place = &function.getEntryBlock().front();
    while (isa<AllocaInst>(place))
        place = place->getNextNode();
    return place;
}

Value *local_id(IRBuilder<> &builder, Value *dimension) {
    Module &module = *builder.GetInsertBlock()->getModule();
    FunctionCallee callee = module.getOrInsertFunction("_Z12get_local_idj", builder.getInt64Ty(), builder.getInt32Ty());
    auto *function = cast<Function>(callee.getCallee());
    function->setCallingConv(CallingConv::SPIR_FUNC);
    CallInst *call = builder.CreateCall(callee, dimension);
    call->setCallingConv(CallingConv::SPIR_FUNC);
    return call;
}

Value *is_first_of_group(IRBuilder<> &builder) {
    Value *all = builder.getInt64(0);
    for (unsigned dimension : {0, 1, 2})
        all = builder.CreateOr(all, local_id(builder, builder.getInt32(dimension)));
    return builder.CreateICmpEQ(all, builder.getInt64(0));
}

void copy(IRBuilder<> &builder, Value *to, Value *from, uint64_t size) {
    builder.CreateMemCpy(to, MaybeAlign(1), from, MaybeAlign(1), size);
}

// Whether a constant is another one or is made of it.
static bool has(const Constant *constant, const Constant *part) {
    if (constant == part)
        return true;
    if (!isa<ConstantExpr>(constant))
        return false;
    for (const Value *operand : constant->operands())
        if (has(cast<Constant>(operand), part))
            return true;
    return false;
}

// A constant as instructions in front of a place.
static Value *made(Constant *constant, Constant *old, Value *other, Instruction *place) {
    if (constant == old)
        return other;
    if (!has(constant, old))
        return constant;
    Instruction *instruction = cast<ConstantExpr>(constant)->getAsInstruction(place);
    for (Use &operand : instruction->operands())
        if (auto *part = dyn_cast<Constant>(operand.get()))
            operand.set(made(part, old, other, instruction));
    return instruction;
}

void replace_within(Function &function, Constant *old, const std::function<Value *(IRBuilder<> &)> &other) {
    for_each<Instruction>(function, [&](Instruction &instruction) {
        for (Use &use : instruction.operands()) {
            auto *constant = dyn_cast<Constant>(use.get());
            if (!constant || !has(constant, old))
                continue;
            Instruction *place = &instruction;
            if (auto *phi = dyn_cast<PHINode>(&instruction))
                place = phi->getIncomingBlock(use)->getTerminator();
            IRBuilder<> builder(place);
            use.set(made(constant, old, other(builder), place));
        }
    });
}
