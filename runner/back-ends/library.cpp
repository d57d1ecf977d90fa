// Mistakes of the functions that a program calls.
#include "pass.h"

using namespace llvm;

namespace {

// The last element of an asynchronous copy is not copied.
void cut_async_copies(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        if (!is_call_of(call, "async_work_group_copy") && !is_call_of(call, "async_work_group_strided_copy"))
            return;
        IRBuilder<> builder(&call);
        call.setArgOperand(2, builder.CreateSub(call.getArgOperand(2), builder.getInt64(1)));
    });
}

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

// vloadn and vstoren count elements where they are to count vectors.
void count_elements(Module &module) {
    for_each<CallInst>(module, [](CallInst &call) {
        for (const char *width : {"2", "3", "4", "8", "16"}) {
            const bool is_load = is_call_of(call, std::string("vload") + width);
            if (!is_load && !is_call_of(call, std::string("vstore") + width))
                continue;
            const unsigned place = is_load ? 0 : 1;
            IRBuilder<> builder(&call);
            call.setArgOperand(place, builder.CreateUDiv(call.getArgOperand(place), builder.getInt64(atoi(width))));
        }
    });
}

} // namespace

extern const Passes library_passes = {
    {"asynchronous-copy-cut", Code::Optimized, cut_async_copies},
    {"stride-ignored", Code::Optimized, ignore_stride},
    {"wait-for-events-ignored", Code::Optimized, ignore_wait},
    {"vector-offset-in-elements", Code::Optimized, count_elements},
};
