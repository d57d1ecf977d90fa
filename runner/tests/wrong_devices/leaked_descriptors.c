/* A layer under which each build leaves a hundred descriptors open. */
#include "layer.h"
#include <fcntl.h>

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    for (int i = 0; i < 100; i++)
        if (open("/dev/null", O_RDONLY) < 0)
            return CL_OUT_OF_HOST_MEMORY;
    return below->clBuildProgram(program, count, devices, options, notify, data);
}

static void wrap(void) { layer.clBuildProgram = build; }
