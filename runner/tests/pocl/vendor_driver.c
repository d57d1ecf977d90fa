/* A vendor's driver in some version: PoCL, reached through a library that wraps it. VERSION is what it reports. It
 * rejects valid programs that have one of the texts REJECTS. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

struct program {
    cl_program handle;
    char *source, *log;
    struct program *next;
};

/* The newest first: a handle may be used again. */
static struct program *programs;
static cl_icd_dispatch below;
static cl_icd_dispatch *table;

static struct program *program_of(cl_program handle) {
    struct program *known = programs;
    while (known && known->handle != handle)
        known = known->next;
    return known;
}

static cl_int answer(const void *value, size_t bytes, size_t size, void *into, size_t *needed) {
    if (needed)
        *needed = bytes;
    if (into && size < bytes)
        return CL_INVALID_VALUE;
    if (into)
        memcpy(into, value, bytes);
    return CL_SUCCESS;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **strings,
                                             const size_t *lengths, cl_int *error) {
    struct program *program = calloc(1, sizeof *program);
    size_t size = 0;
    program->handle = below.clCreateProgramWithSource(context, count, strings, lengths, error);
    program->source = calloc(1, 1);
    for (cl_uint i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        program->source = realloc(program->source, size + length + 1);
        memcpy(program->source + size, strings[i], length);
        program->source[size += length] = 0;
    }
    program->next = programs;
    programs = program;
    return program->handle;
}

static int is_rejected(const char *text) {
    static const char *const rejects[] = {REJECTS};
    for (size_t i = 0; i < sizeof rejects / sizeof *rejects; i++)
        if (strstr(text, rejects[i]))
            return 1;
    return 0;
}

/* An error at every line that is rejected, as clang writes it. */
static char *complaints(const char *source) {
    char *log = NULL, *copy = strdup(source), *rest = copy, *line, name[64] = "kernel.cl";
    size_t size = 0;
    unsigned number = 0;
    FILE *out = open_memstream(&log, &size);
    while ((line = strsep(&rest, "\n"))) {
        number++;
        if (sscanf(line, "#line 1 \"%63[^\"]\"", name) == 1)
            number = 0;
        else if (is_rejected(line))
            fprintf(out, "%s:%u:1: error: this version does not take it\n", name, number);
    }
    fclose(out);
    free(copy);
    return log;
}

static cl_int CL_API_CALL build(cl_program handle, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    struct program *program = program_of(handle);
    cl_int status = below.clBuildProgram(handle, count, devices, options, notify, data);
    if (!program || status != CL_SUCCESS || !is_rejected(program->source))
        return status;
    program->log = complaints(program->source);
    return CL_BUILD_PROGRAM_FAILURE;
}

static cl_int CL_API_CALL build_info(cl_program handle, cl_device_id device, cl_program_build_info name, size_t size,
                                     void *value, size_t *needed) {
    struct program *program = program_of(handle);
    const cl_build_status error = CL_BUILD_ERROR;
    if (program && program->log && name == CL_PROGRAM_BUILD_LOG)
        return answer(program->log, strlen(program->log) + 1, size, value, needed);
    if (program && program->log && name == CL_PROGRAM_BUILD_STATUS)
        return answer(&error, sizeof error, size, value, needed);
    return below.clGetProgramBuildInfo(handle, device, name, size, value, needed);
}

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info name, size_t size, void *value,
                                        size_t *needed) {
    if (name == CL_PLATFORM_NAME)
        return answer("Vendor's OpenCL", sizeof "Vendor's OpenCL", size, value, needed);
    return below.clGetPlatformInfo(platform, name, size, value, needed);
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void *value,
                                      size_t *needed) {
    if (name == CL_DRIVER_VERSION)
        return answer(VERSION, sizeof VERSION, size, value, needed);
    return below.clGetDeviceInfo(device, name, size, value, needed);
}

static void *wrapped(const char *name) {
    static void *library;
    if (!library)
        library = dlopen(WRAPPED, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        abort();
    void *(*function)(const char *) = (void *(*)(const char *))dlsym(library, "clGetExtensionFunctionAddress");
    return function(name);
}

static cl_int CL_API_CALL platform_ids(cl_uint count, cl_platform_id *platforms, cl_uint *found) {
    clIcdGetPlatformIDsKHR_fn function = (clIcdGetPlatformIDsKHR_fn)wrapped("clIcdGetPlatformIDsKHR");
    cl_platform_id platform;
    cl_int status = function(1, &platform, NULL);
    if (status == CL_SUCCESS && !table) {
        table = *(cl_icd_dispatch **)platform;
        below = *table;
        table->clCreateProgramWithSource = create_program;
        table->clBuildProgram = build;
        table->clGetProgramBuildInfo = build_info;
        table->clGetPlatformInfo = platform_info;
        table->clGetDeviceInfo = device_info;
    }
    return function(count, platforms, found);
}

EXPORTED CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)platform_ids : wrapped(name);
}
