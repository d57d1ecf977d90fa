#pragma once
#include <CL/opencl.h>

bool is_extension_available(cl_device_id device, const char *extensionName);
