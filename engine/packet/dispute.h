/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two readings of a connection. A packet claims that a side has sent more than its captured packets show. Either the
 * capture lost the packets between, or the packet is forged and both ends ignore it. The packet and all later packets
 * of the connection wait here until enough of them agree with the claim, or contradict it. Then the caller takes them
 * in their order, so the result does not depend on the wait. Memory: at most DISPUTE_PACKETS packets, and little more
 * than DISPUTE_OCTETS.
 */
#ifndef IWARP_ENGINE_PACKET_DISPUTE_H
#define IWARP_ENGINE_PACKET_DISPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DISPUTE_PACKETS = 64,
    DISPUTE_OCTETS = 256 << 10,
    DISPUTE_APART_NS = 3000000, /* both directions of a link may be captured this far apart */
};

enum dispute_vote {
    DISPUTE_NEUTRAL,
    DISPUTE_AHEAD,  /* the packet agrees with the claim */
    DISPUTE_BEHIND, /* only a side that has not come as far as claimed sends this */
};

enum dispute_reading {
    DISPUTE_OPEN,  /* wait for more packets */
    DISPUTE_TRUE,  /* the capture lost packets: take all */
    DISPUTE_FALSE, /* packets that agree with the claim were not received by anybody */
};

/* A packet that waits; the beginning of the caller's structure. */
struct dispute_item {
    struct dispute_item *next;
    size_t size;
    bool ahead;
};

struct dispute {
    bool open;
    unsigned about; /* the side that is said to have come further */
    unsigned kind;  /* the caller's */
    uint64_t at;    /* as far as this */
    uint64_t sent;  /* how far its packets that wait have come without a gap */
    bool wild;      /* no packet of this connection makes the claim plausible: one side alone has to insist */
    bool reached;   /* `sent` has reached `at`: from then on, the side's packets agree with a false claim, too */
    int64_t since_ns;
    unsigned ahead[2], behind[2]; /* votes, by side */
    unsigned n;
    size_t octets;
    struct dispute_item *first, *last;
};

/* about, kind, at, sent, wild and since_ns are those of `claim`. */
void dispute_begin(struct dispute *dispute, const struct dispute *claim);
/* The side's packets have come to `end` without a gap. True: they have reached the claim. */
bool dispute_reach(struct dispute *dispute, uint64_t end);
/* Room for an item of that size at the end of the queue; the caller fills in what follows dispute_item. NULL: no
 * memory. */
struct dispute_item *dispute_add(struct dispute *dispute, size_t size, unsigned side, enum dispute_vote vote);
enum dispute_reading dispute_read(const struct dispute *dispute);
/* No more packets will come. */
enum dispute_reading dispute_read_last(const struct dispute *dispute);
/* Ends the dispute. Returns the first item; the caller frees each with free(). */
struct dispute_item *dispute_end(struct dispute *dispute);
void dispute_free(struct dispute *dispute);

#endif
