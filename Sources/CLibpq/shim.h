#include <dlfcn.h>
#include <stdbool.h>

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <pgsql/libpq-fe.h>
#endif

// The functions that are used: the list is all that there is to change for another one.
#define LIBPQ_FUNCTIONS(each) \
  each(PQclear) each(PQcmdStatus) each(PQcmdTuples) each(PQconnectdbParams) each(PQconninfoFree) \
  each(PQconninfoParse) each(PQerrorMessage) each(PQescapeLiteral) each(PQexec) each(PQexecParams) each(PQfinish) \
  each(PQfreemem) each(PQftype) each(PQgetCopyData) each(PQgetResult) each(PQgetisnull) each(PQgetlength) \
  each(PQgetvalue) each(PQnfields) each(PQntuples) each(PQputCopyData) each(PQputCopyEnd) each(PQresultErrorField) \
  each(PQresultStatus) each(PQserverVersion) each(PQsetNoticeReceiver) each(PQstatus)

/// libpq, as it was loaded.
struct Libpq {
#define FIELD(name) __typeof__(name) *name;
  LIBPQ_FUNCTIONS(FIELD)
#undef FIELD
};

/// Finds all functions in a library that dlopen(3) loaded; false where one is missing.
static inline bool libpq_find(struct Libpq *functions, void *library) {
#define FIND(name) &&(functions->name = (__typeof__(name) *)dlsym(library, #name))
  return library LIBPQ_FUNCTIONS(FIND);
#undef FIND
}
