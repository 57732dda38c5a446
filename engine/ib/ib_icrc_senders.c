// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/ib/ib_icrc_senders.h"

#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    SENDERS = 256, /* a power of two */
    PROBES = 16,
    /*
     * A sender whose requests had a right ICRC is ignored only after this many acknowledged packets with a wrong ICRC:
     * a few may have been retransmitted unseen.
     */
    ACKED_MAX = 3
};

struct sender {
    struct ib_address address;
    bool known;
    bool right;         /* a packet had a right ICRC */
    bool request_right; /* so had a request to a queue pair other than connection management's */
    bool answer_right;  /* so had an Acknowledge or a response */
    bool unused;        /* the sender's ICRC does not count */
    unsigned acked;     /* packets with a wrong ICRC that were received nevertheless */
};

struct ib_icrc_senders {
    struct sender senders[SENDERS];
};

struct ib_icrc_senders *ib_icrc_senders_new(void)
{
    return heap_zeroed(1, sizeof(struct ib_icrc_senders));
}

void ib_icrc_senders_free(struct ib_icrc_senders *senders)
{
    free(senders);
}

/* NULL: the table is full. */
static struct sender *sender_of(struct ib_icrc_senders *senders, const struct ib_address *address)
{
    uint64_t h = hash_octets(address->kind, address->octets, sizeof address->octets);

    for (unsigned i = 0; i < PROBES; i++) {
        struct sender *sender = &senders->senders[((h ^ h >> 32) + i) & (SENDERS - 1)];

        if (!sender->known)
            *sender = (struct sender){.address = *address, .known = true};
        INVARIANT(sender->known && sender->acked <= ACKED_MAX);
        if (sender->address.kind == address->kind &&
            memcmp(sender->address.octets, address->octets, sizeof address->octets) == 0)
            return sender;
    }
    return NULL;
}

bool ib_icrc_drops(struct ib_icrc_senders *senders, const struct ib_arrival *arrival, enum icrc_status status)
{
    const struct ib_packet *packet = arrival->packet;
    bool answer = packet->info && packet->info->response;
    struct sender *sender = status == ICRC_UNKNOWN ? NULL : sender_of(senders, &arrival->source);

    if (!sender)
        return status == ICRC_WRONG;
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
