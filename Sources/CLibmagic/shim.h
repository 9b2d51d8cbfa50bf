#include <dlfcn.h>
#include <magic.h>
#include <stdbool.h>

// The functions that are used: the list is all that there is to change for another one.
#define LIBMAGIC_FUNCTIONS(each) \
  each(magic_open) each(magic_load) each(magic_buffer) each(magic_setflags) each(magic_close)

/// libmagic, as it was loaded.
struct Libmagic {
#define FIELD(name) __typeof__(name) *name;
  LIBMAGIC_FUNCTIONS(FIELD)
#undef FIELD
};

/// Finds all functions in a library that dlopen(3) loaded; false where one is missing.
static inline bool libmagic_find(struct Libmagic *functions, void *library) {
#define FIND(name) &&(functions->name = (__typeof__(name) *)dlsym(library, #name))
  return library LIBMAGIC_FUNCTIONS(FIND);
#undef FIND
}
