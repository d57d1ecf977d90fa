#include "rewrite.h"

#include "pass.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

using namespace llvm;

namespace {

// The text of each function and variable, without the numbers of attributes and metadata: a module counts them through,
// so that what is added to one function renumbers those of others.
std::map<std::string, std::string> texts(Module &module) {
    std::map<std::string, std::string> all;
    for (GlobalObject &object : module.global_objects()) {
        std::string printed, &text = all[object.getName().str()];
        raw_string_ostream stream(printed);
        object.print(stream);
        bool is_number = false;
        for (char letter : stream.str()) {
            is_number = letter == '#' || letter == '!' || (is_number && isDigit(letter));
            if (!is_number)
                text += letter;
        }
    }
    return all;
}

// Adds the functions and variables that an object uses, and those that they use.
void add_reachable(User &user, DenseSet<Value *> &known) {
    if (!known.insert(&user).second)
        return;
    auto add_operands = [&](User &of) {
        for (Value *operand : of.operands())
            if (auto *constant = dyn_cast<Constant>(operand))
                add_reachable(*constant, known);
    };
    add_operands(user);
    if (auto *function = dyn_cast<Function>(&user))
        for (BasicBlock &block : *function)
            for (Instruction &instruction : block)
                add_operands(instruction);
}

std::set<std::string> changed_kernels(Module &module, const std::map<std::string, std::string> &before) {
    std::map<std::string, std::string> after = texts(module);
    std::set<std::string> changed;
    for (Function &kernel : module) {
        if (!is_kernel(kernel))
            continue;
        DenseSet<Value *> reachable;
        add_reachable(kernel, reachable);
        for (Value *value : reachable) {
            if (!isa<GlobalObject>(value))
                continue;
            const std::string name = value->getName().str();
            auto known = before.find(name);
            if (known == before.end() || known->second != after[name])
                changed.insert(kernel.getName().str());
        }
    }
    return changed;
}

const Pass *pass_named(const std::string &name) {
    static const Passes all = passes();
    for (const Pass &pass : all)
        if (name == pass.name)
            return &pass;
    return nullptr;
}

} // namespace

bool is_for_unoptimized_code(const std::string &name) {
    const Pass *pass = pass_named(name);
    return pass && pass->code == Code::Unoptimized;
}

Rewriting rewrite(const std::vector<unsigned char> &bitcode, const std::string &name) {
    Rewriting result;
    const Pass *pass = pass_named(name);
    if (!pass) {
        result.mistake = "there is no pass `" + name + "`";
        return result;
    }
    LLVMContext context;
    auto buffer = MemoryBuffer::getMemBuffer(StringRef(reinterpret_cast<const char *>(bitcode.data()), bitcode.size()),
                                             "program", false);
    auto parsed = parseBitcodeFile(*buffer, context);
    if (!parsed) {
        result.mistake = toString(parsed.takeError());
        return result;
    }
    Module &module = **parsed;
    // What is known of a variable's place in the source need not follow it.
    StripDebugInfo(module);
    const auto before = texts(module);
    pass->rewrite(module);
    raw_string_ostream complaint(result.mistake);
    if (verifyModule(module, &complaint)) {
        complaint.flush();
        return result;
    }
    result.mistake.clear();
    result.changed = changed_kernels(module, before);
    SmallVector<char, 0> bytes;
    raw_svector_ostream stream(bytes);
    WriteBitcodeToFile(module, stream);
    result.bitcode.assign(bytes.begin(), bytes.end());
    return result;
}
