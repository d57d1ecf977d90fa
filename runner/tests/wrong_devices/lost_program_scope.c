/* A layer under which variables at program scope begin anew in every launch: each but the first
 * of a program is one of the same program, built anew. */
#include "layer.h"

enum { ARGUMENTS = 64 };

struct program {
    cl_program handle;
    cl_context context;
    char *source, *options;
    unsigned launches;
    struct program *next;
};

struct argument {
    size_t size;
    void *value;
    int is_set;
};

struct kernel {
    cl_kernel handle;
    struct program *program;
    char *name;
    struct argument arguments[ARGUMENTS];
    struct kernel *next;
};

/* The newest first: a handle may be used again. */
static struct program *programs;
static struct kernel *kernels;

static void *copy(const void *bytes, size_t size) {
    void *own = malloc(size);
    return own && bytes ? memcpy(own, bytes, size) : own;
}

static struct program *program_of(cl_program handle) {
    struct program *known = programs;
    while (known && known->handle != handle)
        known = known->next;
    return known;
}

static struct kernel *kernel_of(cl_kernel handle) {
    struct kernel *known = kernels;
    while (known && known->handle != handle)
        known = known->next;
    return known;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **strings,
                                             const size_t *lengths, cl_int *error) {
    cl_program handle = below->clCreateProgramWithSource(context, count, strings, lengths, error);
    struct program *program = calloc(1, sizeof *program);
    size_t size = 0;
    program->source = calloc(1, 1);
    for (cl_uint i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        program->source = realloc(program->source, size + length + 1);
        memcpy(program->source + size, strings[i], length);
        program->source[size += length] = 0;
    }
    program->handle = handle;
    program->context = context;
    program->next = programs;
    programs = program;
    return handle;
}

static cl_int CL_API_CALL build(cl_program handle, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    struct program *program = program_of(handle);
    if (program)
        program->options = copy(options ? options : "", options ? strlen(options) + 1 : 1);
    return below->clBuildProgram(handle, count, devices, options, notify, data);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error) {
    cl_kernel handle = below->clCreateKernel(program, name, error);
    struct kernel *kernel = calloc(1, sizeof *kernel);
    kernel->handle = handle;
    kernel->program = program_of(program);
    kernel->name = copy(name, strlen(name) + 1);
    kernel->next = kernels;
    kernels = kernel;
    return handle;
}

static cl_int CL_API_CALL set_argument(cl_kernel handle, cl_uint index, size_t size, const void *value) {
    struct kernel *kernel = kernel_of(handle);
    if (kernel && index < ARGUMENTS) {
        struct argument *argument = &kernel->arguments[index];
        free(argument->value);
        *argument = (struct argument){size, value ? copy(value, size) : NULL, 1};
    }
    return below->clSetKernelArg(handle, index, size, value);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel handle, cl_uint dimensions, const size_t *offset,
                                 const size_t *global, const size_t *local, cl_uint waits, const cl_event *events,
                                 cl_event *event) {
    struct kernel *kernel = kernel_of(handle);
    struct program *program = kernel ? kernel->program : NULL;
    if (!program || program->launches++ == 0)
        return below->clEnqueueNDRangeKernel(queue, handle, dimensions, offset, global, local, waits, events, event);
    cl_int error;
    const char *source = program->source;
    cl_program anew = below->clCreateProgramWithSource(program->context, 1, &source, NULL, &error);
    error = below->clBuildProgram(anew, 0, NULL, program->options, NULL, NULL);
    if (error)
        return error;
    cl_kernel own = below->clCreateKernel(anew, kernel->name, &error);
    for (cl_uint i = 0; i < ARGUMENTS; i++)
        if (kernel->arguments[i].is_set)
            error |= below->clSetKernelArg(own, i, kernel->arguments[i].size, kernel->arguments[i].value);
    error |= below->clEnqueueNDRangeKernel(queue, own, dimensions, offset, global, local, waits, events, event);
    error |= below->clFinish(queue);
    below->clReleaseKernel(own);
    below->clReleaseProgram(anew);
    return error;
}

static void wrap(void) {
    layer.clCreateProgramWithSource = create_program;
    layer.clBuildProgram = build;
    layer.clCreateKernel = create_kernel;
    layer.clSetKernelArg = set_argument;
    layer.clEnqueueNDRangeKernel = launch;
}
