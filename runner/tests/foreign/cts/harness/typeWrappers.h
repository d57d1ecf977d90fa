#pragma once
#include <CL/opencl.h>

// Owns an object of OpenCL.
template <typename T, cl_int(CL_API_CALL *Retain)(T), cl_int(CL_API_CALL *Release)(T)>
class Wrapper {
public:
    Wrapper() = default;
    Wrapper(T owned): object(owned) {}
    Wrapper(const Wrapper &other): object(other.object)
    {
        if (object) Retain(object);
    }
    Wrapper &operator=(T owned)
    {
        if (object) Release(object);
        object = owned;
        return *this;
    }
    ~Wrapper()
    {
        if (object) Release(object);
    }
    operator T() const { return object; }
    T *operator&() { return &object; }

private:
    T object = nullptr;
};

using clProgramWrapper = Wrapper<cl_program, clRetainProgram, clReleaseProgram>;
using clKernelWrapper = Wrapper<cl_kernel, clRetainKernel, clReleaseKernel>;
using clMemWrapper = Wrapper<cl_mem, clRetainMemObject, clReleaseMemObject>;
