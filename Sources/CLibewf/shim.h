#include <dlfcn.h>
#include <libewf.h>
#include <stdbool.h>

// The functions that are used: the list is all that there is to change for another one.
#define LIBEWF_FUNCTIONS(each) \
  each(libewf_error_free) each(libewf_error_sprint) each(libewf_get_version) each(libewf_glob) each(libewf_glob_free) \
  each(libewf_handle_close) each(libewf_handle_free) each(libewf_handle_get_bytes_per_sector) \
  each(libewf_handle_get_checksum_error) each(libewf_handle_get_md5_hash) each(libewf_handle_get_media_size) \
  each(libewf_handle_get_number_of_checksum_errors) each(libewf_handle_initialize) each(libewf_handle_open) \
  each(libewf_handle_read_random)

/// libewf, as it was loaded.
struct Libewf {
#define FIELD(name) __typeof__(name) *name;
  LIBEWF_FUNCTIONS(FIELD)
#undef FIELD
};

/// Finds all functions in a library that dlopen(3) loaded; false where one is missing.
static inline bool libewf_find(struct Libewf *functions, void *library) {
#define FIND(name) &&(functions->name = (__typeof__(name) *)dlsym(library, #name))
  return library LIBEWF_FUNCTIONS(FIND);
#undef FIND
}
