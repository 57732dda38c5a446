// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a connection, and the functions for its owner. */
#include "traffic-gen/live/wire/tcp_internal.h"

#include <errno.h>
#include <string.h>

struct wire_tcp *wire_tcp_new(const struct frame_path *path, uint16_t mss, unsigned limit,
                              void (*emit)(struct wire_tcp *tcp, const struct frame_tcp *segment), void *owner)
{
    struct wire_tcp *tcp = g_new0(struct wire_tcp, 1);

    tcp->path = *path;
    tcp->own_mss = mss;
    tcp->mss = MIN(mss, DEFAULT_MSS);
    tcp->limit = MIN(limit > 0 ? limit : WIRE_WINDOW, WIRE_WINDOW);
    tcp->emit = emit;
    tcp->owner = owner;
    tcp->iss = g_random_int();
    tcp->out = g_byte_array_new();
    tcp->in = g_byte_array_new();
    tcp->ends = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    tcp->threshold = UINT32_MAX / 2; /* slow start until the first loss */
    tcp->advertised = tcp->limit;
    return tcp;
}

void wire_tcp_free(struct wire_tcp *tcp)
{
    g_queue_clear_full(&tcp->beyond, g_free);
    g_byte_array_unref(tcp->out);
    g_byte_array_unref(tcp->in);
    g_array_unref(tcp->ends);
    g_clear_pointer(&tcp->early, g_byte_array_unref);
    g_free(tcp);
}

void wire_end(struct wire_tcp *tcp, int error)
{
    if (tcp->state == WIRE_OVER)
        return;
    tcp->state = WIRE_OVER;
    tcp->error = error;
    tcp->timer = 0;
}

void wire_end_when_both_closed(struct wire_tcp *tcp)
{
    if (tcp->fin_acked && tcp->peer_fin)
        wire_end(tcp, 0);
}

void wire_tcp_connect(struct wire_tcp *tcp, const uint8_t *early, size_t n, int64_t now)
{
    tcp->now = now;
    if (n > 0) {
        tcp->early = g_byte_array_new();
        g_byte_array_append(tcp->early, early, (guint)MIN(n, DEFAULT_MSS));
    }
    tcp->state = WIRE_SYN_SENT;
    wire_send_syn(tcp);
}

size_t wire_tcp_room(const struct wire_tcp *tcp)
{
    return tcp->out->len < WIRE_SEND_ROOM ? WIRE_SEND_ROOM - tcp->out->len : 0;
}

size_t wire_tcp_write(struct wire_tcp *tcp, const uint8_t *p, size_t n, int64_t now)
{
    const size_t taken = MIN(n, wire_tcp_room(tcp)), had = MIN(taken, tcp->early_left);

    if (tcp->state != WIRE_OPEN || tcp->fin_wanted || taken == 0)
        return 0;
    tcp->now = now;
    tcp->early_left -= had;
    if (had == taken)
        return taken;
    g_byte_array_append(tcp->out, p + had, (guint)(taken - had));
    if (!tcp->corked) {
        const uint64_t end = wire_written(tcp);

        g_array_append_val(tcp->ends, end);
    }
    wire_send_more(tcp);
    return taken;
}

void wire_tcp_cork(struct wire_tcp *tcp, bool on, int64_t now)
{
    const uint64_t end = wire_written(tcp);

    if (tcp->corked && !on && tcp->out->len > 0)
        g_array_append_val(tcp->ends, end);
    tcp->corked = on;
    tcp->now = now;
    wire_send_more(tcp);
}

size_t wire_tcp_unread(const struct wire_tcp *tcp)
{
    return tcp->in->len - tcp->in_read;
}

/* The window promised before the octets were read, and the window possible now. */
static void tell_of_room(struct wire_tcp *tcp)
{
    const uint64_t promised = tcp->advertised - tcp->rcv;
    const unsigned worth = MIN(2u * tcp->mss, MAX(tcp->limit / 2, 1u));

    if (tcp->state == WIRE_OPEN && !tcp->peer_fin && wire_window(tcp) >= promised + worth)
        wire_send_ack(tcp);
}

