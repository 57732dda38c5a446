/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a packet as captured to a TCP segment: link layer, VLAN tags, IPv4 and IPv6 with their options, extension
 * headers and fragments, TCP header. TCP checksums are not verified: captures on the sending host hold partial ones
 * (offload).
 */
#ifndef IWARP_CONFORMANCE_DECAP_H
#define IWARP_CONFORMANCE_DECAP_H

#include "conformance/capture.h"
#include "engine/connections.h"

enum decap_status {
    DECAP_TCP,
    DECAP_OTHER,     /* no TCP in it */
    DECAP_FRAGMENT,  /* a fragment, kept until the rest comes */
    DECAP_CUT,       /* the snap length cut the headers, or a length field points outside the packet */
    DECAP_MALFORMED, /* a header contradicts itself */
    DECAP_LINKTYPE,  /* link type not known here */
    DECAP_STATUS_COUNT
};

struct decap;

/* fragment_limit: octets of incomplete datagrams kept; 0 takes the default (4 MiB). NULL when memory is lacking. */
struct decap *decap_new(size_t fragment_limit);
void decap_free(struct decap *decap);
/* out->segment.side is not set. out->segment.payload is valid as long as packet->data is and until the next call. */
enum decap_status decap_packet(struct decap *decap, const struct packet *packet, struct addressed_segment *out);

/* True when decap_packet knows the link type. */
bool decap_knows_linktype(int linktype);

enum { ENDPOINT_TEXT_SIZE = 64 };
/* "192.0.2.1:4420", "[2001:db8::1]:4420". Returns text. */
char *endpoint_text(const struct endpoint *endpoint, char text[ENDPOINT_TEXT_SIZE]);

#endif
