#include <lz4frame.h>

#include "../LoadedLibrary.h"

#define LIBLZ4_FUNCTIONS(each) \
  each(LZ4F_createDecompressionContext) each(LZ4F_decompress) each(LZ4F_freeDecompressionContext) \
  each(LZ4F_getErrorName) each(LZ4F_isError) each(LZ4F_resetDecompressionContext)
LOADED_LIBRARY(Liblz4, liblz4_find, LIBLZ4_FUNCTIONS)
