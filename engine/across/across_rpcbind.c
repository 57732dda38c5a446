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

static void remember_question(struct rpcrdma_across *across, const struct lookup_place *place, const uint8_t *message,
                              size_t n)
{
    struct rpcbind_lookup lookup = {0};
    enum rpcbind_question question = message ? rpcbind_decode(&lookup, message, n) : RPCBIND_UNREADABLE;

    rpcrdma_across_lookup(across, place, question, &lookup);
}

static void take_questions(struct rpcrdma_across *across, const struct addressed_segment *segment, bool tcp)
{
    const struct tcp_segment *s = &segment->segment;
    const struct lookup_place place = {&segment->source, &segment->destination, tcp, s->frame, s->time_ns};
    const uint8_t *p = s->payload;
    size_t n = s->captured, length;

    while (n > 0) {
        const uint8_t *message = next_message(tcp, &p, &n, &length);

        remember_question(across, &place, message, length);
    }
    if (s->captured < s->length) /* the rest is unknown */
        remember_question(across, &place, NULL, 0);
}

static void take_answers(const struct rpcrdma_across *across, const struct addressed_segment *segment, bool tcp)
{
    const struct tcp_segment *s = &segment->segment;
    const struct lookup_place place = {&segment->destination, &segment->source, tcp, s->frame, s->time_ns};
    const uint8_t *p = s->payload;
    size_t n = s->captured, length;

    while (n > 0) {
        const uint8_t *message = next_message(tcp, &p, &n, &length);

        rpcrdma_across_answer(across, &place, message, length);
    }
    if (s->captured < s->length) /* the rest is unknown */
        rpcrdma_across_answer(across, &place, NULL, 0);
}

void rpcrdma_across_rpcbind(struct rpcrdma_across *across, const struct addressed_segment *segment, bool tcp)
{
    if (segment->destination.port == RPCBIND_PORT)
        take_questions(across, segment, tcp);
    if (segment->source.port == RPCBIND_PORT)
        take_answers(across, segment, tcp);
}
