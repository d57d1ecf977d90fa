#include "pass.h"

extern const Passes barrier_passes, private_passes, parameter_passes, pointer_passes, index_passes, copy_passes,
    layout_passes, atomic_passes, local_passes, control_flow_passes, loop_passes, library_passes, report_passes;

Passes passes() {
    Passes all = {
        {"nothing", Code::Optimized, [](llvm::Module &) {}},
        {"nothing-unoptimized", Code::Unoptimized, [](llvm::Module &) {}},
    };
    for (const Passes *part : {&barrier_passes, &private_passes, &parameter_passes, &pointer_passes, &index_passes,
                               &copy_passes, &layout_passes, &atomic_passes, &local_passes, &control_flow_passes,
                               &loop_passes, &library_passes, &report_passes})
        all.insert(all.end(), part->begin(), part->end());
    return all;
}
