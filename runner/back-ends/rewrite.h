// Rewrites LLVM bitcode by one pass.
#pragma once

#include <set>
#include <string>
#include <vector>

struct Rewriting {
    std::vector<unsigned char> bitcode;
    // Names of the kernels that the pass changed, directly or in what they call or use.
    std::set<std::string> changed;
    // A reason why there is no bitcode: the pass is unknown or made an invalid module.
    std::string mistake;
};

Rewriting rewrite(const std::vector<unsigned char> &bitcode, const std::string &pass);

// Whether the pass is modelled on a bug that needs code as the front end writes it, before any optimization.
bool is_for_unoptimized_code(const std::string &pass);
