#if __has_include(<mariadb/mysql.h>)
#include <mariadb/mysql.h>
#elif __has_include(<mysql/mysql.h>)
#include <mysql/mysql.h>
#else
#include <mysql.h>
#endif

#include "../LoadedLibrary.h"

#define LIBMARIADB_FUNCTIONS(each) \
  each(mysql_affected_rows) each(mysql_close) each(mysql_errno) each(mysql_error) each(mysql_fetch_fields) \
  each(mysql_fetch_lengths) each(mysql_fetch_row) each(mysql_field_count) each(mysql_free_result) \
  each(mysql_get_server_info) each(mysql_get_server_version) each(mysql_get_ssl_cipher) each(mysql_init) \
  each(mysql_num_fields) each(mysql_options) each(mysql_options4) each(mysql_real_connect) each(mysql_real_query) \
  each(mysql_server_init) each(mysql_set_local_infile_handler) each(mysql_sqlstate) each(mysql_thread_id) \
  each(mysql_use_result) each(mysql_warning_count)
LOADED_LIBRARY(Libmariadb, libmariadb_find, LIBMARIADB_FUNCTIONS)
