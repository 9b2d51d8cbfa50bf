#include <zstd.h>
#include <zstd_errors.h>

#include "../LoadedLibrary.h"

#define LIBZSTD_FUNCTIONS(each) \
  each(ZSTD_DCtx_reset) each(ZSTD_DCtx_setParameter) each(ZSTD_createDCtx) each(ZSTD_decompressStream) \
  each(ZSTD_freeDCtx) each(ZSTD_getErrorCode) each(ZSTD_getErrorName) each(ZSTD_isError)
LOADED_LIBRARY(Libzstd, libzstd_find, LIBZSTD_FUNCTIONS)
