// Mistakes about what functions and kernels are given and return by value.
#include "pass.h"

#include <llvm/Analysis/ValueTracking.h>

using namespace llvm;

namespace {

// Calls of functions of the module itself.
void for_each_own_call(Module &module, const std::function<void(CallInst &)> &call_back) {
    for_each<CallInst>(module, [&](CallInst &call) {
        if (call.getCalledFunction() && !call.getCalledFunction()->isDeclaration())
            call_back(call);
    });
}

Type *by_value_type(CallInst &call, unsigned index) {
    return call.isByValArgument(index) ? call.getParamByValType(index) : nullptr;
}

// The callee is given the caller's object in place of a copy.
void leave_out_copies(Module &module) {
    for_each_own_call(module, [](CallInst &call) {
        for (unsigned i = 0; i < call.arg_size(); i++)
            if (call.isByValArgument(i)) {
                call.removeParamAttr(i, Attribute::ByVal);
                call.getCalledFunction()->removeParamAttr(i, Attribute::ByVal);
            }
    });
}

// The copy is left out where the callee is also given the object's address.
void leave_out_copies_of_reachable(Module &module) {
    for_each_own_call(module, [](CallInst &call) {
        for (unsigned i = 0; i < call.arg_size(); i++)
            for (unsigned j = 0; call.isByValArgument(i) && j < call.arg_size(); j++) {
                Value *other = call.getArgOperand(j);
                if (i == j || !other->getType()->isPointerTy() || call.isByValArgument(j) ||
                    getUnderlyingObject(other) != getUnderlyingObject(call.getArgOperand(i)))
                    continue;
                call.removeParamAttr(i, Attribute::ByVal);
                call.getCalledFunction()->removeParamAttr(i, Attribute::ByVal);
            }
    });
}

// Of a structure that does not fit in registers only the first 16 bytes get to the callee.
void cut_large_copies(Module &module) {
    for_each_own_call(module, [&](CallInst &call) {
        for (unsigned i = 0; i < call.arg_size(); i++) {
            Type *type = by_value_type(call, i);
            if (!type || size_of(module, type) <= 16)
                continue;
            AllocaInst *part = IRBuilder<>(begin_of(*call.getFunction())).CreateAlloca(type);
            part->setAlignment(Align(16));
            IRBuilder<> builder(&call);
            builder.CreateMemSet(part, builder.getInt8(0), size_of(module, type), MaybeAlign(1));
            copy(builder, part, call.getArgOperand(i), 16);
            call.setArgOperand(i, part);
        }
    });
}

// A function that fills its result by an index that it computes does so in an object of its own.
void lose_filled_results(Module &module) {
    for (Function &function : module) {
        if (function.isDeclaration() || !function.hasStructRetAttr())
            continue;
        bool is_indexed = false;
        for_each<GetElementPtrInst>(function, [&](GetElementPtrInst &element) {
            is_indexed |= getUnderlyingObject(&element) == function.getArg(0) && !element.hasAllConstantIndices();
        });
        if (!is_indexed)
            continue;
        AllocaInst *own = IRBuilder<>(begin_of(function)).CreateAlloca(function.getParamStructRetType(0));
        own->setAlignment(Align(16));
        function.getArg(0)->replaceAllUsesWith(own);
    }
}

// A structure that is a kernel's argument behind a scalar of 4 bytes is read right behind it, as if it were not
// aligned: it begins with 4 bytes that are padding.
void misplace_kernel_structures(Module &module) {
    for (Function &kernel : module) {
        if (!is_kernel(kernel) || kernel.isDeclaration())
            continue;
        for (Argument &argument : kernel.args()) {
            Type *type = argument.getParamByValType();
            if (!type || !argument.getArgNo() || !kernel.getArg(argument.getArgNo() - 1)->getType()->isIntegerTy(32) ||
                module.getDataLayout().getABITypeAlignment(type) < 8)
                continue;
            IRBuilder<> builder(begin_of(kernel));
            Value *own = builder.CreateBitCast(&argument, builder.getInt8PtrTy());
            const uint64_t size = size_of(module, type);
            Value *given = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), size));
            copy(builder, given, own, size);
            copy(builder, builder.CreateConstGEP1_64(builder.getInt8Ty(), own, 4), given, size - 4);
            builder.CreateMemSet(own, builder.getInt8(0), 4, MaybeAlign(1));
        }
    }
}

} // namespace

extern const Passes parameter_passes = {
    {"argument-not-copied", Code::Optimized, leave_out_copies},
    {"inlined-argument-not-copied", Code::Unoptimized, leave_out_copies},
    {"reachable-argument-not-copied", Code::Optimized, leave_out_copies_of_reachable},
    {"large-argument-cut", Code::Unoptimized, cut_large_copies},
    {"filled-result-lost", Code::Unoptimized, lose_filled_results},
    {"kernel-structure-misplaced", Code::Optimized, misplace_kernel_structures},
};
