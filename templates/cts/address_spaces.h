// Valid programs as data, and what builds and executes them.
#ifndef ADDRESS_SPACES_H
#define ADDRESS_SPACES_H

#include "harness/testHarness.h"
#include "harness/typeWrappers.h"

#include <cstddef>

// Optional parts of the language.
enum Needs : unsigned
{
    NEEDS_NOTHING = 0,
@NEEDS@};

// What a kernel is given.
struct Argument
{
    enum Kind
    {
        Buffer,
        NullBuffer,
        Local,
        Value,
    } kind;
    // In bytes, all of it and an element of it.
    size_t size;
    size_t element;
    // What it holds at first; and, of a buffer, what it must hold in the end.
    const void *before;
    const void *after;
};

// An execution of a kernel.
struct Launch
{
    const char *kernel;
    cl_uint dimensions;
    size_t items[3];
    size_t group[3];
    const Argument *arguments;
    cl_uint argument_count;
};

// A program that every device of its language accepts.
struct Case
{
    const char *id;
    const char *options;
    // Of OpenCL C: 120 is 1.2.
    int version;
    // From 3.0 on it is a program of a device that has exactly these of the two
    // features.
    bool generic_address_space;
    bool program_scope_globals;
    // Of Needs.
    unsigned needs;
    const char *source;
    const Launch *launches;
    size_t launch_count;
};

// Builds the programs, makes their kernels, executes what there is to execute
// and compares what buffers hold. Those that the device lacks something for
// are skipped; it is TEST_SKIPPED_ITSELF where all of them are.
int run_cases(cl_device_id device, cl_context context, cl_command_queue queue,
              const Case *cases, size_t count);

template <size_t Count>
int run_cases(cl_device_id device, cl_context context, cl_command_queue queue,
              const Case (&cases)[Count])
{
    return run_cases(device, context, queue, cases, Count);
}

#endif // ADDRESS_SPACES_H
