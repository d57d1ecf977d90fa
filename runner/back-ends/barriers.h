#pragma once
#include "pass.h"
void drop_barrier_in_branch(llvm::Module &);
void drop_barrier_in_loop(llvm::Module &);
