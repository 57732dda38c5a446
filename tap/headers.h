/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which octets of a Send are headers, so that no file data leave the host: the Transport header with its lists, the RPC
 * header, and arguments and results of NFS up to the first file data in the message. For other programs, messages that
 * RPCSEC_GSS protects, and anything unknown to the walker of wire/nfs.h: only the octets before that.
 */
#ifndef IWARP_TAP_HEADERS_H
#define IWARP_TAP_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For one connection: remembers its latest Calls, because a Reply does not name its procedure. */
struct headers;

struct headers *headers_new(void);
void headers_free(struct headers *headers); /* NULL: nothing */
/* The number of octets of the Send p[0..n) that may be written. by_server: its sender. */
size_t headers_length(struct headers *headers, bool by_server, const uint8_t *p, size_t n);

#endif
