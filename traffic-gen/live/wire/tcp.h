/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP connection (RFC 9293) as a state machine: segments, calls and the time go in, segments and news come out. It
 * does what every TCP has to, and no more: of the options it has the MSS, so windows are 65,535 octets at most; slow
 * start and congestion avoidance (RFC 5681), retransmission with back-off (RFC 6298), probes of a closed window; the
 * answers to blind attacks of RFC 5961. Besides, whoever owns it may hold it and put segments of their own choice.
 *
 * Offsets count the octets of a stream, from the first after the SYN; the FIN counts as one.
 */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_TCP_H
#define IWARP_TRAFFIC_LIVE_WIRE_TCP_H

#include "traffic-gen/live/wire/fault.h"
#include "traffic-gen/live/wire/packet.h"
#include "traffic-gen/sim/frame.h"

#include <glib.h>

enum { WIRE_SEND_ROOM = 256 * 1024, WIRE_WINDOW = 65535 };

enum wire_tcp_state {
    WIRE_SYN_SENT,
    WIRE_SYN_RECEIVED,
    WIRE_OPEN, /* and what follows, up to both FINs */
    WIRE_OVER, /* error, or orderly */
};

struct wire_tcp {
    /* Of its owner, who reads them. */
    enum wire_tcp_state state;
    int error;      /* OVER: errno; 0: in an orderly way */
    bool peer_fin;  /* and all octets before it are in `in` */
    bool fin_acked; /* ours */
    bool passive;   /* the peer opened it */
    bool crossed;   /* both opened it at once */
    GByteArray *in; /* received in order; from in_read on not yet read */
    guint in_read;
    uint16_t mss;           /* octets of a segment, as both SYNs and the path allow */
    unsigned limit;         /* of the window */
    int64_t heard;          /* when octets came last, or the SYN */
    struct frame_path path; /* side 0: ours */
    enum wire_fault fault;  /* set by whoever makes a device of it */

    /* Its own. */
    void (*emit)(struct wire_tcp *tcp, const struct frame_tcp *segment);
    void *owner;
    uint32_t iss, irs;
    uint64_t una, nxt, max;       /* acknowledged, to be sent next, sent at all */
    GByteArray *out;              /* from una on */
    GArray *ends;                 /* uint64_t: where writes ended, after una: a segment ends there */
    uint32_t peer_window, widest; /* now, and the widest so far */
    uint64_t window_from;         /* offset and acknowledgement of the segment that it came in */
    uint64_t window_ack;
    unsigned duplicates;
    uint64_t recover;
    uint32_t congestion, threshold; /* windows, octets */
    int64_t timer;                  /* ns; 0: none */
    unsigned backoff;
    int64_t now;
    bool fin_wanted, fin_sent, held, corked;
    GByteArray *early;        /* octets of our SYN; NULL: none */
    size_t early_left;        /* octets of these that the peer has taken, and the owner has not written yet */
    uint64_t rcv, advertised; /* next expected, promised up to */
    GQueue beyond;            /* struct piece of out-of-order octets, ascending */
    bool fin_known;
    uint64_t fin_at;
    uint16_t own_mss;
    uint16_t ip_id;
};

/* out of `owner`'s emit(). mss: the greatest payload that this end takes, of its SYN. */
struct wire_tcp *wire_tcp_new(const struct frame_path *path, uint16_t mss, unsigned limit,
                              void (*emit)(struct wire_tcp *tcp, const struct frame_tcp *segment), void *owner);
void wire_tcp_free(struct wire_tcp *tcp);

/*
 * early: n octets that go with the SYN (RFC 9293 section 3.10.7.4), at most 536; the same have to be written once it is
 * open, as the peer may have ignored them.
 */
void wire_tcp_connect(struct wire_tcp *tcp, const uint8_t *early, size_t n, int64_t now);
/* Its SYN has come. */
void wire_tcp_accept(struct wire_tcp *tcp, const struct wire_packet *syn, int64_t now);
/* The same, as if our own SYN had been under way by then: both ends open at once (RFC 9293 section 3.5). */
void wire_tcp_cross(struct wire_tcp *tcp, const struct wire_packet *syn, int64_t now);
void wire_tcp_input(struct wire_tcp *tcp, const struct wire_packet *segment, int64_t now);
/* The path takes packets of no more than `mtu` octets; seq: of the one that was too big. */
void wire_tcp_too_big(struct wire_tcp *tcp, uint32_t mtu, uint32_t seq, int64_t now);
void wire_tcp_tick(struct wire_tcp *tcp, int64_t now);

/* Octets taken; the next write begins a new segment, unless corked. */
size_t wire_tcp_write(struct wire_tcp *tcp, const uint8_t *p, size_t n, int64_t now);
size_t wire_tcp_read(struct wire_tcp *tcp, uint8_t *p, size_t size, int64_t now);
size_t wire_tcp_unread(const struct wire_tcp *tcp);
size_t wire_tcp_room(const struct wire_tcp *tcp);
uint64_t wire_tcp_unacknowledged(const struct wire_tcp *tcp); /* octets, the FIN as one */
void wire_tcp_cork(struct wire_tcp *tcp, bool on, int64_t now);
void wire_tcp_finish(struct wire_tcp *tcp, int64_t now);
void wire_tcp_reset(struct wire_tcp *tcp, int error);
/* At most so many octets unread; what has been promised stays promised. Tells the peer. */
void wire_tcp_set_limit(struct wire_tcp *tcp, unsigned limit, int64_t now);

/* ---- segments of one's own choice ---- */

/* While held nothing of the stream is sent, nor sent again, but acknowledgements are. */
void wire_tcp_hold(struct wire_tcp *tcp, bool on, int64_t now);

struct wire_put {
    int64_t from;     /* stream offset; may be below 0, or beyond what was written */
    const uint8_t *p; /* n octets, right or wrong */
    size_t n;
    uint8_t flags; /* besides ACK: URG 0x20, PSH 0x08, SYN 0x02, RST 0x04, ECE 0x40, CWR 0x80 */
    bool no_ack;   /* without ACK */
    bool bad_checksum;
    uint16_t urgent;
    uint8_t traffic_class; /* of IP: ECN */
};

/* False: the connection is not open. */
bool wire_tcp_put(struct wire_tcp *tcp, const struct wire_put *put);

#endif
