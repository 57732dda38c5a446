/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap-filter(7) for the packets written. */
#ifndef IWARP_TRAFFIC_CLI_PACKET_FILTER_H
#define IWARP_TRAFFIC_CLI_PACKET_FILTER_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: *error, for g_free(). Call packet_filter_clear() in either case; all zero is clear. */
bool packet_filter_compile(struct bpf_program *program, const char *filter, char **error);
void packet_filter_clear(struct bpf_program *program);
/* For capture_file_set_filter(); ctx: the program. */
bool packet_filter_matches(void *ctx, const uint8_t *p, size_t n);

#endif
