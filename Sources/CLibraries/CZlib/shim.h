#include <zlib.h>

#include "../LoadedLibrary.h"

#define ZLIB_FUNCTIONS(each) \
  each(inflate) each(inflateEnd) each(inflateInit2_) each(inflateReset)
LOADED_LIBRARY(Zlib, zlib_find, ZLIB_FUNCTIONS)
