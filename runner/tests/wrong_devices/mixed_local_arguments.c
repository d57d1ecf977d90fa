/* A layer under which a kernel's second parameter that points to local points to where the first does. */
#include "layer.h"
#include <ctype.h>

/* Whatever their sizes, there is room for all that is stored through them. */
enum { ROOM = 4096 };

/* A text that grows. */
struct text {
    char *bytes;
    size_t size;
};

static void append(struct text *text, const char *bytes, size_t size) {
    text->bytes = realloc(text->bytes, text->size + size + 1);
    memcpy(text->bytes + text->size, bytes, size);
    text->bytes[text->size += size] = 0;
}

/* The name that ends before this, of so many bytes. */
static const char *name_before(const char *end, size_t *size) {
    while (isspace((unsigned char)end[-1]))
        end--;
    const char *begin = end;
    while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')
        begin--;
    *size = (size_t)(end - begin);
    return begin;
}

/* The program with an assignment at the beginning of each kernel that has two such parameters. */
static struct text mixed(const char *source) {
    static const char kernel[] = "kernel void ", local[] = "local ";
    struct text program = {NULL, 0};
    append(&program, "", 0);
    for (const char *begin; (begin = strstr(source, kernel)) != NULL;) {
        const char *at = strchr(begin, '('), *end = strstr(begin, ") {");
        if (!at || !end)
            break;
        const char *names[2] = {NULL, NULL};
        size_t sizes[2] = {0, 0};
        for (int found = 0; found < 2 && at < end;) {
            const char *parameter = at + 1 + strspn(at + 1, " ");
            at = strchr(parameter, ',');
            at = at && at < end ? at : end;
            if (strncmp(parameter, local, sizeof local - 1) == 0) {
                names[found] = name_before(at, &sizes[found]);
                found++;
            }
        }
        end += strlen(") {");
        append(&program, source, (size_t)(end - source));
        if (names[1]) {
            append(&program, names[1], sizes[1]);
            append(&program, " = (local void *)", strlen(" = (local void *)"));
            append(&program, names[0], sizes[0]);
            append(&program, ";", 1);
        }
        source = end;
    }
    append(&program, source, strlen(source));
    return program;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **strings,
                                             const size_t *lengths, cl_int *error) {
    struct text whole = {NULL, 0};
    for (cl_uint i = 0; i < count; i++)
        append(&whole, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    struct text own = mixed(whole.bytes);
    const char *source = own.bytes;
    cl_program program = below->clCreateProgramWithSource(context, 1, &source, &own.size, error);
    free(whole.bytes);
    free(own.bytes);
    return program;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    return below->clSetKernelArg(kernel, index, value || size >= ROOM ? size : ROOM, value);
}

static void wrap(void) {
    layer.clCreateProgramWithSource = create_program;
    layer.clSetKernelArg = set_argument;
}
