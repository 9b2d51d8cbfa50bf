#include "WideBytes.h"

#include <string.h>

// Swift uses registers of 32 bytes only in a program that needs a processor with them; here the program chooses when it
// starts.
#if defined(__x86_64__) && defined(__GLIBC__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

typedef uint8_t Bytes __attribute__((vector_size(32)));
typedef int8_t SignedBytes __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))
