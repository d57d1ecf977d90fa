// Mistakes about barriers and fences.
#include "barriers.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

using namespace llvm;

namespace {

bool is_in_loop(Instruction &instruction) {
    DominatorTree dominators(*instruction.getFunction());
    return LoopInfo(dominators).getLoopFor(instruction.getParent());
}

// Whether every work-item that enters the function gets there.
bool is_always_reached(Instruction &instruction) {
    Function &function = *instruction.getFunction();
    return PostDominatorTree(function).dominates(instruction.getParent(), &function.getEntryBlock());
}

} // namespace

void drop_barrier_in_branch(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (is_barrier(call) && !is_in_loop(call) && !is_always_reached(call))
            call.eraseFromParent();
    });
}

void drop_barrier_in_loop(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (is_barrier(call) && is_in_loop(call))
            call.eraseFromParent();
    });
}
