// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tcp/tcp_boundary.h"

enum {
    /*
     * A late segment of a closed connection is near the connection's end in sequence space; other connections begin
     * anywhere.
     */
    NEAR_END = 16 << 20,
};

static bool near(uint32_t seq, uint32_t top)
{
    return (int32_t)(seq - top) < NEAR_END && (int32_t)(top - seq) < NEAR_END;
}

/* Whether a segment other than a SYN, at the addresses of an ended connection, may belong to that connection. */
static bool belongs_to_the_end(const struct tcp_segment *segment, uint32_t top)
{
    return segment->length == 0 || near(segment->seq, top);
}

/* ---- a connection that continues, or is closed and waits for silence ---- */

static bool far(uint32_t seq, const struct tcp_side_facts *facts)
{
    bool heard = facts->highest > 0 || facts->syn_seen;
    uint32_t top = facts->isn + (uint32_t)(heard ? facts->highest : facts->acked);

    return facts->based && seq - top > TCP_BOUNDARY_FAR_OFF && top - seq > TCP_BOUNDARY_FAR_OFF;
}

/*
 * The sequence numbers of both directions are far off: the end of the connection, and the SYNs of the next connection
 * at these addresses, are missing. A gap that large is possible in one direction, but unlikely in both.
 */
static bool jumps(const struct tcp_pair *pair, const struct tcp_segment *segment)
{
    return (segment->flags & (TCP_SYN | TCP_RST | TCP_ACK)) == TCP_ACK &&
           far(segment->seq, tcp_pair_facts(pair, segment->side)) &&
           far(segment->ack, tcp_pair_facts(pair, 1 - segment->side));
}

bool tcp_boundary_shaken(const struct tcp_pair *pair)
{
    const struct tcp_side_facts *a = tcp_pair_facts(pair, 0), *b = tcp_pair_facts(pair, 1);

    return a->syn_seen && b->syn_seen && a->acked_known && b->acked_known && tcp_pair_state(pair) == TCP_PAIR_OPEN;
}

bool tcp_boundary_established(const struct tcp_pair *pair)
{
    return tcp_pair_facts(pair, 0)->highest && tcp_pair_facts(pair, 1)->highest &&
           tcp_pair_state(pair) == TCP_PAIR_OPEN;
}

/* Whether this segment shows that the other side accepted the SYN or SYN-ACK that was held back. */
static bool answers(const struct tcp_segment *segment, const struct tcp_segment *syn)
{
    unsigned flags = segment->flags & (TCP_SYN | TCP_ACK | TCP_RST);

    if (syn->flags & TCP_ACK)
        return flags == TCP_ACK && segment->ack == syn->seq + 1 && segment->seq - syn->ack <= UINT16_MAX;
    return flags == (TCP_SYN | TCP_ACK) && segment->ack - (syn->seq + 1) <= UINT16_MAX;
}

/* Whether this segment shows that the held-back SYN opened a connection. */
static bool confirms(const struct tcp_segment *segment, const struct tcp_segment *syn)
{
    if (segment->side != syn->side)
        return answers(segment, syn);
    return !(segment->flags & (TCP_SYN | TCP_RST)) && segment->seq == syn->seq + 1;
}

/*
 * Octets at a closed connection's addresses, far from its end: they belong to the next connection, whose SYNs were not
 * captured.
 */
static bool boundary_is_foreign(const struct tcp_pair *pair, const struct tcp_segment *segment)
{
    const struct tcp_side_facts *facts = tcp_pair_facts(pair, segment->side);

    return !(segment->flags & (TCP_SYN | TCP_RST)) && facts->syn_seen &&
           !belongs_to_the_end(segment, facts->isn + (uint32_t)facts->highest) &&
           tcp_pair_state(pair) == TCP_PAIR_CLOSED;
}

/*
 * The receiver may not accept the reset: the SYN that the reset answers was not acknowledged (RFC 9293 section
 * 3.10.7.3), or the reset is beyond the octets; one sequence number more may belong to an uncaptured FIN.
 */
static bool is_odd_reset(const struct tcp_pair *pair, const struct tcp_segment *segment)
{
    const struct tcp_side_facts *facts = tcp_pair_facts(pair, segment->side),
                                *peer = tcp_pair_facts(pair, !segment->side);

    if (!(segment->flags & TCP_RST) || tcp_pair_is_disputed(pair)) /* the facts lack the segments that wait */
        return false;
    if (!facts->syn_seen && facts->highest == 0 && peer->syn_seen && peer->highest == 0)
        return !(segment->flags & TCP_ACK) || segment->ack != peer->isn;
    return (facts->syn_seen || tcp_boundary_established(pair)) &&
           (int32_t)(segment->seq - (facts->isn + (uint32_t)facts->highest)) > 1;
}

enum tcp_boundary tcp_boundary_judge(const struct tcp_pair *pair, const struct tcp_segment *segment,
                                     const struct tcp_segment *held)
{
    if (held && confirms(segment, held))
        return TCP_HAS_BEGUN;
    if (tcp_pair_is_reuse(pair, segment))
        return tcp_boundary_established(pair) || tcp_boundary_shaken(pair) ? TCP_MAY_BEGIN : TCP_BEGINS;
    if (is_odd_reset(pair, segment))
        return TCP_MAY_END;
    if (boundary_is_foreign(pair, segment))
        return TCP_BEGINS;
    if (jumps(pair, segment)) /* without octets, the segment may also be a late one of the previous connection */
        return segment->length > 0 ? TCP_BEGINS : TCP_STRAYS;
    return TCP_GOES_ON;
}

/* ---- two connections at the same addresses ---- */

static uint32_t boundary_apart(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0 ? b - a : a - b;
}

static uint64_t boundary_distance(const struct tcp_pair *pair, unsigned side, const struct tcp_segment *segment)
{
    const struct tcp_side_facts *mine = tcp_pair_facts(pair, side), *other = tcp_pair_facts(pair, 1 - side);
    uint64_t sum = boundary_apart(segment->seq, mine->isn + (uint32_t)mine->highest);

    return segment->flags & TCP_ACK ? sum + boundary_apart(segment->ack, other->isn + (uint32_t)other->highest)
                                    : 2 * sum;
}

bool tcp_boundary_is_nearer(const struct tcp_pair *one, unsigned side_of_one, const struct tcp_pair *other,
                            unsigned side_of_other, const struct tcp_segment *segment)
{
    return boundary_distance(one, side_of_one, segment) < boundary_distance(other, side_of_other, segment);
}

/* ---- an ended connection ---- */

struct tcp_remains tcp_remains(const struct tcp_pair *pair)
{
    struct tcp_remains remains;

    for (unsigned side = 0; side < 2; side++) {
        const struct tcp_side_facts *facts = tcp_pair_facts(pair, side);
        uint64_t top = facts->highest > facts->acked ? facts->highest : facts->acked;

        remains.side[side].isn_known = facts->syn_seen;
        remains.side[side].isn = facts->isn;
        remains.side[side].top = facts->isn + (uint32_t)top;
    }
    return remains;
}

bool tcp_remains_reused(const struct tcp_remains *remains, const struct tcp_segment *segment, bool settled)
{
    if (segment->flags & TCP_RST)
        return false;
    if (segment->flags & TCP_SYN)
        return !remains->side[segment->side].isn_known || segment->seq + 1 != remains->side[segment->side].isn;
    return !settled && !belongs_to_the_end(segment, remains->side[segment->side].top);
}
