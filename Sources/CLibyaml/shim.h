#include <dlfcn.h>
#include <stdbool.h>
#include <yaml.h>

// The functions that are used: the list is all that there is to change for another one.
#define LIBYAML_FUNCTIONS(each) \
  each(yaml_event_delete) each(yaml_parser_delete) each(yaml_parser_initialize) each(yaml_parser_parse) \
  each(yaml_parser_set_encoding) each(yaml_parser_set_input_string)

/// libyaml, as it was loaded.
struct Libyaml {
#define FIELD(name) __typeof__(name) *name;
  LIBYAML_FUNCTIONS(FIELD)
#undef FIELD
};

/// Finds all functions in a library that dlopen(3) loaded; false where one is missing.
static inline bool libyaml_find(struct Libyaml *functions, void *library) {
#define FIND(name) &&(functions->name = (__typeof__(name) *)dlsym(library, #name))
  return library LIBYAML_FUNCTIONS(FIND);
#undef FIND
}
