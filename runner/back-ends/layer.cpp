// A layer of the OpenCL loader that is a wrong back end: the driver compiles a program, a pass rewrites the LLVM IR
// that it made, and the driver executes the rewritten program in place of the one it compiled.
//
// BACK_END names the pass. BACK_END_LOG, where it is set, is the file that gets a line for each launch of a kernel:
// "kernel", its name, and "changed" or "same".
#include "../tests/wrong_devices/layer.h"

#include "rewrite.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

// The program that is executed in place of another, and those of its kernels that the pass changed.
struct Rewritten {
    cl_program program;
    std::set<std::string> changed;
};

std::mutex lock;
std::map<cl_program, Rewritten> rewritten;

const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

// Writes one line at once: several workers append to the file.
void log_line(const std::string &line) {
    const char *path = getenv("BACK_END_LOG");
    FILE *file = path ? fopen(path, "a") : nullptr;
    if (!file)
        return;
    fputs((line + "\n").c_str(), file);
    fclose(file);
}

// Ends the process: what a broken pass made must not be taken for a back end's mistake.
[[noreturn]] void die(std::string message) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    log_line("broken " + message);
    fprintf(stderr, "back end %s: %s\n", variable("BACK_END"), message.c_str());
    abort();
}

std::string with_options_of_pass(const char *options) {
    std::string all = options ? options : "";
    return is_for_unoptimized_code(variable("BACK_END")) ? all + " -cl-opt-disable" : all;
}

void forget(cl_program program) {
    auto known = rewritten.find(program);
    if (known == rewritten.end())
        return;
    below->clReleaseProgram(known->second.program);
    rewritten.erase(known);
}

// Rewrites what the driver made of a program, for its only device.
void rewrite_program(cl_program program) {
    cl_context context;
    cl_device_id device;
    size_t size;
    if (below->clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, nullptr) ||
        below->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, nullptr) ||
        below->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr))
        die("the driver has no binary of a program for one device");
    std::vector<unsigned char> bytes(size);
    unsigned char *binary = bytes.data();
    if (below->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, nullptr))
        die("the driver does not give the binary of a program");
    Rewriting rewriting = rewrite(bytes, variable("BACK_END"));
    if (!rewriting.mistake.empty())
        die(rewriting.mistake);
    const unsigned char *code = rewriting.bitcode.data();
    const size_t length = rewriting.bitcode.size();
    cl_int status, error;
    cl_program other = below->clCreateProgramWithBinary(context, 1, &device, &length, &code, &status, &error);
    if (error || status || below->clBuildProgram(other, 1, &device, "", nullptr, nullptr))
        die("the driver does not take the rewritten program");
    forget(program);
    rewritten[program] = {other, rewriting.changed};
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                         void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    std::lock_guard<std::mutex> guard(lock);
    cl_int error =
        below->clBuildProgram(program, count, devices, with_options_of_pass(options).c_str(), nullptr, nullptr);
    if (!error)
        rewrite_program(program);
    if (notify)
        notify(program, data);
    return error;
}

cl_int CL_API_CALL compile(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                           cl_uint headers, const cl_program *header_programs, const char **header_names,
                           void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    return below->clCompileProgram(program, count, devices, with_options_of_pass(options).c_str(), headers,
                                   header_programs, header_names, notify, data);
}

cl_program CL_API_CALL link(cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
                            cl_uint parts, const cl_program *programs, void(CL_CALLBACK *notify)(cl_program, void *),
                            void *data, cl_int *error) {
    std::lock_guard<std::mutex> guard(lock);
    cl_int own;
    cl_program program =
        below->clLinkProgram(context, count, devices, options, parts, programs, nullptr, nullptr, &own);
    const bool is_library = options && strstr(options, "-create-library");
    if (program && !own && !is_library)
        rewrite_program(program);
    if (notify)
        notify(program, data);
    if (error)
        *error = own;
    return program;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error) {
    std::lock_guard<std::mutex> guard(lock);
    auto known = rewritten.find(program);
    return below->clCreateKernel(known == rewritten.end() ? program : known->second.program, name, error);
}

cl_int CL_API_CALL create_kernels(cl_program program, cl_uint count, cl_kernel *kernels, cl_uint *needed) {
    std::lock_guard<std::mutex> guard(lock);
    auto known = rewritten.find(program);
    return below->clCreateKernelsInProgram(known == rewritten.end() ? program : known->second.program, count, kernels,
                                           needed);
}

// Logs that a kernel is launched, and whether the pass changed it.
cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *items, const size_t *group, cl_uint events, const cl_event *wait,
                          cl_event *event) {
    {
        std::lock_guard<std::mutex> guard(lock);
        char name[256] = "";
        cl_program program = nullptr;
        below->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
        below->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
        for (const auto &known : rewritten)
            if (known.second.program == program)
                log_line(std::string("kernel ") + name + (known.second.changed.count(name) ? " changed" : " same"));
    }
    return below->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, items, group, events, wait, event);
}

cl_int CL_API_CALL release(cl_program program) {
    std::lock_guard<std::mutex> guard(lock);
    cl_uint references = 0;
    below->clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references, nullptr);
    if (references == 1)
        forget(program);
    return below->clReleaseProgram(program);
}

} // namespace

static void wrap() {
    layer.clBuildProgram = build;
    layer.clCompileProgram = compile;
    layer.clLinkProgram = link;
    layer.clCreateKernel = create_kernel;
    layer.clCreateKernelsInProgram = create_kernels;
    layer.clReleaseProgram = release;
    layer.clEnqueueNDRangeKernel = launch;
}
