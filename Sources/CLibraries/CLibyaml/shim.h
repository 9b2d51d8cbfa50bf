#include <yaml.h>

#include "../LoadedLibrary.h"

#define LIBYAML_FUNCTIONS(each) \
  each(yaml_event_delete) each(yaml_parser_delete) each(yaml_parser_initialize) each(yaml_parser_parse) \
  each(yaml_parser_set_encoding) each(yaml_parser_set_input_string)
LOADED_LIBRARY(Libyaml, libyaml_find, LIBYAML_FUNCTIONS)
