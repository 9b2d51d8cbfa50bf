#include <pcap/pcap.h>

#include "../LoadedLibrary.h"

#define LIBPCAP_FUNCTIONS(each) \
  each(pcap_close) each(pcap_compile) each(pcap_datalink) each(pcap_datalink_val_to_description) \
  each(pcap_datalink_val_to_name) each(pcap_fopen_offline) each(pcap_freecode) each(pcap_geterr) \
  each(pcap_offline_filter)
LOADED_LIBRARY(Libpcap, libpcap_find, LIBPCAP_FUNCTIONS)
