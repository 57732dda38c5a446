/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What surrounds RDMA in a capture, by pairs of hosts: ICMP about their packets, VLAN tags, MAC addresses and traffic
 * classes; pause frames; cut packets. Memory: bounded, some 1 MB; the pairs heard last are kept.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_AROUND_H
#define IWARP_CONFORMANCE_TROUBLE_AROUND_H

#include "conformance/trouble/facts_path.h"
#include "engine/packet/decap.h"

enum { AROUND_TAGS = 2, AROUND_ICMP = 4, AROUND_PAUSERS = 16, AROUND_PRIORITIES = 8 };

struct around_repeated {
    uint32_t n;
    struct trouble_event first;
};

/* VLAN IDs of a packet, the outermost first. */
struct around_tags {
    uint32_t frame; /* 0: no packet so far */
    uint8_t n;
    uint16_t vlan[AROUND_TAGS];
};

/* ICMP about packets of TCP to one port, or of RoCE v2. */
struct around_icmp {
    struct around_repeated all; /* n 0: unused */
    struct trouble_event last;
    struct endpoint from; /* the sender of the ICMP; port 0 */
    enum around_icmp_kind { AROUND_UNREACHABLE, AROUND_PROHIBITED, AROUND_NO_PORT, AROUND_TOO_BIG } kind;
    bool tcp;      /* else UDP */
    uint16_t port; /* to which the packets were sent */
    uint32_t mtu;  /* AROUND_TOO_BIG; 0: not told */
};

/* What one host of a pair sends to the other. */
struct around_way {
    uint8_t mac[6], to_mac[6];  /* of its first packet */
    bool mac_known;             /* they are Ethernet addresses */
    struct around_repeated own; /* packets to the sender's own MAC address */
    struct around_tags tags;    /* of its first packet */
    uint8_t dscp;               /* of its first packet with a part of a message; packets with the same, and others: */
    uint32_t same, differing;
    struct trouble_event dscp_first;
    struct around_icmp icmp[AROUND_ICMP]; /* about its packets */
};

struct around_pair {
    struct endpoint host[2]; /* ports are 0 */
    uint32_t used;           /* 0: unused; grows with each packet */
    struct around_way way[2];
};

/* Pause frames (IEEE 802.3 annex 31B, 802.1Qbb) of one sender. */
struct around_pauser {
    uint8_t mac[6];
    struct around_repeated all; /* frames that ask to pause; n 0: unused */
    uint32_t of[AROUND_PRIORITIES];
    bool pausing; /* a pause began at since_ns and lasts until until_ns at most; no packet has ended it yet */
    int64_t since_ns, until_ns;
    uint64_t paused_ns;
};

/* Packets of one MAC address that are neither TCP nor RoCE: the first tags, and the first that differ from these. */
struct around_mac {
    uint8_t mac[6];
    uint32_t used; /* 0: unused */
    struct around_tags first, other;
};

struct around {
    struct around_pauser pauser[AROUND_PAUSERS];
    unsigned pausing;      /* pausers that are pausing */
    uint64_t cut, shorter; /* packets shorter than their headers say; of these, those that the file does not call cut */
    uint32_t longest;      /* captured octets of the longest of these */
    struct trouble_event cut_first; /* the first of these */
    uint32_t now;                   /* packets so far, for `used` */
    struct around_table *table;
};

/* NULL: out of memory. */
struct around *around_new(void);
void around_free(struct around *around);
/* Frees most of the memory. Call it when the capture has ended and the text about its trouble is complete. */
void around_forget(struct around *around);
/* A packet, as decap_packet() has understood it. */
void around_packet(struct around *around, const struct packet *packet, enum decap_status status,
                   const struct addressed_segment *segment, const struct ib_datagram *ib);
/* NULL: nothing is known. Ports do not matter. */
const struct around_pair *around_find(const struct around *around, const struct endpoint *a, const struct endpoint *b);
/* What this host of the pair sends. */
const struct around_way *around_way_of(const struct around_pair *pair, const struct endpoint *sender);
const struct around_mac *around_find_mac(const struct around *around, const uint8_t mac[6]);

#endif
