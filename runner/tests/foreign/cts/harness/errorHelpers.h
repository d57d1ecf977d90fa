#pragma once
#include <cstdio>

#define log_info printf
#define log_error printf
#define test_error_ret(errCode, msg, retValue)                                 \
    {                                                                          \
        if (errCode != CL_SUCCESS)                                             \
        {                                                                      \
            log_error("ERROR: %s! (%d from %s:%d)\n", msg, errCode, __FILE__,  \
                      __LINE__);                                               \
            return retValue;                                                   \
        }                                                                      \
    }
