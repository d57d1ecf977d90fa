// Mistakes of the functions that a program calls.
#include "pass.h"

using namespace llvm;

namespace {

// Copies with a stride are made as if it were 1.
void ignore_stride(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (is_call_of(call, "async_work_group_strided_copy"))
            call.setArgOperand(3, ConstantInt::get(call.getArgOperand(3)->getType(), 1));
    });
}

void ignore_wait(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (is_call_of(call, "wait_group_events"))
            call.eraseFromParent();
    });
}

} // namespace

extern const Passes library_passes = {
    {"stride-ignored", Code::Optimized, ignore_stride},
    {"wait-for-events-ignored", Code::Optimized, ignore_wait},
};
