// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/ib/ib_icrc_senders.h"

#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    SENDERS_FIRST = 64, /* powers of two */
    SENDERS_MAX = 4096,
    PROBES = 16,
    /*
     * A sender whose requests had a right ICRC is ignored only after this many acknowledged packets with a wrong ICRC:
     * a few may have been retransmitted unseen.
     */
    ACKED_MAX = 3
};

struct sender {
    struct ib_address address;
    uint64_t used;      /* when it was last looked up; 0: an empty place */
    bool right;         /* a packet had a right ICRC */
    bool request_right; /* so had a request to a queue pair other than connection management's */
    bool answer_right;  /* so had an Acknowledge or a response */
    bool unused;        /* the sender's ICRC does not count */
    unsigned acked;     /* packets with a wrong ICRC that were received nevertheless */
};

struct ib_icrc_senders {
    struct sender *senders;
    unsigned room;  /* a power of two */
    uint64_t clock; /* one tick for each look-up */
};

struct ib_icrc_senders *ib_icrc_senders_new(void)
{
    struct ib_icrc_senders *senders = heap_zeroed(1, sizeof *senders);

    if (!senders)
        return NULL;
    senders->senders = heap_zeroed(SENDERS_FIRST, sizeof *senders->senders);
    senders->room = SENDERS_FIRST;
    if (senders->senders)
        return senders;
    free(senders);
    return NULL;
}

void ib_icrc_senders_free(struct ib_icrc_senders *senders)
{
    if (!senders)
        return;
    free(senders->senders);
    free(senders);
}

static bool is_sender(const struct sender *sender, const struct ib_address *address)
{
    return sender->used > 0 && sender->address.kind == address->kind && sender->address.network == address->network &&
           memcmp(sender->address.octets, address->octets, sizeof address->octets) == 0;
}

/* The place of the sender, or an empty place; if there is neither, the place of the sender that was idle longest. */
static struct sender *place_of_sender(struct sender *senders, unsigned room, const struct ib_address *address)
{
    uint64_t h = hash_octets(hash_seed + address->kind, address->octets, sizeof address->octets) + address->network;
    struct sender *oldest = NULL;

    for (unsigned i = 0; i < PROBES; i++) {
        struct sender *sender = &senders[((h ^ h >> 32) + i) & (room - 1)];

        if (sender->used == 0 || is_sender(sender, address))
            return sender;
        if (!oldest || sender->used < oldest->used)
            oldest = sender;
    }
    return oldest;
}

static void grow_senders(struct ib_icrc_senders *senders)
{
    unsigned room = 2 * senders->room;
    struct sender *more = heap_zeroed(room, sizeof *more);

    if (!more)
        return;
    for (unsigned i = 0; i < senders->room; i++)
        if (senders->senders[i].used > 0)
            *place_of_sender(more, room, &senders->senders[i].address) = senders->senders[i];
    free(senders->senders);
    senders->senders = more;
    senders->room = room;
}

static struct sender *sender_of(struct ib_icrc_senders *senders, const struct ib_address *address)
{
    struct sender *sender = place_of_sender(senders->senders, senders->room, address);

    if (sender->used > 0 && !is_sender(sender, address) && senders->room < SENDERS_MAX) {
        grow_senders(senders);
        sender = place_of_sender(senders->senders, senders->room, address);
    }
    if (!is_sender(sender, address))
        *sender = (struct sender){.address = *address};
    sender->used = ++senders->clock;
    INVARIANT(sender->acked <= ACKED_MAX);
    return sender;
}

bool ib_icrc_drops(struct ib_icrc_senders *senders, const struct ib_arrival *arrival, enum icrc_status status)
{
    const struct ib_packet *packet = arrival->packet;
    bool answer = packet->info && packet->info->response;
    struct sender *sender = status == ICRC_UNKNOWN ? NULL : sender_of(senders, &arrival->source);

    if (!sender)
        return false;
    /*
     * If only connection management messages had a right ICRC, acknowledgments decide whether the ICRC counts in
     * requests; for answers, nothing could decide.
     */
    if (status == ICRC_WRONG)
        return !sender->unused && (answer ? sender->request_right || sender->answer_right : sender->right);
    sender->right = true;
    sender->request_right |= packet->info && !answer && !(packet->headers & IB_HAS_DETH);
    sender->answer_right |= answer;
    INVARIANT(sender->right || (!sender->request_right && !sender->answer_right));
    return false;
}

void ib_icrc_acked(struct ib_icrc_senders *senders, const struct ib_address *address, unsigned packets)
{
    struct sender *sender = packets > 0 ? sender_of(senders, address) : NULL;

    if (!sender)
        return;
    sender->acked = packets < ACKED_MAX - sender->acked ? sender->acked + packets : ACKED_MAX;
    INVARIANT(sender->acked > 0 && sender->acked <= ACKED_MAX);
    sender->unused |= sender->acked >= ACKED_MAX || !sender->request_right;
}
