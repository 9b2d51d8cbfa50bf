#include <sqlite3.h>

#include "../LoadedLibrary.h"

#define LIBSQLITE_FUNCTIONS(each) \
  each(sqlite3_bind_blob64) each(sqlite3_bind_double) each(sqlite3_bind_int64) each(sqlite3_bind_null) \
  each(sqlite3_bind_text64) each(sqlite3_busy_timeout) each(sqlite3_changes) each(sqlite3_close_v2) \
  each(sqlite3_column_blob) each(sqlite3_column_bytes) each(sqlite3_column_count) each(sqlite3_column_double) \
  each(sqlite3_column_int64) each(sqlite3_column_text) each(sqlite3_column_type) each(sqlite3_create_function_v2) \
  each(sqlite3_db_config) each(sqlite3_db_readonly) each(sqlite3_errmsg) each(sqlite3_exec) each(sqlite3_finalize) \
  each(sqlite3_open_v2) each(sqlite3_prepare_v2) each(sqlite3_reset) each(sqlite3_result_int) each(sqlite3_step) \
  each(sqlite3_system_errno) each(sqlite3_user_data) each(sqlite3_value_bytes) each(sqlite3_value_text) each(sqlite3_value_type)
LOADED_LIBRARY(Libsqlite, libsqlite_find, LIBSQLITE_FUNCTIONS)

/// Without this, a name in double quotes that no column has is a text. Swift cannot call a function with `...`.
static inline void libsqlite_refuse_quoted_texts(struct Libsqlite functions, sqlite3 *connection) {
  functions.sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (void *)0);
  functions.sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (void *)0);
}
