/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One limit for the state of all shares of a capture. Now and then, between two packets, the reader waits until all
 * shares have caught up, adds up their state, and sets the limits beyond which state is dropped. The time of the next
 * sum depends only on the capture, and so does what is dropped, not on threads or shares.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_BUDGET_H
#define IWARP_CONFORMANCE_CHECK_CHECK_BUDGET_H

#include "conformance/check/check_share.h"

/* --memory-limit, and the limits derived from it. */
#define BUDGET_DEFAULT ((size_t)512 << 20)
enum {
    BUDGET_CONNECTION = 8 << 10, /* octets of the limit per connection that has ended and is still remembered */
    BUDGET_AWAKE = 48 << 10,     /* octets that a packet can add by opening a connection, or waking a parked one */
    BUDGET_AWAKE_PART =
        16, /* the fraction of `connections` for those that are not parked, once all together take half */
    BUDGET_UNPAIRED = 32 << 10, /* octets of the limit per queue pair without a counterpart */
    BUDGET_HELD = 4,            /* the fraction of the limit for packets that wait for others */
    BUDGET_LISTED = 4,          /* the fraction of the limit for ended connections; as much again for their findings */
    BUDGET_LEAST = 64,          /* the minimum of each kind, for any limit */
    BUDGET_STEPS = 16,          /* a limit may be exceeded by this fraction of itself, or */
    BUDGET_STEP = 256,          /* by the state of this many packets */
};

struct budget {
    size_t limit, held;       /* octets */
    size_t connections;       /* octets of open connections */
    unsigned ended, unpaired; /* how many may be kept */
    uint32_t packets;         /* until the next sum */
    int64_t octets;           /* until the next sum */
    /* In this part of the capture: the frame where the limit was first reached; 0: never. */
    uint32_t cut_short_frame, held_frame;
};

/* limit: from the user; 0: the default. */
void budget_init(struct budget *budget, size_t limit);

/* Call it for each packet for a share. True: call budget_settle() before the packet. */
static inline bool budget_is_due(struct budget *budget, uint32_t captured)
{
    enum { PACKET = 1024 }; /* the most that keeping a packet takes besides its octets */

    budget->octets -= PACKET + (int64_t)captured;
    return budget->packets-- == 0 || budget->octets < 0;
}

/*
 * The shares must be idle, and have processed everything up to that frame and time. n: number of shares; some may be
 * NULL.
 */
void budget_settle(struct budget *budget, struct share *const *shares, unsigned n, uint32_t frame, int64_t now_ns);

/* A message for the user; g_free() it. n: connections that were dropped, or queue pairs that were forgotten. */
gchar *budget_cut_short_text(const struct budget *budget, const char *file, uint64_t n);
/* Only if budget->held_frame > 0. */
gchar *budget_held_text(const struct budget *budget, const char *file);

#endif
