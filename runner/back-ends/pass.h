// Passes that rewrite a module as a wrong back end would, and what they share.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <vector>

// Address spaces, as clang numbers them for SPIR.
namespace space {
enum : unsigned { Private, Global, Constant, Local };
}

// Code that a pass is given: as the optimizer leaves it, or as the front end writes it.
enum class Code { Optimized, Unoptimized };

// A mistake of a back end. passes.toml says which public bug each is modelled on.
struct Pass {
    const char *name;
    Code code;
    void (*rewrite)(llvm::Module &);
};

const std::vector<Pass> &passes();

bool is_kernel(const llvm::Function &);

// Whether the instruction calls the built-in function of that name in OpenCL C: its mangled name begins so.
bool is_call_of(const llvm::Instruction &, llvm::StringRef name);
bool is_barrier(const llvm::Instruction &);

// Calls back for each instruction of the module, which may go away in the call.
template <class Kind> void for_each(llvm::Module &module, const std::function<void(Kind &)> &call) {
    std::vector<Kind *> found;
    for (llvm::Function &function : module)
        for (llvm::BasicBlock &block : function)
            for (llvm::Instruction &instruction : block)
                if (auto *kind = llvm::dyn_cast<Kind>(&instruction))
                    found.push_back(kind);
    for (Kind *kind : found)
        call(*kind);
}
