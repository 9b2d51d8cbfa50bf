#include <dlfcn.h>
#include <stdbool.h>

#if __has_include(<mariadb/mysql.h>)
#include <mariadb/mysql.h>
#elif __has_include(<mysql/mysql.h>)
#include <mysql/mysql.h>
#else
#include <mysql.h>
#endif

// The functions that are used: the list is all that there is to change for another one.
#define LIBMARIADB_FUNCTIONS(each) \
  each(mysql_affected_rows) each(mysql_close) each(mysql_errno) each(mysql_error) each(mysql_fetch_fields) \
  each(mysql_fetch_lengths) each(mysql_fetch_row) each(mysql_field_count) each(mysql_free_result) \
  each(mysql_get_server_info) each(mysql_get_server_version) each(mysql_init) \
  each(mysql_num_fields) each(mysql_options) each(mysql_options4) each(mysql_real_connect) each(mysql_real_query) \
  each(mysql_server_init) each(mysql_set_local_infile_handler) each(mysql_sqlstate) each(mysql_thread_id) \
  each(mysql_use_result) each(mysql_warning_count)

/// libmariadb, as it was loaded.
struct Libmariadb {
#define FIELD(name) __typeof__(name) *name;
  LIBMARIADB_FUNCTIONS(FIELD)
#undef FIELD
};

/// Finds all functions in a library that dlopen(3) loaded; false where one is missing.
static inline bool libmariadb_find(struct Libmariadb *functions, void *library) {
#define FIND(name) &&(functions->name = (__typeof__(name) *)dlsym(library, #name))
  return library LIBMARIADB_FUNCTIONS(FIND);
#undef FIND
}
