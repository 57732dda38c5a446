// SPDX-License-Identifier: GPL-2.0-or-later
/* Receiving: RFC 9293 section 3.10.7, with the answers of RFC 5961 to segments that may be forged. */
#include "traffic-gen/live/wire/tcp_internal.h"

#include <errno.h>
#include <string.h>

uint16_t wire_window(struct wire_tcp *tcp)
{
    const uint64_t unread = wire_tcp_unread(tcp), room = unread < tcp->limit ? tcp->limit - unread : 0,
                   promised = tcp->advertised - tcp->rcv;

    return (uint16_t)MIN(MAX(room, promised), WIRE_WINDOW);
}

/* ---- octets ---- */

static void receive_append(struct wire_tcp *tcp, uint64_t from, const uint8_t *p, size_t n)
{
    const uint64_t known = tcp->rcv - from;

    if (from > tcp->rcv || known >= n)
        return;
    g_byte_array_append(tcp->in, p + known, (guint)(n - known));
    tcp->rcv += n - known;
    tcp->heard = tcp->now;
    tcp->advertised = MAX(tcp->advertised, tcp->rcv);
}

static void keep_beyond(struct wire_tcp *tcp, uint64_t from, const uint8_t *p, size_t n)
{
    GList *link = tcp->beyond.head;
    struct piece *piece;

    if (tcp->beyond.length >= BEYOND_MAX)
        return; /* it will be sent again */
    while (link && ((const struct piece *)link->data)->from < from)
        link = link->next;
    piece = g_malloc(sizeof *piece + n);
    piece->from = from;
    piece->n = (guint)n;
    memcpy(piece->octets, p, n);
    g_queue_insert_before(&tcp->beyond, link, piece);
}

static void join_beyond(struct wire_tcp *tcp)
{
    struct piece *piece;

    while ((piece = g_queue_peek_head(&tcp->beyond)) && piece->from <= tcp->rcv) {
        receive_append(tcp, piece->from, piece->octets, piece->n);
        g_free(g_queue_pop_head(&tcp->beyond));
    }
}

/* Pieces that are next in order by now. */
static void receive_take_octets(struct wire_tcp *tcp, uint64_t from, const uint8_t *p, size_t n)
{
    if (n == 0)
        return;
    if (from > tcp->rcv) {
        keep_beyond(tcp, from, p, n);
        return;
    }
    receive_append(tcp, from, p, n);
    join_beyond(tcp);
}

/* ---- acknowledgements ---- */

static void receive_take_window(struct wire_tcp *tcp, const struct wire_packet *in, uint64_t from, uint64_t ack)
{
    if (from < tcp->window_from || (from == tcp->window_from && ack < tcp->window_ack))
        return;
    if (tcp->peer_window == 0 && in->window > 0)
        tcp->backoff = 0;
    tcp->peer_window = in->window;
    tcp->held |= tcp->fault == WIRE_FAULT_STALL && in->window == 0;
    tcp->widest = MAX(tcp->widest, tcp->peer_window);
    tcp->window_from = from;
    tcp->window_ack = ack;
}

static void take_duplicate(struct wire_tcp *tcp, const struct wire_packet *in)
{
    if (tcp->nxt == tcp->una || in->payload_length > 0 || in->window != tcp->peer_window ||
        ++tcp->duplicates != DUPLICATES || tcp->held)
        return;
    tcp->threshold = MAX((uint32_t)(tcp->nxt - tcp->una) / 2, 2u * tcp->mss);
    tcp->congestion = tcp->threshold;
    tcp->recover = tcp->nxt;
    wire_send_again(tcp);
}

/* False: it acknowledges octets that were never sent. */
static bool take_acknowledgement(struct wire_tcp *tcp, const struct wire_packet *in, uint64_t from)
{
    const int64_t ack = wire_offset_out(tcp, in->ack);

    if (ack > (int64_t)tcp->max)
        return false;
    if (ack < (int64_t)tcp->una)
        return true; /* an old acknowledgement */
    if ((uint64_t)ack > tcp->una)
        wire_take_ack(tcp, (uint64_t)ack);
    else
        take_duplicate(tcp, in);
    receive_take_window(tcp, in, from, (uint64_t)ack);
    return true;
}

/* ---- states ---- */

