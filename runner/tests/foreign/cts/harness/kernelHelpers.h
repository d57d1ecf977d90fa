#pragma once
#include "testHarness.h"

int create_single_kernel_helper_create_program(cl_context context,
                                               cl_program *outProgram,
                                               unsigned int numKernelLines,
                                               const char **kernelProgram,
                                               const char *buildOptions = NULL);

Version get_device_cl_c_version(cl_device_id device);