size_t wire_tcp_read(struct wire_tcp *tcp, uint8_t *p, size_t size, int64_t now)
{
    const size_t n = MIN(size, wire_tcp_unread(tcp));

    if (n == 0)
        return 0;
    tcp->now = now;
    memcpy(p, tcp->in->data + tcp->in_read, n);
    tcp->in_read += (guint)n;
    if (tcp->in_read == tcp->in->len) {
        g_byte_array_set_size(tcp->in, 0);
        tcp->in_read = 0;
    }
    tell_of_room(tcp);
    return n;
}

uint64_t wire_tcp_unacknowledged(const struct wire_tcp *tcp)
{
    return tcp->state == WIRE_OVER && tcp->error == 0 ? 0 : tcp->out->len + (tcp->fin_wanted && !tcp->fin_acked);
}

void wire_tcp_finish(struct wire_tcp *tcp, int64_t now)
{
    if (tcp->fin_wanted || tcp->state == WIRE_OVER)
        return;
    tcp->fin_wanted = true;
    tcp->now = now;
    if (tcp->corked)
        wire_tcp_cork(tcp, false, now);
    if (tcp->state == WIRE_OPEN)
        wire_send_more(tcp);
    else if (tcp->state == WIRE_SYN_SENT)
        wire_end(tcp, ECONNABORTED);
}

void wire_tcp_reset(struct wire_tcp *tcp, int error)
{
    if (tcp->state == WIRE_OPEN || tcp->state == WIRE_SYN_RECEIVED)
        wire_send_reset(tcp);
    wire_end(tcp, error);
}

void wire_tcp_set_limit(struct wire_tcp *tcp, unsigned limit, int64_t now)
{
    tcp->limit = MIN(limit, WIRE_WINDOW);
    tcp->now = now;
    if (tcp->state == WIRE_OPEN)
        wire_send_ack(tcp);
}

void wire_tcp_hold(struct wire_tcp *tcp, bool on, int64_t now)
{
    tcp->held = on;
    tcp->now = now;
    if (on || tcp->state != WIRE_OPEN)
        return;
    /* Segments that were put count as sent; missing acknowledgements show holes. */
    tcp->nxt = MAX(tcp->nxt, tcp->max);
    if (tcp->nxt > tcp->una)
        wire_start_timer(tcp);
    wire_send_more(tcp);
}

void wire_tcp_tick(struct wire_tcp *tcp, int64_t now)
{
    tcp->now = now;
    if (tcp->timer == 0 || now < tcp->timer || tcp->state == WIRE_OVER)
        return;
    if (tcp->held) {
        tcp->timer = 0;
        return;
    }
    if (++tcp->backoff > TRIES_MAX) {
        wire_end(tcp, ETIMEDOUT);
        return;
    }
    if (tcp->state != WIRE_OPEN) {
        wire_send_syn(tcp);
        return;
    }
    if (tcp->nxt > tcp->una) {
        tcp->threshold = MAX((uint32_t)(tcp->nxt - tcp->una) / 2, 2u * tcp->mss);
        tcp->congestion = tcp->mss;
        tcp->recover = tcp->nxt;
    }
    wire_send_again(tcp);
}

/* RFC 1191, RFC 8201; a smaller path MTU would be an attack. Octets in flight are sent again in smaller segments. */
void wire_tcp_too_big(struct wire_tcp *tcp, uint32_t mtu, uint32_t seq, int64_t now)
{
    const unsigned heads = tcp->path.ipv6 ? 60 : 40;
    const int64_t offset = wire_offset_out(tcp, seq);

    if (tcp->state != WIRE_OPEN || offset < (int64_t)tcp->una || offset > (int64_t)tcp->max || mtu < heads + MSS_MIN ||
        mtu - heads >= tcp->mss)
        return;
    if (tcp->fault == WIRE_FAULT_PATH) {
        wire_tcp_reset(tcp, ECONNABORTED);
        return;
    }
    if (tcp->fault == WIRE_FAULT_SHRINK && tcp->out->len > 0)
        g_byte_array_remove_index(tcp->out, 0);
    tcp->mss = (uint16_t)(mtu - heads);
    tcp->now = now;
    tcp->recover = tcp->nxt;
    if (!tcp->held)
        wire_send_again(tcp);
}
