/* A layer under which a driver is wrong in the way that WRONG_DRIVER names. WRONG_DRIVER_CASES has the beginnings of
 * the names of the cases that it concerns, WRONG_DRIVER_TEXT what is said, WRONG_DRIVER_STATE a file that outlives the
 * process. Whatever it is, cases of WRONG_DRIVER_DISLIKED are rejected though they are valid. */
#define _GNU_SOURCE
#include "layer.h"
#include <stdio.h>
#include <unistd.h>

enum ending { AS_BELOW, REJECTED, ACCEPTED_WITHOUT_KERNELS };

struct program {
    cl_program handle;
    char *source;
    enum ending ending;
    char *log;
    struct program *next;
};

/* The newest first: a handle may be used again. */
static struct program *programs;
static unsigned builds;
static int is_lost, accepts_everything;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int is(const char *kind) { return strcmp(setting("WRONG_DRIVER"), kind) == 0; }

static struct program *program_of(cl_program handle) {
    struct program *known = programs;
    while (known && known->handle != handle)
        known = known->next;
    return known;
}

static unsigned count_of(const char *source, const char *text) {
    unsigned count = 0;
    for (const char *at = source; (at = strstr(at, text)); at += strlen(text))
        count++;
    return count;
}

/* How many of these cases the program has; where the first of them begins. */
static unsigned cases_in(const char *source, const char *setting_name, const char **first) {
    char *names = strdup(setting(setting_name)), *rest = names, *name;
    unsigned count = 0;
    while ((name = strsep(&rest, " "))) {
        const char *at = *name ? strstr(source, name) : NULL;
        if (!at)
            continue;
        if (first && (!*first || at < *first))
            *first = at;
        count++;
    }
    free(names);
    return count;
}

/* Whether this build of a program with one of the cases is an odd one, over all processes. */
static int is_odd_build(const char *source) {
    const char *file = setting("WRONG_DRIVER_STATE");
    if (!cases_in(source, "WRONG_DRIVER_CASES", NULL))
        return 0;
    if (unlink(file) == 0)
        return 0;
    FILE *state = fopen(file, "w");
    if (state)
        fclose(state);
    return 1;
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
    program->next = programs;
    programs = program;
    return handle;
}

static cl_int ended(struct program *program, enum ending ending, const char *log) {
    program->ending = ending;
    program->log = strdup(log);
    return ending == ACCEPTED_WITHOUT_KERNELS ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

/* An error in the first line of the first case that is disliked. */
static cl_int disliked(struct program *program, const char *first) {
    char log[100];
    unsigned before = 0;
    for (const char *at = program->source; (at = strstr(at, "#line 1 ")) && at < first; at++)
        before++;
    snprintf(log, sizeof log, "error: c%05u:1:1: I do not like this", before ? before - 1 : 0);
    return ended(program, REJECTED, log);
}

static cl_int CL_API_CALL build(cl_program handle, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    struct program *program = program_of(handle);
    const char *source = program ? program->source : "", *first = NULL;
    cl_int status;
    builds++;
    if ((is("dies at the fourth build") && builds == 4) || (is("dies now and then") && is_odd_build(source)) ||
        (is("dies of two") && cases_in(source, "WRONG_DRIVER_CASES", NULL) > 1))
        abort();
    if (is("hangs now and then") && is_odd_build(source))
        sleep(1000);
    if (is_lost)
        return ended(program, REJECTED, "error: context lost");
    is_lost = is("loses its context") && count_of(source, "#line 1 ") > 1 && !strstr(source, "no_such_name");
    if (cases_in(source, "WRONG_DRIVER_DISLIKED", &first))
        return disliked(program, first);
    status = below->clBuildProgram(handle, count, devices, options, notify, data);
    if (status != CL_SUCCESS && accepts_everything)
        return ended(program, ACCEPTED_WITHOUT_KERNELS, "");
    accepts_everything |= is("accepts everything afterwards") && cases_in(source, "WRONG_DRIVER_CASES", NULL);
    /* What is known to be bad is rejected as it should be. */
    if (status != CL_SUCCESS && !strstr(source, "no_such_name")) {
        if (is("says"))
            return ended(program, REJECTED, setting("WRONG_DRIVER_TEXT"));
        if (is("makes no kernels"))
            return ended(program, ACCEPTED_WITHOUT_KERNELS, "");
    }
    return status;
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

static cl_int CL_API_CALL build_info(cl_program handle, cl_device_id device, cl_program_build_info name, size_t size,
                                     void *value, size_t *needed) {
    struct program *program = program_of(handle);
    if (program && program->ending != AS_BELOW && name == CL_PROGRAM_BUILD_LOG)
        return answer(program->log, strlen(program->log) + 1, size, value, needed);
    if (program && program->ending != AS_BELOW && name == CL_PROGRAM_BUILD_STATUS) {
        cl_build_status status = program->ending == ACCEPTED_WITHOUT_KERNELS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
        return answer(&status, sizeof status, size, value, needed);
    }
    return below->clGetProgramBuildInfo(handle, device, name, size, value, needed);
}

static cl_int CL_API_CALL program_info(cl_program handle, cl_program_info name, size_t size, void *value,
                                       size_t *needed) {
    struct program *program = program_of(handle);
    size_t none = 0;
    if (program && program->ending == ACCEPTED_WITHOUT_KERNELS) {
        if (is("makes no kernels") && (name == CL_PROGRAM_KERNEL_NAMES || name == CL_PROGRAM_NUM_KERNELS))
            return CL_INVALID_PROGRAM_EXECUTABLE;
        if (name == CL_PROGRAM_KERNEL_NAMES)
            return answer("", 1, size, value, needed);
        if (name == CL_PROGRAM_NUM_KERNELS)
            return answer(&none, sizeof none, size, value, needed);
    }
    return below->clGetProgramInfo(handle, name, size, value, needed);
}

static void wrap(void) {
    layer.clCreateProgramWithSource = create_program;
    layer.clBuildProgram = build;
    layer.clGetProgramBuildInfo = build_info;
    layer.clGetProgramInfo = program_info;
}
