// Mistakes about objects in local: two of them are one, or one is several.
#include "pass.h"

#include <llvm/ADT/SetVector.h>

using namespace llvm;

namespace {

void add_local_objects(Constant &constant, SetVector<GlobalVariable *> &found) {
    if (auto *object = dyn_cast<GlobalVariable>(&constant)) {
        if (object->getAddressSpace() == space::Local)
            found.insert(object);
    } else if (isa<ConstantExpr>(constant)) {
        for (Use &operand : constant.operands())
            add_local_objects(cast<Constant>(*operand), found);
    }
}

// Objects in local that a function names itself.
std::vector<GlobalVariable *> local_objects_of(Function &function) {
    SetVector<GlobalVariable *> found;
    for_each<Instruction>(function, [&](Instruction &instruction) {
        for (Use &operand : instruction.operands())
            if (auto *constant = dyn_cast<Constant>(operand))
                add_local_objects(*constant, found);
    });
    return found.takeVector();
}

// Arguments of a kernel that point to local.
std::vector<Argument *> local_arguments_of(Function &function) {
    std::vector<Argument *> found;
    for (Argument &argument : function.args())
        if (argument.getType()->isPointerTy() && space_of(argument) == space::Local)
            found.push_back(&argument);
    return found;
}

void for_each_kernel(Module &module, const std::function<void(Function &)> &call) {
    for (Function &function : module)
        if (is_kernel(function) && !function.isDeclaration())
            call(function);
}

// The first two objects of a kernel begin at one address.
void overlap_variables(Module &module) {
    for_each_kernel(module, [&](Function &kernel) {
        auto objects = local_objects_of(kernel);
        if (objects.size() < 2)
            return;
        const bool is_first_larger =
            size_of(module, objects[0]->getValueType()) >= size_of(module, objects[1]->getValueType());
        GlobalVariable *larger = objects[is_first_larger ? 0 : 1], *other = objects[is_first_larger ? 1 : 0];
        replace_within(kernel, other, [&](IRBuilder<> &) {
            return ConstantExpr::getPointerCast(larger, other->getType());
        });
    });
}

// The first argument in local and the first variable begin at one address.
void overlap_variable_and_argument(Module &module) {
    for_each_kernel(module, [&](Function &kernel) {
        auto arguments = local_arguments_of(kernel);
        auto objects = local_objects_of(kernel);
        if (arguments.empty() || objects.empty())
            return;
        replace_within(kernel, objects[0], [&](IRBuilder<> &builder) {
            return builder.CreatePointerCast(arguments[0], objects[0]->getType());
        });
    });
}

// The second argument in local begins where the first does.
void overlap_arguments(Module &module) {
    for_each_kernel(module, [&](Function &kernel) {
        auto arguments = local_arguments_of(kernel);
        if (arguments.size() < 2)
            return;
        IRBuilder<> builder(begin_of(kernel));
        arguments[1]->replaceAllUsesWith(builder.CreatePointerCast(arguments[0], arguments[1]->getType()));
    });
}

// Work-items whose ids differ in the lower four bits have objects of their own.
void keep_variables_apart(Module &module) {
    for_each_kernel(module, [&](Function &kernel) {
        for (GlobalVariable *object : local_objects_of(kernel)) {
            if (size_of(module, object->getValueType()) > 2048)
                continue;
            Type *all = ArrayType::get(object->getValueType(), 16);
            GlobalVariable *copies = new_variable(module, all, space::Local);
            Value *number = nullptr;
            replace_within(kernel, object, [&](IRBuilder<> &) {
                if (!number) {
                    IRBuilder<> builder(begin_of(kernel));
                    Value *low = builder.CreateAnd(local_id(builder, builder.getInt32(0)), builder.getInt64(15));
                    number = builder.CreateGEP(all, copies, {builder.getInt64(0), low});
                }
                return number;
            });
        }
    });
}

// A variable in local that is to be aligned to 8 bytes and more lies 4 bytes behind such an address.
void misalign_variables(Module &module) {
    std::vector<GlobalVariable *> objects;
    for (GlobalVariable &object : module.globals())
        if (object.getAddressSpace() == space::Local && object.getAlignment() >= 8)
            objects.push_back(&object);
    for (GlobalVariable *object : objects) {
        Type *byte = Type::getInt8Ty(module.getContext());
        Type *bytes = ArrayType::get(byte, size_of(module, object->getValueType()) + 16);
        GlobalVariable *more = new_variable(module, bytes, space::Local);
        more->setAlignment(object->getAlign());
        Constant *start = ConstantExpr::getPointerCast(more, byte->getPointerTo(space::Local));
        Constant *place = ConstantExpr::getGetElementPtr(
            byte, start, ConstantInt::get(Type::getInt64Ty(module.getContext()), 4));
        object->replaceAllUsesWith(ConstantExpr::getPointerCast(place, object->getType()));
    }
}

} // namespace

extern const Passes local_passes = {
    {"local-variables-overlap", Code::Optimized, overlap_variables},
    {"local-variable-in-argument", Code::Optimized, overlap_variable_and_argument},
    {"local-arguments-overlap", Code::Optimized, overlap_arguments},
    {"local-variable-not-shared", Code::Optimized, keep_variables_apart},
    {"local-variable-misaligned", Code::Optimized, misalign_variables},
};
