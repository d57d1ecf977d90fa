// Runs registered tests on the first device there is.
#include "harness/deviceInfo.h"
#include "harness/errorHelpers.h"
#include "harness/kernelHelpers.h"
#include "harness/testHarness.h"

#include <cstring>
#include <vector>

static std::vector<test_definition> &all()
{
    static std::vector<test_definition> definitions;
    return definitions;
}

test_registry &test_registry::getInstance()
{
    static test_registry registry;
    return registry;
}

test_definition *test_registry::definitions() { return all().data(); }

size_t test_registry::num_tests() { return all().size(); }

int test_registry::add_test(test_function_pointer func, const char *name,
                            Version version)
{
    all().push_back({ func, name, version });
    return 0;
}

std::string Version::to_string() const
{
    return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

static std::string asked(cl_device_id device, cl_device_info what)
{
    size_t size = 0;
    clGetDeviceInfo(device, what, 0, nullptr, &size);
    std::string text(size, '\0');
    clGetDeviceInfo(device, what, size, &text[0], nullptr);
    return text.c_str();
}

static Version version(const std::string &text, const char *form)
{
    unsigned major = 0, minor = 0;
    sscanf(text.c_str(), form, &major, &minor);
    return Version(major, minor);
}

Version get_device_cl_version(cl_device_id device)
{
    return version(asked(device, CL_DEVICE_VERSION), "OpenCL %u.%u");
}

Version get_device_cl_c_version(cl_device_id device)
{
    return version(asked(device, CL_DEVICE_OPENCL_C_VERSION), "OpenCL C %u.%u");
}

bool is_extension_available(cl_device_id device, const char *extensionName)
{
    const std::string names = " " + asked(device, CL_DEVICE_EXTENSIONS) + " ";
    return names.find(" " + std::string(extensionName) + " ") != std::string::npos;
}

int create_single_kernel_helper_create_program(cl_context context,
                                               cl_program *outProgram,
                                               unsigned int numKernelLines,
                                               const char **kernelProgram,
                                               const char *)
{
    cl_int error = CL_SUCCESS;
    *outProgram = clCreateProgramWithSource(context, numKernelLines,
                                            kernelProgram, nullptr, &error);
    return error;
}

int runTestHarness(int argc, const char *argv[], int testNum,
                   test_definition testList[], int,
                   cl_command_queue_properties)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, nullptr);
    test_error_ret(error, "no platform", 2);
    error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    test_error_ret(error, "no device", 2);
    cl_context context =
        clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    test_error_ret(error, "no context", 2);
    cl_command_queue queue = 
        clCreateCommandQueueWithProperties(context, device, nullptr, &error);
    test_error_ret(error, "no queue", 2);
    int failed = 0;
    for (int i = 0; i < testNum; i++)
    {
        const test_definition &test = testList[i];
        if (argc > 1 && strcmp(argv[1], test.name) != 0) continue;
        if (get_device_cl_version(device) < test.min_version) continue;
        printf("%s...\n", test.name);
        const int status = test.func(device, context, queue, 0);
        const char *word = status == TEST_PASS ? "passed"
            : status == TEST_SKIPPED_ITSELF    ? "skipped"
                                               : "FAILED";
        printf("%s %s\n", test.name, word);
        failed += status != TEST_PASS && status != TEST_SKIPPED_ITSELF;
    }
    return failed > 0;
}
