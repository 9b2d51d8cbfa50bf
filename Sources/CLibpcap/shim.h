#include <dlfcn.h>
#include <pcap/pcap.h>
#include <stdbool.h>

// The functions that are used: the list is all that there is to change for another one.
#define LIBPCAP_FUNCTIONS(each) \
  each(pcap_close) each(pcap_compile) each(pcap_datalink) each(pcap_datalink_val_to_description) \
  each(pcap_datalink_val_to_name) each(pcap_fopen_offline) each(pcap_freecode) each(pcap_geterr) \
  each(pcap_offline_filter)

/// libpcap, as it was loaded.
struct Libpcap {
#define FIELD(name) __typeof__(name) *name;
  LIBPCAP_FUNCTIONS(FIELD)
#undef FIELD
};

/// Finds all functions in a library that dlopen(3) loaded; false where one is missing.
static inline bool libpcap_find(struct Libpcap *functions, void *library) {
#define FIND(name) &&(functions->name = (__typeof__(name) *)dlsym(library, #name))
  return library LIBPCAP_FUNCTIONS(FIND);
#undef FIND
}
