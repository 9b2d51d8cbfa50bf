#include <magic.h>

#include "../LoadedLibrary.h"

#define LIBMAGIC_FUNCTIONS(each) \
  each(magic_open) each(magic_load) each(magic_buffer) each(magic_setflags) each(magic_close)
LOADED_LIBRARY(Libmagic, libmagic_find, LIBMAGIC_FUNCTIONS)
