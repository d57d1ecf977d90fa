// Passes that rewrite a module as a wrong back end would, and what they share.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <string>
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

using Passes = std::vector<Pass>;

// Every pass.
Passes passes();

bool is_kernel(const llvm::Function &);

// Whether the instruction calls the built-in function of that name in OpenCL C, for arguments of any type.
bool is_call_of(const llvm::Instruction &, llvm::StringRef name);
bool is_barrier(const llvm::Instruction &);
std::vector<llvm::CallInst *> barriers_of(llvm::Function &);
// Calls at which the work-items of a group meet: barriers, and what has one in it.
std::vector<llvm::CallInst *> meetings_of(llvm::Function &);

bool is_in_loop(llvm::Instruction &);
// Whether every work-item that enters the function gets there.
bool is_always_reached(llvm::Instruction &);

unsigned space_of(const llvm::Value &pointer);
// The number of bytes that an object of the type takes.
uint64_t size_of(const llvm::Module &, llvm::Type *);

// Allocas of a function, and its returns.
std::vector<llvm::AllocaInst *> objects_of(llvm::Function &);
std::vector<llvm::ReturnInst *> returns_of(llvm::Function &);

// A new variable that all work-items of a group, or of all launches, share; zeros where no initializer is given.
llvm::GlobalVariable *new_variable(llvm::Module &, llvm::Type *, unsigned space, llvm::Constant *initializer = nullptr);

// The place behind a function's allocas.
llvm::Instruction *begin_of(llvm::Function &);
llvm::Value *local_id(llvm::IRBuilder<> &, llvm::Value *dimension);
// Whether the work-item is the first of its group.
llvm::Value *is_first_of_group(llvm::IRBuilder<> &);
void copy(llvm::IRBuilder<> &, llvm::Value *to, llvm::Value *from, uint64_t size);

// Replaces a constant by a value within a function, also where constant expressions have it.
void replace_within(llvm::Function &, llvm::Constant *old, const std::function<llvm::Value *(llvm::IRBuilder<> &)> &);

// Calls back for each instruction of a kind, which may go away in the call.
template <class Kind> void for_each(llvm::Function &function, const std::function<void(Kind &)> &call) {
    std::vector<Kind *> found;
    for (llvm::BasicBlock &block : function)
        for (llvm::Instruction &instruction : block)
            if (auto *kind = llvm::dyn_cast<Kind>(&instruction))
                found.push_back(kind);
    for (Kind *kind : found)
        call(*kind);
}
template <class Kind> void for_each(llvm::Module &module, const std::function<void(Kind &)> &call) {
    for (llvm::Function &function : module)
        for_each<Kind>(function, call);
}
