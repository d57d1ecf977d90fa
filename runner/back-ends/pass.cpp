#include "pass.h"

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
