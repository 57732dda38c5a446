/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the connection: its life (tcp.c), sending (tcp_send.c), receiving (tcp_receive.c). */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_TCP_INTERNAL_H
#define IWARP_TRAFFIC_LIVE_WIRE_TCP_INTERNAL_H

#include "traffic-gen/live/wire/tcp.h"

enum {
    FLAG_FIN = 0x01,
    FLAG_SYN = 0x02,
    FLAG_RST = 0x04,
    FLAG_PSH = 0x08,
    FLAG_ACK = 0x10,
    DEFAULT_MSS = 536, /* RFC 9293 section 3.7.1 */
    MSS_MIN = 64,
    TRIES_MAX = 9,
    FIRST_SEGMENTS = 10, /* RFC 6928 */
    DUPLICATES = 3,
    BEYOND_MAX = 128, /* pieces */
};

/* An out-of-order range of received octets. */
struct piece {
    uint64_t from;
    guint n;
    uint8_t octets[];
};

static inline uint32_t wire_seq(const struct wire_tcp *tcp, uint64_t offset)
{
    return tcp->iss + 1 + (uint32_t)offset;
}

/* The offset for a sequence number of the peer, nearest to the expected offset. Below 0: long past. */
static inline int64_t wire_offset_in(const struct wire_tcp *tcp, uint32_t seq)
{
    return (int64_t)tcp->rcv + (int32_t)(seq - (tcp->irs + 1 + (uint32_t)tcp->rcv));
}

static inline int64_t wire_offset_out(const struct wire_tcp *tcp, uint32_t ack)
{
    return (int64_t)tcp->una + (int32_t)(ack - wire_seq(tcp, tcp->una));
}

static inline uint64_t wire_written(const struct wire_tcp *tcp)
{
    return tcp->una + tcp->out->len;
}

/* ---- tcp_send.c ---- */

void wire_send_syn(struct wire_tcp *tcp);
void wire_send_ack(struct wire_tcp *tcp);
/* Sends RST; NULL segment: for an open connection, else in answer to the segment. */
void wire_send_reset(struct wire_tcp *tcp);
/* Sends whatever may be sent now. */
void wire_send_more(struct wire_tcp *tcp);
/* Sends the first unacknowledged segment again. */
void wire_send_again(struct wire_tcp *tcp);
void wire_start_timer(struct wire_tcp *tcp);
/* The peer has acknowledged all octets before `ack`, which is above una. */
void wire_take_ack(struct wire_tcp *tcp, uint64_t ack);

/* ---- tcp_receive.c ---- */

/* The peer has offered its window. */
uint16_t wire_window(struct wire_tcp *tcp);

/* ---- tcp.c ---- */

void wire_end(struct wire_tcp *tcp, int error);
void wire_end_when_both_closed(struct wire_tcp *tcp);

#endif
