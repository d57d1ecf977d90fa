#include "barriers.h"

const std::vector<Pass> &passes() {
    static const std::vector<Pass> all = {
        {"nothing", Code::Optimized, [](llvm::Module &) {}},
        {"nothing-unoptimized", Code::Unoptimized, [](llvm::Module &) {}},
        {"barrier-in-branch-dropped", Code::Optimized, drop_barrier_in_branch},
        {"barrier-in-loop-dropped", Code::Optimized, drop_barrier_in_loop},
    };
    return all;
}
