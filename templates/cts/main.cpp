#include "harness/testHarness.h"

int main(int argc, const char *argv[])
{
    return runTestHarness(argc, argv, test_registry::getInstance().num_tests(),
                          test_registry::getInstance().definitions(), false, 0);
}
