/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a TCP connection ends and the next one at its addresses begins: whether a segment belongs to a connection that
 * is known, or to one of which the capture may lack the beginning (RFC 9293, RFC 5961).
 */
#ifndef IWARP_ENGINE_TCP_TCP_BOUNDARY_H
#define IWARP_ENGINE_TCP_TCP_BOUNDARY_H

#include "engine/tcp/tcp_pair.h"

enum tcp_boundary {
    TCP_GOES_ON, /* the segment is one of this connection */
    TCP_BEGINS,  /* it is the first one of another connection */
    /*
     * A SYN or SYN-ACK inside an established connection. A stack that knows the connection answers with an ACK and
     * carries on (RFC 9293 section 3.10.7.4, RFC 5961 section 4), so only what follows decides. To be held back.
     */
    TCP_MAY_BEGIN,
    /*
     * A reset beyond everything that its side has sent. A receiver acts on a reset at RCV.NXT alone (RFC 5961 section
     * 3.2), but the capture may lack octets before it. To be held back until its side goes on, or the connection ends.
     */
    TCP_MAY_END,
    TCP_STRAYS,    /* it is of another connection, and shows nothing of it: to be ignored */
    TCP_HAS_BEGUN, /* the SYN that was held back did begin another connection; this segment is its next one */
};

enum { TCP_BOUNDARY_FAR_OFF = 8 << 20 };

/* For tcp_boundary(): neither SYN nor RST, and near to what its side, whose facts these are, has sent. */
static inline bool tcp_boundary_is_usual(const struct tcp_side_facts *facts, const struct tcp_segment *segment)
{
    uint32_t ahead = segment->seq - (facts->isn + (uint32_t)facts->highest);

    return !(segment->flags & (TCP_SYN | TCP_RST)) && facts->highest > 0 &&
           ahead + TCP_BOUNDARY_FAR_OFF <= 2u * TCP_BOUNDARY_FAR_OFF;
}

/* For tcp_boundary(): of any segment. */
enum tcp_boundary tcp_boundary_judge(const struct tcp_pair *pair, const struct tcp_segment *segment,
                                     const struct tcp_segment *held);

/*
 * segment->side is a side of this pair. held: the SYN that was held back; NULL: none. Nothing changes; with TCP_BEGINS
 * and TCP_HAS_BEGUN the caller finishes this pair and opens another one.
 */
static inline enum tcp_boundary tcp_boundary(const struct tcp_pair *pair, const struct tcp_segment *segment,
                                             const struct tcp_segment *held)
{
    return !held && tcp_boundary_is_usual(tcp_pair_facts(pair, segment->side), segment)
               ? TCP_GOES_ON
               : tcp_boundary_judge(pair, segment, held);
}

/* Both sides have sent octets, and neither has ended the connection. */
bool tcp_boundary_established(const struct tcp_pair *pair);

/*
 * Of two connections at the same addresses: the sequence and acknowledgment numbers of the segment are nearer to those
 * of `one`. Each side_of: of the segment's sender.
 */
bool tcp_boundary_is_nearer(const struct tcp_pair *one, unsigned side_of_one, const struct tcp_pair *other,
                            unsigned side_of_other, const struct tcp_segment *segment);

/* What is left of a connection that is over, so that its late segments are known for what they are. */
struct tcp_remains {
    struct {
        bool isn_known;
        uint32_t isn, top;
    } side[2];
};

struct tcp_remains tcp_remains(const struct tcp_pair *pair);
/* True: the segment opens a new connection at the addresses. settled: why this one is over is known, and octets that
 * are not near its end are still its own. */
bool tcp_remains_reused(const struct tcp_remains *remains, const struct tcp_segment *segment, bool settled);

#endif
