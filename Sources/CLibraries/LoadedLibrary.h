#include <dlfcn.h>
#include <stdbool.h>

// LOADED_LIBRARY(Type, find, LIST): a struct of the functions in the list, and a function that finds all of them in a
// library that dlopen(3) loaded; it returns false where one is missing. The list is all that there is to change for
// another function.
#define LOADED_LIBRARY(Type, find, LIST) \
  struct Type { \
    LIST(LOADED_FIELD) \
  }; \
  static inline bool find(struct Type *functions, void *library) { return library LIST(LOADED_FIND); }
#define LOADED_FIELD(name) __typeof__(name) *name;
#define LOADED_FIND(name) &&(functions->name = (__typeof__(name) *)dlsym(library, #name))