static void synchronize(struct wire_tcp *tcp, const struct wire_packet *in)
{
    const uint32_t early = in->ack - (tcp->iss + 1);

    /* Octets in the SYN: their sender writes them again, and they were received. */
    tcp->una = tcp->nxt = tcp->max = tcp->early_left = early;
    if (tcp->crossed && tcp->fault == WIRE_FAULT_CROSSED)
        tcp->una = tcp->nxt = tcp->max = 1;
    tcp->state = WIRE_OPEN;
    tcp->timer = 0;
    tcp->backoff = 0;
    tcp->peer_window = tcp->widest = in->window;
    tcp->congestion = FIRST_SEGMENTS * (uint32_t)tcp->mss;
}

static void receive_take_syn(struct wire_tcp *tcp, const struct wire_packet *in)
{
    tcp->irs = in->seq;
    tcp->heard = tcp->now;
    tcp->rcv = 0;
    tcp->advertised = tcp->limit;
    tcp->mss = (uint16_t)MIN(tcp->own_mss, MAX(in->mss ? in->mss : DEFAULT_MSS, MSS_MIN));
}

void wire_tcp_accept(struct wire_tcp *tcp, const struct wire_packet *syn, int64_t now)
{
    tcp->now = now;
    tcp->passive = true;
    tcp->state = WIRE_SYN_RECEIVED;
    receive_take_syn(tcp, syn);
    /* Octets in the SYN come again: they are not acknowledged. */
    if (tcp->fault == WIRE_FAULT_SYN_DATA)
        tcp->rcv = syn->payload_length;
    wire_send_syn(tcp);
}

/* True: the segment is the whole SYN with its octets, or a part of them. */
static bool acknowledges_syn(const struct wire_tcp *tcp, const struct wire_packet *in)
{
    return in->flags & FLAG_ACK && in->ack - (tcp->iss + 1) <= (tcp->early ? tcp->early->len : 0);
}

static void input_syn_sent(struct wire_tcp *tcp, const struct wire_packet *in)
{
    const bool ours = acknowledges_syn(tcp, in);

    if (in->flags & FLAG_ACK && !ours)
        return;
    if (in->flags & FLAG_RST) {
        if (ours)
            wire_end(tcp, ECONNREFUSED);
        return;
    }
    if (!(in->flags & FLAG_SYN))
        return;
    receive_take_syn(tcp, in);
    if (ours) {
        synchronize(tcp, in);
        wire_send_ack(tcp);
    } else {
        tcp->state = WIRE_SYN_RECEIVED;
        tcp->crossed = true;
        wire_send_syn(tcp);
    }
}

void wire_tcp_cross(struct wire_tcp *tcp, const struct wire_packet *syn, int64_t now)
{
    wire_tcp_connect(tcp, NULL, 0, now);
    input_syn_sent(tcp, syn);
}

/* True: the segment is completely handled. RFC 5961 sections 3 and 4. */
static bool take_reset_or_syn(struct wire_tcp *tcp, const struct wire_packet *in, int64_t from)
{
    if (in->flags & FLAG_RST) {
        if (from == (int64_t)tcp->rcv || tcp->fault == WIRE_FAULT_RESET)
            wire_end(tcp, ECONNRESET);
        else if (from > (int64_t)tcp->rcv && from < (int64_t)tcp->advertised)
            wire_send_ack(tcp);
        return true;
    }
    if (!(in->flags & FLAG_SYN))
        return false;
    /* From a peer that opened at the same time. */
    if (tcp->state == WIRE_SYN_RECEIVED && in->flags & FLAG_ACK && in->ack == tcp->iss + 1 && in->seq == tcp->irs)
        return false;
    if (tcp->state == WIRE_SYN_RECEIVED)
        wire_send_syn(tcp);
    else if (tcp->fault == WIRE_FAULT_SYN)
        wire_tcp_reset(tcp, ECONNABORTED);
    else
        wire_send_ack(tcp);
    return true;
}

/* Acknowledges the segment and loses it. */
static bool receive_is_lost(const struct wire_tcp *tcp, const struct wire_packet *in)
{
    return (tcp->fault == WIRE_FAULT_SHORT && in->payload_length < WIRE_SHORT) ||
           (tcp->fault == WIRE_FAULT_CONGESTION && in->congested) ||
           (tcp->fault == WIRE_FAULT_WRAP && in->seq + (uint32_t)in->payload_length < in->seq);
}

/* The octet at the urgent pointer is missing, but counts as received. */
static void take_without_urgent(struct wire_tcp *tcp, uint64_t begin, const uint8_t *p, size_t n, size_t urgent)
{
    receive_take_octets(tcp, begin, p, urgent - 1);
    if (tcp->rcv == begin + urgent - 1)
        tcp->rcv++;
    receive_take_octets(tcp, begin + urgent, p + urgent, n - urgent);
}

