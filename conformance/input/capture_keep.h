/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the packets that are judged to a pcap file with nanoseconds. For capture.c. */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_KEEP_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_KEEP_H

#include "conformance/input/capture.h"

#include <pcap/pcap.h>

struct capture_keep;

/* Link type and snap length are those of `like`. NULL with the error set: the file cannot be written. */
struct capture_keep *keep_open(const char *path, pcap_t *like, struct capture_error *error);
/* NULL is ignored. */
void keep_close(struct capture_keep *keep);
void keep_packet(struct capture_keep *keep, const struct packet *packet);
void keep_flush(struct capture_keep *keep);
/* False: something could not be written. */
bool keep_finish(struct capture_keep *keep, struct capture_error *error);

#endif
