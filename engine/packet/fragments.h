/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reassembles IP fragments (RFC 791 section 3.2, RFC 8200 section 4.5). Bounded in octets, in datagrams and in time.
 * Fragments that overlap with different contents make the datagram useless, because it is unknown which copy the
 * receiver used; with IPv6, so does any overlap except a plain repetition (RFC 5722).
 */
#ifndef IWARP_ENGINE_PACKET_FRAGMENTS_H
#define IWARP_ENGINE_PACKET_FRAGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fragment_key {
    uint8_t ip; /* 4 or 6 */
    uint8_t source[16], destination[16];
    uint8_t protocol;
    uint32_t id;
    uint32_t network; /* as in struct endpoint */
    uint32_t vlan;    /* the tags around it; 0: none */
    bool wrong;       /* the checksum of the header is wrong */
};

struct fragment {
    uint32_t offset; /* in octets */
    uint32_t length;
    uint32_t captured;
    bool more;
    const uint8_t *octets;
};

struct datagram {
    const uint8_t *octets;     /* valid until the next call */
    uint32_t length, captured; /* captured: octets from the start up to the first gap */
};

enum fragment_status { FRAGMENT_KEPT, FRAGMENT_COMPLETE, FRAGMENT_BAD };

struct fragments;

struct fragments *fragments_new(size_t limit);
void fragments_free(struct fragments *fragments);
/* Datagrams dropped for lack of room since the beginning. */
uint64_t fragments_forgotten(const struct fragments *fragments);
enum fragment_status fragments_add(struct fragments *fragments, const struct fragment_key *key,
                                   const struct fragment *fragment, int64_t time_ns, struct datagram *out);

#endif
