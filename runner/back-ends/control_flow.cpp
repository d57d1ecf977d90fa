// Mistakes about which way a work-item goes.
#include "pass.h"

using namespace llvm;

namespace {

// What the last case of a switch is for goes to its default.
void lose_last_case(Module &module) {
    for_each<SwitchInst>(module, [](SwitchInst &choice) {
        if (choice.getNumCases() < 2)
            return;
        auto last = std::prev(choice.case_end());
        BasicBlock *target = last->getCaseSuccessor();
        // A phi has a value for each way into its block.
        target->removePredecessor(choice.getParent(), true);
        choice.removeCase(last);
    });
}

// Of two calls of a function with the same arguments in a block the first is left out.
void leave_out_first_call(Module &module) {
    for (Function &function : module)
        for (BasicBlock &block : function) {
            std::vector<CallInst *> calls;
            for (Instruction &instruction : block) {
                auto *call = dyn_cast<CallInst>(&instruction);
                if (call && call->getCalledFunction() && !call->getCalledFunction()->isDeclaration() &&
                    call->getType()->isVoidTy())
                    calls.push_back(call);
            }
            for (size_t i = 0; i + 1 < calls.size(); i++) {
                const bool is_repeated =
                    calls[i]->getCalledFunction() == calls[i + 1]->getCalledFunction() &&
                    std::equal(calls[i]->arg_begin(), calls[i]->arg_end(), calls[i + 1]->arg_begin());
                if (is_repeated)
                    calls[i]->eraseFromParent();
            }
        }
}

// In a kernel with barriers work-items go the way that the first of their group goes.
void follow_first(Module &module) {
    for (Function &kernel : module) {
        if (!is_kernel(kernel) || meetings_of(kernel).empty())
            continue;
        for_each<BranchInst>(kernel, [&](BranchInst &branch) {
            if (!branch.isConditional() || is_in_loop(branch))
                return;
            GlobalVariable *way = new_variable(module, Type::getInt8Ty(module.getContext()), space::Local);
            IRBuilder<> builder(&branch);
            Value *own = builder.CreateZExt(branch.getCondition(), builder.getInt8Ty());
            Value *taken = builder.CreateSelect(is_first_of_group(builder), own,
                                                builder.CreateLoad(builder.getInt8Ty(), way));
            builder.CreateStore(taken, way);
            branch.setCondition(builder.CreateTrunc(taken, builder.getInt1Ty()));
        });
    }
}

} // namespace

extern const Passes control_flow_passes = {
    {"last-case-lost", Code::Optimized, lose_last_case},
    {"repeated-call-left-out", Code::Optimized, leave_out_first_call},
    {"first-work-item-followed", Code::Optimized, follow_first},
};
