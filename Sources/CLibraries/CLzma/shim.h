#include <lzma.h>

#include "../LoadedLibrary.h"

#define LIBLZMA_FUNCTIONS(each) \
  each(lzma_code) each(lzma_end) each(lzma_stream_decoder)
LOADED_LIBRARY(Liblzma, liblzma_find, LIBLZMA_FUNCTIONS)
