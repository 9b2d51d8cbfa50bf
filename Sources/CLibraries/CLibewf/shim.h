#include <libewf.h>

#include "../LoadedLibrary.h"

#define LIBEWF_FUNCTIONS(each) \
  each(libewf_error_free) each(libewf_error_sprint) each(libewf_glob) each(libewf_glob_free) \
  each(libewf_handle_close) each(libewf_handle_free) each(libewf_handle_get_bytes_per_sector) \
  each(libewf_handle_get_checksum_error) each(libewf_handle_get_md5_hash) each(libewf_handle_get_media_size) \
  each(libewf_handle_get_number_of_checksum_errors) each(libewf_handle_get_utf8_header_value) \
  each(libewf_handle_initialize) each(libewf_handle_open) each(libewf_handle_read_random)
LOADED_LIBRARY(Libewf, libewf_find, LIBEWF_FUNCTIONS)
