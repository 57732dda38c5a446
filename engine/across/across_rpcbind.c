// SPDX-License-Identifier: GPL-2.0-or-later
/* Passes packets to and from port 111 to what is kept about the pair of addresses. */
#include "engine/across/across_lookups.h"

/* The next message of a datagram or a segment; NULL: an incomplete message. */
static const uint8_t *next_message(bool tcp, const uint8_t **p, size_t *n, size_t *length)
{
    const uint8_t *message = *p;

    if (tcp)
        return rpcbind_next_record(p, n, length);
    *length = *n;
    *n = 0;
    return message;
}

/* message NULL: an incomplete one. */
static void take_message(struct rpcrdma_across *across, const struct lookup_place *place, bool is_answer,
                         const uint8_t *message, size_t n)
{
    struct rpcbind_lookup lookup = {0};

    if (is_answer)
        rpcrdma_across_answer(across, place, message, n);
    else
        rpcrdma_across_lookup(across, place, message ? rpcbind_decode(&lookup, message, n) : RPCBIND_UNREADABLE,
                              &lookup);
}

static void take_messages(struct rpcrdma_across *across, const struct addressed_segment *segment, bool tcp,
                          bool are_answers)
{
    const struct tcp_segment *s = &segment->segment;
    const struct lookup_place place = {are_answers ? &segment->destination : &segment->source,
                                       are_answers ? &segment->source : &segment->destination, tcp, s->frame,
                                       s->time_ns};
    const uint8_t *p = s->payload;
    size_t n = s->captured, length;

    while (n > 0) {
        const uint8_t *message = next_message(tcp, &p, &n, &length);

        take_message(across, &place, are_answers, message, length);
    }
    if (s->captured < s->length) /* the rest is unknown */
        take_message(across, &place, are_answers, NULL, 0);
}

void rpcrdma_across_rpcbind(struct rpcrdma_across *across, const struct addressed_segment *segment, bool tcp)
{
    if (segment->destination.port == RPCBIND_PORT)
        take_messages(across, segment, tcp, false);
    if (segment->source.port == RPCBIND_PORT)
        take_messages(across, segment, tcp, true);
}
