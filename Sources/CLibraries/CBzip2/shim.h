#include <bzlib.h>

#include "../LoadedLibrary.h"

#define LIBBZ2_FUNCTIONS(each) \
  each(BZ2_bzDecompress) each(BZ2_bzDecompressEnd) each(BZ2_bzDecompressInit)
LOADED_LIBRARY(Libbz2, libbz2_find, LIBBZ2_FUNCTIONS)
