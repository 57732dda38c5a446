/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which segments count: those that their receiver accepts (RFC 9293 section 3.10.7.4, RFC 5961, RFC 7323). The streams
 * and all layers above see accepted segments only. The capture may lack segments that the receiver has. So a segment
 * that a loss may explain waits for later segments (engine/packet/dispute.h).
 *
 * If an interface fills in checksums after the capture, the checksums in the capture are wrong. The checksums of a
 * sender count from its first right checksum on. They no longer count once the peer has acknowledged octets three times
 * that came with wrong checksums only. Segments that the peer does not acknowledge decide nothing.
 */
#ifndef IWARP_ENGINE_TCP_TCP_ACCEPT_H
#define IWARP_ENGINE_TCP_TCP_ACCEPT_H

#include "engine/packet/addressed.h"
#include "engine/packet/dispute.h"
#include "engine/packet/refusal.h"

struct tcp_accept_side {
    bool sum_right;     /* a checksum was right: checksums count */
    bool sum_of_data;   /* a checksum of data was right; until then, data with wrong checksums are in dispute */
    bool sum_unused;    /* an interface fills in the checksums: checksums do not count */
    uint8_t sum_acked;  /* acknowledgments of octets with wrong checksums only */
    uint64_t sum_wrong; /* end of such octets that are not acknowledged; 0: none */
    bool window_known, scale_known;
    uint8_t scale; /* of the windows that this side advertises */
    uint64_t window_largest;
    uint64_t edge; /* the other side may send octets before this offset; valid with window_known */
    bool stamp_known, echo_known;
    uint32_t stamp, echo; /* latest TSval, and latest TSecr of a segment that the other side had sent */
};

struct tcp_accept {
    struct tcp_accept_side side[2];
    struct dispute dispute;
};

/* How the streams see a segment. Index 0: its sender, 1: its receiver. */
struct tcp_view {
    const struct tcp_segment *segment;
    unsigned side;      /* the sender's */
    int64_t start, end; /* offsets of its sequence numbers, FIN included */
    int64_t acked;      /* the ACK number as an offset */
    uint64_t sent[2];   /* the highest offset that a side has used */
    uint64_t taken[2];  /* the highest offset acknowledged */
    bool heard[2];      /* captured so far, so `sent` means something */
    bool acks;          /* the offset of the ACK number is known */
};

/*
 * Verifies the checksum, and that there is an ACK flag where one is needed. joined: an interface has joined segments.
 * DOUBTFUL: the checksum is wrong, but so far only segments without data had right ones.
 */
enum packet_refusal tcp_accept_intact(struct tcp_accept *accept, const struct tcp_segment *segment, bool joined);
/* New octets up to `end` came, only with wrong checksums so far. */
void tcp_accept_wrong(struct tcp_accept *accept, unsigned side, uint64_t end);
/* The peer acknowledged the octets of `side` up to `acked`; octets up to `highest` came with right checksums. */
void tcp_accept_acked(struct tcp_accept *accept, unsigned side, uint64_t acked, uint64_t highest);
/* For segments with wrong checksums: the claim that the receiver has accepted the segment; the vote of a later one. */
struct dispute tcp_accept_sum_claim(const struct tcp_view *view);
enum dispute_vote tcp_accept_sum_vote(const struct dispute *dispute, const struct tcp_view *view);
/* Compares an intact segment with what was sent and accepted before. */
enum packet_refusal tcp_accept_place(const struct tcp_accept *accept, const struct tcp_view *view);
/* If tcp_accept_place() returns DOUBTFUL: the claim that the segment makes. */
struct dispute tcp_accept_claim(const struct tcp_accept *accept, const struct tcp_view *view);
/* While there is a dispute: what the segment says about it. */
enum dispute_vote tcp_accept_vote(struct dispute *dispute, const struct tcp_view *view);
/* Learns the window from an accepted segment that acknowledges the other side's octets before `acked`. */
void tcp_accept_window(struct tcp_accept *accept, const struct tcp_segment *segment, int64_t acked);
/* Learns timestamps from an accepted segment that has them. */
void tcp_accept_stamp(struct tcp_accept *accept, const struct tcp_segment *segment);
/* Both SYNs were captured, with these scales of the window (0: none). */
void tcp_accept_scales(struct tcp_accept *accept, uint8_t scale, uint8_t other);

#endif
