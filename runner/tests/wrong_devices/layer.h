/* A layer of the OpenCL loader: what includes this says in `wrap` which calls are its own. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch *below;
static cl_icd_dispatch layer;

static void wrap(void);

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *needed) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name != CL_LAYER_API_VERSION || (value && size < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (needed)
        *needed = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *own_entries,
                                            const cl_icd_dispatch **own) {
    const cl_uint known = sizeof layer / sizeof layer.clGetPlatformIDs;
    below = target;
    memcpy(&layer, target, (entries < known ? entries : known) * sizeof layer.clGetPlatformIDs);
    wrap();
    *own_entries = known;
    *own = &layer;
    return CL_SUCCESS;
}