/* Whether some of its octets are in the window. */
static void input_octets(struct wire_tcp *tcp, const struct wire_packet *in, int64_t from)
{
    const int64_t begin = MAX(from, (int64_t)tcp->rcv), end = from + (int64_t)in->payload_length,
                  until = MIN(end, (int64_t)tcp->advertised);

    if (in->flags & FLAG_FIN && until == end && !tcp->fin_known && end >= (int64_t)tcp->rcv) {
        tcp->fin_known = true;
        tcp->fin_at = (uint64_t)end;
    }
    if (receive_is_lost(tcp, in) && begin == (int64_t)tcp->rcv && begin < until) {
        tcp->rcv = (uint64_t)until;
        tcp->advertised = MAX(tcp->advertised, tcp->rcv);
    } else if (tcp->fault == WIRE_FAULT_URGENT && in->urgent > 0 && begin == from && from + in->urgent <= until) {
        take_without_urgent(tcp, (uint64_t)begin, in->payload, (size_t)(until - begin), in->urgent);
    } else if (!tcp->peer_fin && begin < until) {
        receive_take_octets(tcp, (uint64_t)begin, in->payload + (begin - from), (size_t)(until - begin));
    }
    if (!tcp->fin_known || tcp->peer_fin || tcp->rcv != tcp->fin_at)
        return;
    tcp->peer_fin = true;
    tcp->rcv++;
    tcp->advertised = MAX(tcp->advertised, tcp->rcv);
}

/* The offset of its first octet, or what a faulty TCP takes for it. */
static int64_t receive_where(const struct wire_tcp *tcp, const struct wire_packet *in)
{
    const int64_t from = wire_offset_in(tcp, in->seq), next = (int64_t)tcp->rcv, n = (int64_t)in->payload_length;
    bool taken_wrongly = false;

    switch (tcp->fault) {
    case WIRE_FAULT_ORDER:
        taken_wrongly = from > next && from < (int64_t)tcp->advertised;
        break;
    case WIRE_FAULT_AGAIN:
        taken_wrongly = from < next && from + n <= next && n > 1;
        break;
    case WIRE_FAULT_OVERLAP:
        taken_wrongly = from < next && from + n > next;
        break;
    case WIRE_FAULT_KEEP_ALIVE:
        taken_wrongly = from == next - 1 && n == 1;
        break;
    case WIRE_FAULT_WINDOW:
        taken_wrongly = from > (int64_t)tcp->advertised;
        break;
    default:
        break;
    }
    return taken_wrongly && n > 0 && !(in->flags & (FLAG_SYN | FLAG_RST)) ? next : from;
}

static void input_open(struct wire_tcp *tcp, const struct wire_packet *in)
{
    const int64_t from = receive_where(tcp, in);
    const size_t length = in->payload_length + (in->flags & FLAG_FIN ? 1 : 0);
    const bool was_open = tcp->state == WIRE_OPEN;

    if (take_reset_or_syn(tcp, in, from) || !(in->flags & FLAG_ACK))
        return;
    /* Long past, or beyond the window. */
    if (from < -(int64_t)INT32_MAX / 2 || from > (int64_t)tcp->advertised) {
        wire_send_ack(tcp);
        return;
    }
    if (!was_open) {
        if (in->ack != tcp->iss + 1)
            return;
        synchronize(tcp, in);
    }
    if (!take_acknowledgement(tcp, in, (uint64_t)MAX(from, 0))) {
        wire_send_ack(tcp);
        return;
    }
    if (length > 0)
        input_octets(tcp, in, from);
    /* A keep-alive has no octet, or an octet that was received before. */
    if (length > 0 || from < (int64_t)tcp->rcv)
        wire_send_ack(tcp);
    wire_end_when_both_closed(tcp);
    wire_send_more(tcp);
}

/* A closed connection still answers a repeated FIN. */
static void input_over(struct wire_tcp *tcp, const struct wire_packet *in)
{
    if (tcp->error == 0 && in->flags & FLAG_FIN && !(in->flags & FLAG_RST))
        wire_send_ack(tcp);
}

void wire_tcp_input(struct wire_tcp *tcp, const struct wire_packet *in, int64_t now)
{
    tcp->now = now;
    switch (tcp->state) {
    case WIRE_SYN_SENT:
        input_syn_sent(tcp, in);
        break;
    case WIRE_SYN_RECEIVED:
    case WIRE_OPEN:
        input_open(tcp, in);
        break;
    case WIRE_OVER:
        input_over(tcp, in);
        break;
    }
}
