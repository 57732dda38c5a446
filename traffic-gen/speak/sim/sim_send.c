// SPDX-License-Identifier: GPL-2.0-or-later
/* The packets that an end of the simulated TCP sends, and deliberate trouble for them. */
#include "traffic-gen/speak/sim/sim_tcp_internal.h"
#include "wire/octets.h"

static size_t syn_options(const struct sim_connection *connection, unsigned side, uint8_t *p)
{
    size_t n = 0;

    p[n++] = 2; /* maximum segment size */
    p[n++] = 4;
    put_be16(p + n, connection->options.mss[side]);
    n += 2;
    if (!connection->options.no_sack[side]) {
        p[n++] = 4; /* SACK permitted */
        p[n++] = 2;
    } else {
        p[n++] = 1;
        p[n++] = 1;
    }
    p[n++] = 1;
    p[n++] = 3; /* window scale */
    p[n++] = 3;
    p[n++] = WINDOW_SCALE;
    p[n++] = 1;
    p[n++] = 1;
    return n;
}

/* The packet passes the tap. */
void sim_capture(struct sim_connection *connection, unsigned side, const struct packet *packet)
{
    struct sim *sim = connection->sim;
    struct frame_path path = connection->options.path;
    uint8_t options[40];
    struct frame_tcp tcp = {
        .side = side,
        .seq = packet->seq,
        .ack = packet->ack,
        .flags = packet->flags,
        .window = packet->window,
        .ip_id = packet->ip_id,
        .payload = packet->is_raw        ? packet->raw
                   : packet->length == 0 ? NULL /* the stream may be empty */
                                         : connection->end[side].stream->data + packet->offset,
        .payload_length = packet->length,
        .options = options,
    };

    if (connection->uncaptured || packet->uncaptured || random_chance(&sim->random, sim->trouble.capture_loss))
        return;
    path.no_df |= packet->no_df || packet->fragment;
    if (packet->flags & SEG_SYN)
        tcp.options_length = syn_options(connection, side, options);

    size_t n = frame_encode(&path, &tcp, sim->frame), length[2];

    if (packet->fragment && frame_fragment(&path, sim->frame, n, 40, sim->fragment, length)) {
        for (unsigned i = 0; i < 2; i++)
            sim->write_failed |= !capture_file_packet(sim->file, sim->now + i * 100, sim->fragment[i], length[i]);
        return;
    }
    sim->write_failed |= !capture_file_packet(sim->file, sim->now, sim->frame, n);
}

/* Puts a packet on its way; takes ownership. `first` is false for retransmissions, which have no deliberate trouble. */
void sim_depart(struct sim_connection *connection, unsigned side, struct packet *packet, const struct sim_how *how,
                bool first)
{
    struct end *end = &connection->end[side];
    /* Octets that the capture must not show must not be retransmitted later. */
    const struct sim_travel travel = {
        .troubled = !(packet->flags & SEG_RST) && !packet->is_raw && !connection->uncaptured, .absent = packet->is_raw};

    packet->ip_id = end->ip_id++;
    if (how && first)
        packet->uncaptured = how->uncaptured;
    if (how) {
        packet->fragment = how->fragment;
        packet->no_df = how->no_df;
    }
    sim_travel(connection->sim, &end->lane,
               &(struct event){.transport = &sim_tcp, .connection = connection, .side = side, .packet = packet},
               &travel, first ? how : NULL);
    sim_tcp.packet_free(packet);
}

/* The window field, in units of the scale except in a SYN; never less than advertised before. */
static uint16_t window_of(const struct sim_connection *connection, unsigned side, uint8_t flags)
{
    const struct end *end = &connection->end[side];
    uint32_t size = connection->sim->trouble.window;
    uint64_t held = end->rcv_nxt - MIN(end->read, end->rcv_nxt);

    if (size == 0)
        return WINDOW;
    size = held < size ? size - (uint32_t)held : 0;
    return (uint16_t)MIN(flags & SEG_SYN ? size : size >> WINDOW_SCALE, UINT16_MAX);
}

struct packet *sim_packet_new(struct sim_connection *connection, unsigned side, uint8_t flags, uint64_t offset,
                              uint32_t length)
{
    struct end *end = &connection->end[side];
    struct packet *packet = g_new0(struct packet, 1);

    packet->flags = flags;
    packet->offset = offset;
    packet->length = length;
    packet->acked = end->rcv_nxt;
    packet->seq = connection->options.isn[side] + 1 + (uint32_t)offset - (flags & SEG_SYN ? 1 : 0);
    packet->ack = flags & SEG_ACK ? connection->options.isn[!side] + 1 + (uint32_t)end->rcv_nxt : 0;
    packet->window = window_of(connection, side, flags);
    end->advertised = end->rcv_nxt + ((uint64_t)packet->window << (flags & SEG_SYN ? 0 : WINDOW_SCALE));
    packet->fin = flags & SEG_FIN;
    return packet;
}

