// The least that reassembly costs: a pcap of Ethernet and IPv4, mapped; flows in one table; what comes early waits in a
// list of its flow. Counts the tuples of 38 bytes in order. No checks, no limits, no gaps. `reassemble CAPTURE`
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { TUPLE = 38, FLOWS = 1 << 20, SYN = 2 };

struct early {
  struct early *next;
  uint32_t sequence, length;
};
struct flow {
  uint64_t addresses;
  uint32_t ports, next;
  uint64_t bytes;
  struct early *early;
};
static struct flow flows[FLOWS];

static uint32_t big(const uint8_t *at) { return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]; }

static struct flow *flow_of(const uint8_t *ip, const uint8_t *tcp) {
  uint64_t addresses;
  uint32_t ports;
  memcpy(&addresses, ip + 12, 8);
  memcpy(&ports, tcp, 4);
  uint64_t index = (addresses ^ (uint64_t)ports << 17) * 0x9E3779B97F4A7C15u >> 44;
  while (flows[index].ports && (flows[index].ports != ports || flows[index].addresses != addresses))
    index = (index + 1) % FLOWS;
  flows[index].ports = ports;
  flows[index].addresses = addresses;
  return &flows[index];
}

// Takes the new bytes of a segment, and says whether it was its turn.
static int take(struct flow *flow, uint32_t sequence, uint32_t length) {
  int32_t early = (int32_t)(sequence - flow->next), fresh = early + (int32_t)length;
  if (early > 0) return 0;
  if (fresh > 0) flow->bytes += fresh, flow->next += fresh;
  return 1;
}

static void segment(struct flow *flow, uint32_t sequence, uint32_t length) {
  if (!take(flow, sequence, length)) {
    struct early *early = malloc(sizeof *early);
    *early = (struct early){flow->early, sequence, length};
    flow->early = early;
    return;
  }
  for (struct early **link = &flow->early; *link;) {
    struct early *one = *link;
    if (!take(flow, one->sequence, one->length)) {
      link = &one->next;
      continue;
    }
    *link = one->next;
    free(one);
    link = &flow->early;
  }
}

static void packet(const uint8_t *frame) {
  const uint8_t *ip = frame + 14, *tcp = ip + (ip[0] & 15) * 4, *data = tcp + (tcp[12] >> 4) * 4;
  uint32_t length = (uint32_t)(ip[2] << 8 | ip[3]) - (uint32_t)(data - ip);
  struct flow *flow = flow_of(ip, tcp);
  if (tcp[13] & SYN) flow->next = big(tcp + 4) + 1;
  else if (length) segment(flow, big(tcp + 4), length);
}

int main(int count, char **words) {
  int file = count == 2 ? open(words[1], O_RDONLY) : -1;
  struct stat status;
  if (file < 0 || fstat(file, &status)) return fputs("usage: reassemble CAPTURE\n", stderr), 64;
  const uint8_t *bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (bytes == MAP_FAILED) return 1;
  for (off_t at = 24; at + 16 <= status.st_size;) {
    uint32_t length;
    memcpy(&length, bytes + at + 8, 4);
    packet(bytes + at + 16);
    at += 16 + length;
  }
  uint64_t tuples = 0;
  for (size_t i = 0; i < FLOWS; i++) tuples += flows[i].bytes / TUPLE;
  printf("%llu\n", (unsigned long long)tuples);
  return 0;
}
