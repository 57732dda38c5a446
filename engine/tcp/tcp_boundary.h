/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a TCP connection ends and the next connection at the same addresses begins: whether a segment belongs to a
 * known connection, or to another connection whose beginning may be missing (RFC 9293, RFC 5961).
 */
#ifndef IWARP_ENGINE_TCP_TCP_BOUNDARY_H
#define IWARP_ENGINE_TCP_TCP_BOUNDARY_H

#include "engine/tcp/tcp_pair.h"

enum tcp_boundary {
    TCP_GOES_ON, /* the segment belongs to this connection */
    TCP_BEGINS,  /* the segment is the first of another connection */
    /*
     * A SYN or SYN-ACK inside an established connection. A stack that knows the connection answers with an ACK and
     * continues (RFC 9293 section 3.10.7.4, RFC 5961 section 4), so only later segments decide. The caller holds back
     * the segment.
     */
    TCP_MAY_BEGIN,
    /*
     * A reset beyond everything that its side has sent, or that acknowledges no SYN. A receiver acts only on a reset at
     * RCV.NXT (RFC 5961 section 3.2), but octets before it may be missing in the capture. The caller holds back the
     * reset until its side continues, or the connection ends.
     */
    TCP_MAY_END,
    TCP_STRAYS, /* the segment belongs to another connection, and opens none: ignore it */
    /* The SYN that was held back did begin another connection; this segment is its second. */
    TCP_HAS_BEGUN,
};

enum { TCP_BOUNDARY_FAR_OFF = 8 << 20 };

/* For tcp_boundary(): neither SYN nor RST, and near the octets that its side has sent. facts: of that side. */
static inline bool tcp_boundary_is_usual(const struct tcp_side_facts *facts, const struct tcp_segment *segment)
{
    uint32_t ahead = segment->seq - (facts->isn + (uint32_t)facts->highest);

    return !(segment->flags & (TCP_SYN | TCP_RST)) && facts->highest > 0 &&
           ahead + TCP_BOUNDARY_FAR_OFF <= 2u * TCP_BOUNDARY_FAR_OFF;
}

/* For tcp_boundary(): handles any segment. */
enum tcp_boundary tcp_boundary_judge(const struct tcp_pair *pair, const struct tcp_segment *segment,
                                     const struct tcp_segment *held);

/*
 * segment->side is a side of this pair. held: the SYN that was held back, or NULL. Changes nothing; on TCP_BEGINS and
 * TCP_HAS_BEGUN the caller finishes this pair and opens another one.
 */
static inline enum tcp_boundary tcp_boundary(const struct tcp_pair *pair, const struct tcp_segment *segment,
                                             const struct tcp_segment *held)
{
    return !held && tcp_boundary_is_usual(tcp_pair_facts(pair, segment->side), segment)
               ? TCP_GOES_ON
               : tcp_boundary_judge(pair, segment, held);
}

/* The handshake was captured and is complete, and the connection is open. */
bool tcp_boundary_shaken(const struct tcp_pair *pair);

/* Both sides have sent octets, and the connection is open. */
bool tcp_boundary_established(const struct tcp_pair *pair);

/*
 * For two connections at the same addresses: whether the segment's sequence and acknowledgment numbers are nearer to
 * those of `one`. Each side_of: the segment's sender in that connection.
 */
bool tcp_boundary_is_nearer(const struct tcp_pair *one, unsigned side_of_one, const struct tcp_pair *other,
                            unsigned side_of_other, const struct tcp_segment *segment);

/* The remains of an ended connection, kept to recognise its late segments. */
struct tcp_remains {
    struct {
        bool isn_known;
        uint32_t isn, top;
    } side[2];
};

struct tcp_remains tcp_remains(const struct tcp_pair *pair);
/*
 * True: the segment opens a new connection at the addresses. settled: the reason for this connection's end is known, so
 * even octets far from its end belong to it.
 */
bool tcp_remains_reused(const struct tcp_remains *remains, const struct tcp_segment *segment, bool settled);

#endif