static void acknowledged_by_this(struct end *end)
{
    end->ack_pending = end->ack_now = false;
    end->unacked_segments = 0;
    end->ack_generation++;
}

void sim_send_ack(struct sim_connection *connection, unsigned side)
{
    acknowledged_by_this(&connection->end[side]);
    sim_depart(connection, side, sim_packet_new(connection, side, SEG_ACK, connection->end[side].snd_nxt, 0), NULL,
               true);
}

/* Sends a probe with an octet that was acknowledged long ago: the answer advertises the window. */
void sim_send_probe(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];
    struct packet *packet = sim_packet_new(connection, side, SEG_ACK, end->snd_nxt - 1, 0);

    packet->probe = true;
    sim_depart(connection, side, packet, NULL, true);
}

void sim_send_syn(struct sim_connection *connection, unsigned side)
{
    uint8_t flags = side == 0 ? SEG_SYN : SEG_SYN | SEG_ACK;

    sim_depart(connection, side, sim_packet_new(connection, side, flags, 0, 0), NULL, true);
}

void sim_start_rto(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];
    int64_t wait = (end->established ? RTO_NS : SYN_RTO_NS) +
                   4 * (connection->sim->trouble.delay_ns + connection->sim->trouble.jitter_ns);

    sim_tcp_schedule(connection, (struct event){.time = connection->sim->now + (wait << end->backoff),
                                                .kind = EVENT_RTO,
                                                .side = side,
                                                .generation = ++end->rto_generation});
}

static uint32_t sim_segment_limit(const struct sim_connection *connection, unsigned side)
{
    return MAX((uint32_t)connection->options.mss[!side],
               MAX(connection->options.segment_max, connection->sim->trouble.segment_max));
}

uint32_t sim_worthwhile(const struct sim_connection *connection, unsigned side)
{
    return MIN((uint32_t)connection->options.mss[!side], MAX(connection->sim->trouble.window / 2, 1));
}

void sim_send_new(struct sim_connection *connection, unsigned side, uint64_t from, uint64_t to, bool fin,
                  const struct sim_how *how)
{
    struct end *end = &connection->end[side];
    struct sim *sim = connection->sim;
    bool idle = end->first_unacked == end->sent->len;
    uint32_t limit = sim_segment_limit(connection, side);
    struct sim_how now = *how;

    do {
        uint32_t length = (uint32_t)MIN(to - from, limit);

        if (length > 1 && random_chance(&sim->random, sim->trouble.resegment))
            length = 1 + (uint32_t)random_below(&sim->random, length);

        bool last = from + length == to;
        struct sent sent = {.offset = from, .length = length, .fin = fin && last, .how = now};
        uint8_t flags = (uint8_t)(SEG_ACK | (length && last ? SEG_PSH : 0) | (sent.fin ? SEG_FIN : 0));

        g_array_append_val(end->sent, sent);
        acknowledged_by_this(end);
        sim_depart(connection, side, sim_packet_new(connection, side, flags, from, length), &now, true);
        now.lose = now.lose_before = now.late = now.twice = false; /* only for the first segment */
        from += length;
        end->snd_nxt = from + sent.fin;
    } while (from < to);
    if (idle)
        sim_start_rto(connection, side);
}

void sim_retransmit_first(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];
    struct sim *sim = connection->sim;

    if (end->first_unacked >= end->sent->len)
        return;

    const struct sent *sent = &g_array_index(end->sent, struct sent, end->first_unacked);
    uint64_t from = MAX(sent->offset, end->snd_una), to = sent->offset + sent->length;
    bool fin = sent->fin;

    if (random_chance(&sim->random, sim->trouble.resegment)) {
        if (end->first_unacked + 1 < end->sent->len && random_below(&sim->random, 2) == 0) {
            /* Joins it with later octets, up to a segment's size. */
            const struct sent *next = sent + 1;
            uint64_t longest = from + sim_segment_limit(connection, side);

            to = MIN(longest, next->offset + next->length);
            fin = next->fin && to == next->offset + next->length;
        } else if (to - from > 1) {
            to = from + 1 + random_below(&sim->random, to - from - 1);
            fin = false;
        }
    }
    acknowledged_by_this(end);
    sim_depart(connection, side,
               sim_packet_new(connection, side, (uint8_t)(SEG_ACK | (to > from ? SEG_PSH : 0) | (fin ? SEG_FIN : 0)),
                              from, (uint32_t)(to - from)),
               &sent->how, false);
}
