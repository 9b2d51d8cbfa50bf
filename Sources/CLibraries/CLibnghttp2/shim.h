#include <nghttp2/nghttp2.h>

#include "../LoadedLibrary.h"

#define LIBNGHTTP2_FUNCTIONS(each) \
  each(nghttp2_hd_inflate_change_table_size) each(nghttp2_hd_inflate_del) each(nghttp2_hd_inflate_end_headers) \
  each(nghttp2_hd_inflate_hd2) each(nghttp2_hd_inflate_new)
LOADED_LIBRARY(Libnghttp2, libnghttp2_find, LIBNGHTTP2_FUNCTIONS)
