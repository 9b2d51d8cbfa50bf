#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "../LoadedLibrary.h"

#define LIBPCRE2_FUNCTIONS(each) \
  each(pcre2_code_free_8) each(pcre2_compile_8) each(pcre2_get_error_message_8) each(pcre2_get_ovector_pointer_8) \
  each(pcre2_jit_compile_8) each(pcre2_match_8) each(pcre2_match_context_create_8) each(pcre2_match_context_free_8) \
  each(pcre2_match_data_create_from_pattern_8) each(pcre2_match_data_free_8) \
  each(pcre2_pattern_info_8) each(pcre2_set_match_limit_8)
LOADED_LIBRARY(Libpcre2, libpcre2_find, LIBPCRE2_FUNCTIONS)
