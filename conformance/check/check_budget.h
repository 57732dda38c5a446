/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One limit for what all shares of a capture keep. Now and then, between two packets, the reader waits until all shares
 * have done what came before, adds up what they keep, and draws the lines beyond which something goes. How long it is
 * until then depends on the capture alone, and so does what goes: not on threads, and not on shares.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_BUDGET_H
#define IWARP_CONFORMANCE_CHECK_CHECK_BUDGET_H

#include "conformance/check/check_share.h"

/* --memory-limit, and what there may be of it. */
#define BUDGET_DEFAULT ((size_t)512 << 20)
enum {
    BUDGET_CONNECTION = 8 << 10, /* octets of the limit for each connection that ended and is still known */
    BUDGET_AWAKE = 48 << 10,     /* octets that one packet can add: it begins a connection, or wakes a parked one */
    BUDGET_AWAKE_PART = 8,       /* a part of `connections` for those not parked, once all together take half */
    BUDGET_UNPAIRED = 32 << 10,  /* for each queue pair without counterpart so far */
    BUDGET_HELD = 4,             /* a part of the limit for packets that wait for others */
    BUDGET_LISTED = 4,           /* a part of the limit for connections that are over; as much again with findings */
    BUDGET_LEAST = 64,           /* of each, whatever the limit */
    BUDGET_STEPS = 16,           /* a limit may be exceeded by such a part of it, or */
    BUDGET_STEP = 256,           /* by what so many packets bring */
};

struct budget {
    size_t limit, held;       /* octets */
    size_t connections;       /* octets of those that are open */
    unsigned ended, unpaired; /* so many may be kept */
    uint32_t packets;         /* until it is added up */
    int64_t octets;           /* likewise */
    /* Of this part of the capture: where it was reached first; 0: it was not. */
    uint32_t cut_short_frame, held_frame;
};

/* limit: as given; 0: the default. */
void budget_init(struct budget *budget, size_t limit);

/* With each packet for a share. True: budget_settle() is due before it. */
static inline bool budget_is_due(struct budget *budget, uint32_t captured)
{
    enum { PACKET = 1024 }; /* what keeping one takes besides its octets, at most */

    budget->octets -= PACKET + (int64_t)captured;
    return budget->packets-- == 0 || budget->octets < 0;
}

/* Shares that are not worked on, and have reached that frame and time. n of them; some may be NULL. */
void budget_settle(struct budget *budget, struct share *const *shares, unsigned n, uint32_t frame, int64_t now_ns);

/* For the user; freed with g_free(). n: connections that made room, or queue pairs that were forgotten. */
gchar *budget_cut_short_text(const struct budget *budget, const char *file, uint64_t n);
/* budget->held_frame > 0 */
gchar *budget_held_text(const struct budget *budget, const char *file);

#endif
