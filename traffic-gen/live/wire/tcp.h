/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP connection (RFC 9293) as a state machine: segments, calls and the time go in, segments and events come out.
 * It does only what every TCP has to: its only option is the MSS, so windows have at most 65,535 octets; it has slow
 * start and congestion avoidance (RFC 5681), retransmission with back-off (RFC 6298), probes of a closed window, and
 * the defences of RFC 5961 against blind attacks. The owner may also hold the stream and put segments of its own
 * choice.
 *
 * Offsets count the octets of a stream, from the first after the SYN; the FIN counts as one.
 */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_TCP_H
#define IWARP_TRAFFIC_LIVE_WIRE_TCP_H

#include "support/frames/frame.h"
#include "traffic-gen/live/wire/fault.h"
#include "traffic-gen/live/wire/packet.h"

#include <glib.h>

enum { WIRE_SEND_ROOM = 256 * 1024, WIRE_WINDOW = 65535 };

enum wire_tcp_state {
    WIRE_SYN_SENT,
    WIRE_SYN_RECEIVED,
    WIRE_OPEN, /* and later states, up to both FINs */
    WIRE_OVER, /* after an error, or in order */
};

struct wire_tcp {
    /* For the owner to read. */
    enum wire_tcp_state state;
    int error;      /* OVER: errno; 0: ended in order */
    bool peer_fin;  /* received; all octets before it are in `in` */
    bool fin_acked; /* our FIN was acknowledged */
    bool passive;   /* the peer opened it */
    bool crossed;   /* both opened it at once */
    GByteArray *in; /* received in order; octets from in_read on are unread */
    guint in_read;
    uint16_t mss;           /* largest segment allowed by both SYNs and the path */
    unsigned limit;         /* of the window */
    int64_t heard;          /* when octets last came, or the SYN */
    struct frame_path path; /* side 0: ours */
    enum wire_fault fault;  /* set for a device that must fail a test */

    /* Private members. */
    void (*emit)(struct wire_tcp *tcp, const struct frame_tcp *segment);
    void *owner;
    uint32_t iss, irs;
    uint64_t una, nxt, max;       /* first unacknowledged, next to send, end of sent octets */
    GByteArray *out;              /* octets from una on */
    GArray *ends;                 /* uint64_t: ends of writes after una: a segment ends there */
    uint32_t peer_window, widest; /* current window, and the largest so far */
    uint64_t window_from;         /* offset and acknowledgement of the window's segment */
    uint64_t window_ack;
    unsigned duplicates;
    uint64_t recover;
    uint32_t congestion, threshold; /* windows, octets */
    int64_t timer;                  /* ns; 0: none */
    unsigned backoff;
    int64_t now;
    bool fin_wanted, fin_sent, held, corked;
    GByteArray *early;        /* octets in our SYN; NULL: none */
    size_t early_left;        /* of these, octets that the peer has accepted and the owner has not written yet */
    uint64_t rcv, advertised; /* next expected, promised up to */
    GQueue beyond;            /* struct piece with out-of-order octets, ascending */
    bool fin_known;
    uint64_t fin_at;
    uint16_t own_mss;
    uint16_t ip_id;
};

/* out: for `owner`'s emit(). mss: largest payload that this end accepts, announced in its SYN. */
struct wire_tcp *wire_tcp_new(const struct frame_path *path, uint16_t mss, unsigned limit,
                              void (*emit)(struct wire_tcp *tcp, const struct frame_tcp *segment), void *owner);
void wire_tcp_free(struct wire_tcp *tcp);

/*
 * early: n octets sent with the SYN (RFC 9293 section 3.10.7.4), at most 536; the owner has to write the same octets
 * once the connection is open, as the peer may have ignored them.
 */
void wire_tcp_connect(struct wire_tcp *tcp, const uint8_t *early, size_t n, int64_t now);
/* Takes the peer's SYN. */
void wire_tcp_accept(struct wire_tcp *tcp, const struct wire_packet *syn, int64_t now);
/* The same as if our own SYN had already been under way: a simultaneous open (RFC 9293 section 3.5). */
void wire_tcp_cross(struct wire_tcp *tcp, const struct wire_packet *syn, int64_t now);
void wire_tcp_input(struct wire_tcp *tcp, const struct wire_packet *segment, int64_t now);
/* The path takes packets of at most `mtu` octets; seq: of the oversized packet. */
void wire_tcp_too_big(struct wire_tcp *tcp, uint32_t mtu, uint32_t seq, int64_t now);
void wire_tcp_tick(struct wire_tcp *tcp, int64_t now);

/* Returns the octets accepted; the next write begins a new segment, unless corked. */
size_t wire_tcp_write(struct wire_tcp *tcp, const uint8_t *p, size_t n, int64_t now);
size_t wire_tcp_read(struct wire_tcp *tcp, uint8_t *p, size_t size, int64_t now);
size_t wire_tcp_unread(const struct wire_tcp *tcp);
size_t wire_tcp_room(const struct wire_tcp *tcp);
uint64_t wire_tcp_unacknowledged(const struct wire_tcp *tcp); /* octets, the FIN counts as one */
void wire_tcp_cork(struct wire_tcp *tcp, bool on, int64_t now);
void wire_tcp_finish(struct wire_tcp *tcp, int64_t now);
void wire_tcp_reset(struct wire_tcp *tcp, int error);
/* Limits the unread octets; room already promised stays promised. Tells the peer. */
void wire_tcp_set_limit(struct wire_tcp *tcp, unsigned limit, int64_t now);

/* ---- segments of the owner's choice ---- */

/* While held, octets of the stream are neither sent nor retransmitted, but acknowledgements are sent. */
void wire_tcp_hold(struct wire_tcp *tcp, bool on, int64_t now);

struct wire_put {
    int64_t from;     /* stream offset; may be below 0, or beyond the octets written */
    const uint8_t *p; /* n octets, which may differ from the stream's */
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
