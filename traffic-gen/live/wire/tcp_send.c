// SPDX-License-Identifier: GPL-2.0-or-later
/* What a connection sends, and when it retransmits. */
#include "traffic-gen/live/wire/tcp_internal.h"

#include "wire/octets.h"

static const int64_t timeout_ns = 300 * 1000000, timeout_syn_ns = 1000 * 1000000,
                     timeout_max_ns = INT64_C(5000) * 1000000;

/* RFC 6298 without measurements: round trips on the intended links are far shorter. */
void wire_start_timer(struct wire_tcp *tcp)
{
    const int64_t first = tcp->state == WIRE_OPEN ? timeout_ns : timeout_syn_ns;

    tcp->timer = tcp->now + MIN(first << MIN(tcp->backoff, 5u), timeout_max_ns);
}

static void send_emit(struct wire_tcp *tcp, struct frame_tcp *segment)
{
    segment->ip_id = tcp->ip_id++;
    segment->window = wire_window(tcp);
    if (segment->flags & FLAG_ACK) {
        segment->ack = tcp->irs + 1 + (uint32_t)tcp->rcv;
        tcp->advertised = MAX(tcp->advertised, tcp->rcv + segment->window);
    }
    tcp->emit(tcp, segment);
}

void wire_send_syn(struct wire_tcp *tcp)
{
    uint8_t mss[4] = {2, 4};
    struct frame_tcp segment = {.seq = tcp->iss,
                                .flags = FLAG_SYN | (tcp->state == WIRE_SYN_RECEIVED ? FLAG_ACK : 0),
                                .options = mss,
                                .options_length = sizeof mss};

    if (tcp->early && tcp->state == WIRE_SYN_SENT) {
        segment.payload = tcp->early->data;
        segment.payload_length = tcp->early->len;
    }
    put_be16(mss + 2, tcp->own_mss);
    send_emit(tcp, &segment);
    wire_start_timer(tcp);
}

void wire_send_ack(struct wire_tcp *tcp)
{
    /* Sets the timer after segments that were put, as after those of the stream. */
    struct frame_tcp segment = {.seq = wire_seq(tcp, tcp->held ? MAX(tcp->nxt, tcp->max) : tcp->nxt),
                                .flags = FLAG_ACK};

    send_emit(tcp, &segment);
}

void wire_send_reset(struct wire_tcp *tcp)
{
    struct frame_tcp segment = {.seq = wire_seq(tcp, tcp->nxt), .flags = FLAG_RST | FLAG_ACK};

    send_emit(tcp, &segment);
}

/* Sends the octets [from, from + n), and the FIN if it follows. */
static void send_stretch(struct wire_tcp *tcp, uint64_t from, size_t n)
{
    const bool fin = tcp->fin_wanted && from + n == wire_written(tcp);
    struct frame_tcp segment = {.seq = wire_seq(tcp, from),
                                .flags = (uint8_t)(FLAG_ACK | (n > 0 ? FLAG_PSH : 0) | (fin ? FLAG_FIN : 0)),
                                .payload = n > 0 ? tcp->out->data + (from - tcp->una) : NULL,
                                .payload_length = n};

    send_emit(tcp, &segment);
    tcp->fin_sent |= fin;
    tcp->max = MAX(tcp->max, from + n + fin);
}

/* Octets of the segment that begins there: up to the end of its write, or a full segment. */
static size_t stretch_from(const struct wire_tcp *tcp, uint64_t from)
{
    uint64_t end = wire_written(tcp);

    for (guint i = 0; i < tcp->ends->len; i++) {
        const uint64_t each = g_array_index(tcp->ends, uint64_t, i);

        if (each > from) {
            end = MIN(end, each);
            break;
        }
    }
    return (size_t)MIN(end - from, tcp->mss);
}

/* How many more octets the peer's window and the network's allow. */
static uint64_t send_usable(const struct wire_tcp *tcp)
{
    const uint64_t flight = tcp->nxt - tcp->una, window = MIN(tcp->peer_window, tcp->congestion);

    return flight < window ? window - flight : 0;
}

static bool has_more(const struct wire_tcp *tcp)
{
    return tcp->nxt < wire_written(tcp) || (tcp->fin_wanted && !tcp->fin_sent);
}

