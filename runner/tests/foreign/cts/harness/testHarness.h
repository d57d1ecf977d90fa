// What the sources of `address-spaces dev export --layout cts` use of the harness of Khronos' OpenCL-CTS, declared as it is there and
// written for this test: enough to compile and to run them where the CTS is not.
#ifndef STAND_IN_TEST_HARNESS_H
#define STAND_IN_TEST_HARNESS_H

#include <CL/opencl.h>

#include <string>

class Version {
public:
    Version(cl_uint major, cl_uint minor): number(major * 10 + minor) {}
    bool operator<(const Version &other) const { return number < other.number; }
    bool operator>=(const Version &other) const { return number >= other.number; }
    std::string to_string() const;

private:
    cl_uint number;
};

typedef int (*test_function_pointer)(cl_device_id device, cl_context context,
                                     cl_command_queue queue, int num_elements);

struct test_definition
{
    test_function_pointer func;
    const char *name;
    Version min_version;
};

enum test_status
{
    TEST_PASS = 0,
    TEST_FAIL = 1,
    TEST_SKIP = 2,
    TEST_SKIPPED_ITSELF = -100,
};

class test_registry {
public:
    static test_registry &getInstance();
    test_definition *definitions();
    size_t num_tests();
    int add_test(test_function_pointer func, const char *name, Version version);
};

#define REGISTER_TEST_VERSION(name, version)                                   \
    int test_##name(cl_device_id device, cl_context context,                   \
                    cl_command_queue queue, int num_elements);                 \
    int registered_##name = test_registry::getInstance().add_test(             \
        test_##name, #name, version);                                          \
    int test_##name(cl_device_id device, cl_context context,                   \
                    cl_command_queue queue, int num_elements)
#define REGISTER_TEST(name) REGISTER_TEST_VERSION(name, Version(1, 2))

int runTestHarness(int argc, const char *argv[], int testNum,
                   test_definition testList[], int forceNoContextCreation,
                   cl_command_queue_properties queueProps);

Version get_device_cl_version(cl_device_id device);

#endif
