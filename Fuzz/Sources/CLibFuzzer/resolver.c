// libpcap resolves the names in a filter. A fuzzer asks no name server: here, no name is known.
#include <netdb.h>
#include <stddef.h>

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  (void)node, (void)service, (void)hints;
  *result = NULL;
  return EAI_NONAME;
}