void wire_send_more(struct wire_tcp *tcp)
{
    while (tcp->state == WIRE_OPEN && !tcp->held && !tcp->corked && has_more(tcp)) {
        size_t n = tcp->nxt < wire_written(tcp) ? stretch_from(tcp, tcp->nxt) : 0;
        const uint64_t room = send_usable(tcp);

        /*
         * The room is small and less than a segment: waits for more, or for the timer, which probes (RFC 9293 section
         * 3.8.6.2.1).
         */
        if (n > room && (room == 0 || room < tcp->widest / 2))
            break;
        n = MIN(n, room);
        send_stretch(tcp, tcp->nxt, n);
        tcp->nxt = MAX(tcp->nxt, MIN(tcp->max, tcp->nxt + n + (tcp->fin_sent ? 1 : 0)));
        if (tcp->timer == 0)
            wire_start_timer(tcp);
    }
    if (tcp->timer == 0 && tcp->state == WIRE_OPEN && !tcp->held && !tcp->corked && has_more(tcp))
        wire_start_timer(tcp);
}

void wire_send_again(struct wire_tcp *tcp)
{
    size_t n = tcp->una < wire_written(tcp) ? stretch_from(tcp, tcp->una) : 0;

    /* Nothing is in flight: the window is too small, and this probes or fills it. */
    if (tcp->nxt == tcp->una && n > 0) {
        n = MIN(n, MAX(tcp->peer_window, 1u));
        send_stretch(tcp, tcp->una, n);
        if (n <= tcp->peer_window)
            tcp->nxt = tcp->una + n;
        else
            tcp->backoff = MIN(tcp->backoff, TRIES_MAX - 1); /* a window may stay closed forever */
    } else if (tcp->nxt > tcp->una || tcp->fin_wanted) {
        send_stretch(tcp, tcp->una, n);
    }
    wire_start_timer(tcp);
}

static void send_grow(struct wire_tcp *tcp, uint64_t acked)
{
    const uint32_t step = tcp->congestion < tcp->threshold
                              ? (uint32_t)MIN(acked, tcp->mss)
                              : (uint32_t)tcp->mss * tcp->mss / MAX(tcp->congestion, tcp->mss) + 1;

    tcp->congestion = MIN(tcp->congestion + step, 4u * WIRE_SEND_ROOM);
}

void wire_take_ack(struct wire_tcp *tcp, uint64_t ack)
{
    const uint64_t octets = MIN(ack, wire_written(tcp)) - tcp->una;
    guint passed = 0;

    send_grow(tcp, octets);
    g_byte_array_remove_range(tcp->out, 0, (guint)octets);
    tcp->una += octets;
    if (ack > tcp->una) {
        tcp->fin_acked = true;
        tcp->una = ack;
    }
    while (passed < tcp->ends->len && g_array_index(tcp->ends, uint64_t, passed) <= tcp->una)
        passed++;
    if (passed > 0)
        g_array_remove_range(tcp->ends, 0, passed);
    tcp->nxt = MAX(tcp->nxt, tcp->una);
    tcp->duplicates = 0;
    tcp->backoff = 0;
    tcp->timer = 0;
    if (tcp->nxt > tcp->una)
        wire_start_timer(tcp);
    if (tcp->una < tcp->recover && tcp->nxt > tcp->una && !tcp->held)
        wire_send_again(tcp);
}

/* ---- segments of the owner's choice ---- */

bool wire_tcp_put(struct wire_tcp *tcp, const struct wire_put *put)
{
    const int64_t end = put->from + (int64_t)put->n;
    struct frame_tcp segment = {.seq = wire_seq(tcp, (uint64_t)put->from),
                                .flags = (uint8_t)(put->flags | (put->no_ack ? 0 : FLAG_ACK)),
                                .urgent = put->urgent,
                                .traffic_class = put->traffic_class,
                                .bad_checksum = put->bad_checksum,
                                .payload = put->p,
                                .payload_length = put->n};

    if (tcp->state != WIRE_OPEN)
        return false;
    /* Sets what may be acknowledged from now on. */
    if (put->n > 0 && end > (int64_t)tcp->max)
        tcp->max = (uint64_t)MIN(end, (int64_t)wire_written(tcp));
    send_emit(tcp, &segment);
    return true;
}
