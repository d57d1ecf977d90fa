#include "address_spaces.h"

#include "harness/deviceInfo.h"
#include "harness/errorHelpers.h"
#include "harness/kernelHelpers.h"

#include <cstdio>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

// How a device says that it has an optional part of the language.
struct Need
{
    unsigned flag;
    const char *name;
    // Features of OpenCL C 3.0, with spaces between them.
    const char *features;
    // The extension that had it before.
    const char *extension;
    // What is not zero where a device has it; 0 where nothing is to be asked.
    cl_device_info asked;
};

const Need all_needs[] = {
@TABLE@};

// What a device says of itself.
struct Support
{
    cl_device_id device;
    std::set<int> versions;
    std::set<std::string> features;
};

cl_int names_and_versions(cl_device_id device, cl_device_info asked,
                          std::vector<cl_name_version> &entries)
{
    size_t size = 0;
    cl_int error = clGetDeviceInfo(device, asked, 0, nullptr, &size);
    if (error != CL_SUCCESS || size == 0) return error;
    entries.resize(size / sizeof(cl_name_version));
    return clGetDeviceInfo(device, asked, size, entries.data(), nullptr);
}

cl_int ask(cl_device_id device, Support &support)
{
    support.device = device;
    if (get_device_cl_version(device) < Version(3, 0))
    {
        const Version newest = get_device_cl_c_version(device);
        for (int version : { 110, 120, 200 })
        {
            if (newest >= Version(version / 100, version / 10 % 10))
            {
                support.versions.insert(version);
            }
        }
        return CL_SUCCESS;
    }

    std::vector<cl_name_version> versions;
    cl_int error =
        names_and_versions(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, versions);
    if (error != CL_SUCCESS) return error;
    for (const cl_name_version &entry : versions)
    {
        support.versions.insert(
            static_cast<int>(CL_VERSION_MAJOR(entry.version) * 100
                             + CL_VERSION_MINOR(entry.version) * 10));
    }

    std::vector<cl_name_version> features;
    error = names_and_versions(device, CL_DEVICE_OPENCL_C_FEATURES, features);
    for (const cl_name_version &entry : features)
    {
        support.features.insert(entry.name);
    }
    return error;
}

bool has(const Support &support, const Need &need, int version)
{
    const bool says_features = version >= 300 || !support.features.empty();
    if (says_features && version >= 200 && need.features[0] != '\0')
    {
        std::istringstream names(need.features);
        std::string name;
        while (names >> name)
        {
            if (support.features.count(name) == 0) return false;
        }
        return true;
    }
    const bool has_extension = need.extension[0] != '\0';
    if (has_extension && is_extension_available(support.device, need.extension))
    {
        return true;
    }
    if (need.asked != 0)
    {
        // As wide as the widest answer.
        cl_ulong answer = 0;
        const cl_int error = clGetDeviceInfo(
            support.device, need.asked, sizeof(answer), &answer, nullptr);
        return error == CL_SUCCESS && answer != 0;
    }
    // A device of 2.x has no choice.
    return !has_extension;
}

// What the device lacks for a program; empty where it has all of it.
std::string lacks(const Support &support, const Case &test)
{
    if (support.versions.count(test.version) == 0)
    {
        return "OpenCL C "
            + Version(test.version / 100, test.version / 10 % 10).to_string();
    }
    if (test.version >= 300)
    {
        const std::string generic = "__opencl_c_generic_address_space";
        const std::string globals = "__opencl_c_program_scope_global_variables";
        const bool has_generic = support.features.count(generic) > 0;
        const bool has_globals = support.features.count(globals) > 0;
        if (has_generic != test.generic_address_space)
        {
            return (has_generic ? "a device without " : "") + generic;
        }
        if (has_globals != test.program_scope_globals)
        {
            return (has_globals ? "a device without " : "") + globals;
        }
    }
    for (const Need &need : all_needs)
    {
        if ((test.needs & need.flag) && !has(support, need, test.version))
        {
            return need.name;
        }
    }
    if (test.launch_count > 0)
    {
        cl_bool is_little = CL_FALSE;
        clGetDeviceInfo(support.device, CL_DEVICE_ENDIAN_LITTLE,
                        sizeof(is_little), &is_little, nullptr);
        if (!is_little) return "the order of bytes that values are written in";
    }
    return "";
}

test_status build(cl_device_id device, cl_context context, const Case &test,
                  clProgramWrapper &program)
{
    const char *source = test.source;
    cl_int error = create_single_kernel_helper_create_program(
        context, &program, 1, &source, test.options);
    test_error_ret(error, "Unable to create the program", TEST_FAIL);

    error = clBuildProgram(program, 1, &device, test.options, nullptr, nullptr);
    if (error != CL_SUCCESS)
    {
        size_t size = 0;
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr,
                              &size);
        std::string log(size, '\0');
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size,
                              &log[0], nullptr);
        log_error("%s\n%s\n", source, log.c_str());
    }
    test_error_ret(error, "Unable to build the program", TEST_FAIL);

    size_t count = 0;
    error = clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count),
                             &count, nullptr);
    test_error_ret(error, "Unable to count the kernels", TEST_FAIL);
    if (count == 0) return TEST_PASS;

    std::vector<cl_kernel> kernels(count);
    error = clCreateKernelsInProgram(program, static_cast<cl_uint>(count),
                                     kernels.data(), nullptr);
    test_error_ret(error, "Unable to create the kernels", TEST_FAIL);
    for (cl_kernel kernel : kernels) clReleaseKernel(kernel);
    return TEST_PASS;
}

