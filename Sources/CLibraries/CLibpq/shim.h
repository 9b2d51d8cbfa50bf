#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <pgsql/libpq-fe.h>
#endif

#include "../LoadedLibrary.h"

#define LIBPQ_FUNCTIONS(each) \
  each(PQclear) each(PQcmdStatus) each(PQcmdTuples) each(PQconnectdbParams) each(PQconninfoFree) \
  each(PQconninfoParse) each(PQerrorMessage) each(PQescapeLiteral) each(PQexec) each(PQexecParams) each(PQfinish) \
  each(PQfreemem) each(PQftype) each(PQgetCopyData) each(PQgetResult) each(PQgetisnull) each(PQgetlength) \
  each(PQgetvalue) each(PQnfields) each(PQntuples) each(PQputCopyData) each(PQputCopyEnd) each(PQresultErrorField) \
  each(PQresultStatus) each(PQserverVersion) each(PQsetNoticeReceiver) each(PQstatus)
LOADED_LIBRARY(Libpq, libpq_find, LIBPQ_FUNCTIONS)
