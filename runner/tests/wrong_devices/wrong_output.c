/* A layer under which kernels print nothing, or, where WRONG_OUTPUT says `other`, another text. */
#include "layer.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                 const size_t *global, const size_t *local, cl_uint waits, const cl_event *events,
                                 cl_event *event) {
    fflush(NULL);
    int usual = dup(1), nothing = open("/dev/null", O_WRONLY);
    if (usual < 0 || nothing < 0 || dup2(nothing, 1) < 0)
        abort();
    cl_int error =
        below->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, events, event);
    error |= below->clFinish(queue);
    fflush(NULL);
    if (dup2(usual, 1) < 0)
        abort();
    close(usual);
    close(nothing);
    const char *wrong = getenv("WRONG_OUTPUT");
    if (wrong && strcmp(wrong, "other") == 0)
        printf("3: \033[2J 4\n");
    return error;
}

static void wrap(void) {
    layer.clEnqueueNDRangeKernel = launch;
}