// Whether the device executes groups that large.
bool fits(cl_device_id device, cl_kernel kernel, const Launch &launch)
{
    size_t most = 0;
    const cl_int error =
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                 sizeof(most), &most, nullptr);
    return error == CL_SUCCESS
        && launch.group[0] * launch.group[1] * launch.group[2] <= most;
}

test_status compare(cl_command_queue queue, cl_mem buffer, cl_uint number,
                    const Argument &argument)
{
    std::vector<unsigned char> seen(argument.size);
    const cl_int error =
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, argument.size,
                            seen.data(), 0, nullptr, nullptr);
    test_error_ret(error, "Unable to read a buffer", TEST_FAIL);

    const unsigned char *expected =
        static_cast<const unsigned char *>(argument.after);
    for (size_t at = 0; at < argument.size; at += argument.element)
    {
        if (memcmp(&seen[at], &expected[at], argument.element) == 0) continue;
        std::string is, was;
        for (size_t byte = at + argument.element; byte-- > at;)
        {
            char digits[3];
            snprintf(digits, sizeof(digits), "%02x", expected[byte]);
            is += digits;
            snprintf(digits, sizeof(digits), "%02x", seen[byte]);
            was += digits;
        }
        log_error("argument %u, element %zu: 0x%s, expected 0x%s\n", number,
                  at / argument.element, was.c_str(), is.c_str());
        return TEST_FAIL;
    }
    return TEST_PASS;
}

test_status execute(cl_device_id device, cl_context context,
                    cl_command_queue queue, cl_program program,
                    const Launch &launch)
{
    cl_int error = CL_SUCCESS;
    clKernelWrapper kernel = clCreateKernel(program, launch.kernel, &error);
    test_error_ret(error, "Unable to create the kernel", TEST_FAIL);
    if (!fits(device, kernel, launch)) return TEST_SKIPPED_ITSELF;

    std::vector<clMemWrapper> buffers(launch.argument_count);
    for (cl_uint number = 0; number < launch.argument_count; number++)
    {
        const Argument &argument = launch.arguments[number];
        if (argument.kind == Argument::Buffer)
        {
            buffers[number] = clCreateBuffer(
                context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                argument.size, const_cast<void *>(argument.before), &error);
            test_error_ret(error, "Unable to create a buffer", TEST_FAIL);
        }
        const bool is_local_or_value = argument.kind == Argument::Local
            || argument.kind == Argument::Value;
        error = is_local_or_value
            ? clSetKernelArg(kernel, number, argument.size, argument.before)
            : clSetKernelArg(kernel, number, sizeof(cl_mem), &buffers[number]);
        test_error_ret(error, "Unable to set an argument", TEST_FAIL);
    }

    error = clEnqueueNDRangeKernel(queue, kernel, launch.dimensions, nullptr,
                                   launch.items, launch.group, 0, nullptr,
                                   nullptr);
    test_error_ret(error, "Unable to enqueue the kernel", TEST_FAIL);
    error = clFinish(queue);
    test_error_ret(error, "Unable to finish the queue", TEST_FAIL);

    test_status status = TEST_PASS;
    for (cl_uint number = 0; number < launch.argument_count; number++)
    {
        const Argument &argument = launch.arguments[number];
        if (argument.kind != Argument::Buffer) continue;
        if (compare(queue, buffers[number], number, argument) != TEST_PASS)
        {
            status = TEST_FAIL;
        }
    }
    return status;
}

test_status run_case(const Support &support, cl_context context,
                     cl_command_queue queue, const Case &test)
{
    const std::string lacking = lacks(support, test);
    if (!lacking.empty())
    {
        log_info("%s: skipped, it needs %s\n", test.id, lacking.c_str());
        return TEST_SKIPPED_ITSELF;
    }
    clProgramWrapper program;
    test_status status = build(support.device, context, test, program);
    for (size_t i = 0; status == TEST_PASS && i < test.launch_count; i++)
    {
        const test_status executed = execute(support.device, context, queue,
                                             program, test.launches[i]);
        if (executed == TEST_FAIL) status = TEST_FAIL;
    }
    if (status != TEST_PASS) log_error("FAILED %s\n", test.id);
    return status;
}

} // anonymous namespace

int run_cases(cl_device_id device, cl_context context, cl_command_queue queue,
              const Case *cases, size_t count)
{
    Support support;
    const cl_int error = ask(device, support);
    test_error_ret(error, "Unable to ask for OpenCL C's versions", TEST_FAIL);

    size_t passed = 0, failed = 0, skipped = 0;
    for (size_t i = 0; i < count; i++)
    {
        switch (run_case(support, context, queue, cases[i]))
        {
            case TEST_PASS: passed++; break;
            case TEST_SKIPPED_ITSELF: skipped++; break;
            default: failed++; break;
        }
    }
    log_info("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
    if (failed > 0) return TEST_FAIL;
    return passed > 0 ? TEST_PASS : TEST_SKIPPED_ITSELF;
}
