// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/sim_tcp.h"

#include "traffic-gen/random.h"
#include "wire/octets.h"

#include <glib.h>
#include <string.h>

enum {
    HALF_PATH_NS = 25000,  /* end to tap, tap to end */
    SEGMENT_GAP_NS = 1000, /* between two segments of one sender */
    APPLICATION_NS = 8000, /* from arrival to the answer */
    DELAYED_ACK_NS = 1000000,
    REORDER_MIN_NS = 30000,
    REORDER_SPAN_NS = 300000,
    LATE_NS = 400000,
    RTO_NS = 200000000,
    SYN_RTO_NS = 1000000000,
    RTO_BACKOFF_MAX = 6,
    DUPLICATE_ACKS = 3,
    WINDOW_SCALE = 7,
    WINDOW = 65535,
};

struct action {
    enum sim_step_kind kind;
    struct sim_how how;
    uint64_t from, to; /* SIM_WRITE: stream octets */
    bool on;           /* SIM_CAPTURING */
    struct sim_raw raw;
    bool gate_open;
    int64_t ready_at;
};

/* A stretch of the stream as first sent. */
struct sent {
    uint64_t offset;
    uint32_t length;
    bool fin;
    struct sim_how how;
};

struct range {
    uint64_t from, to;
};

struct end {
    GByteArray *stream;
    GArray *script; /* struct action */
    unsigned next_action;
    bool fin_scripted, fin_sent;
    uint64_t snd_nxt, snd_una; /* stream offsets; FIN counts as one octet */
    GArray *sent;              /* struct sent, from first_unacked on still in flight */
    unsigned first_unacked;
    uint64_t recover; /* retransmit on partial acknowledgements up to here */
    unsigned duplicate_acks, backoff;
    uint64_t rto_generation, ack_generation;
    bool established, dead;
    uint64_t rcv_nxt;
    GArray *beyond; /* struct range, received out of order, ascending, disjoint */
    unsigned unacked_segments;
    bool ack_pending, ack_now;
    int64_t next_departure;
    uint16_t ip_id;
};

struct sim_connection {
    struct sim *sim;
    struct sim_connection_options options;
    struct end end[2];
    struct sim_connection *before;
    GPtrArray *after;
    bool started, over, uncaptured;
};

struct packet {
    uint8_t flags;
    uint32_t seq, ack;
    uint64_t offset, acked;
    uint32_t length;
    uint16_t window;
    uint16_t ip_id;
    uint8_t *raw; /* owned payload of a raw segment; else it is taken from the stream */
    bool is_raw, uncaptured, fragment, no_df, fin;
};

enum event_kind { EVENT_START, EVENT_TAP, EVENT_ARRIVE, EVENT_RTO, EVENT_ACK, EVENT_APPLICATION };

struct event {
    int64_t time;
    uint64_t serial;
    enum event_kind kind;
    struct sim_connection *connection;
    unsigned side; /* TAP, ARRIVE: the sender; else the owner */
    uint64_t generation;
    struct packet *packet; /* owned */
};

struct sim {
    struct capture_file *file;
    int64_t now;
    struct random_source random;
    struct sim_trouble trouble;
    GArray *heap; /* struct event, a binary heap by (time, serial) */
    uint64_t serial;
    GPtrArray *connections;
    uint8_t *frame, *fragment[2];
    bool write_failed;
};

/* ---- the event heap ---- */

static bool earlier(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->serial < b->serial;
}

static void schedule(struct sim *sim, struct event event)
{
    event.serial = sim->serial++;
    g_array_append_val(sim->heap, event);

    struct event *heap = (struct event *)(void *)sim->heap->data;

    for (unsigned i = sim->heap->len - 1; i > 0 && earlier(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        struct event swapped = heap[i];

        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = swapped;
    }
}

static struct event take_first(struct sim *sim)
{
    struct event *heap = (struct event *)(void *)sim->heap->data;
    struct event first = heap[0];
    unsigned n = sim->heap->len - 1;

    heap[0] = heap[n];
    g_array_set_size(sim->heap, n);
    for (unsigned i = 0;;) {
        unsigned least = i;

        for (unsigned child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++) {
            if (earlier(&heap[child], &heap[least]))
                least = child;
        }
        if (least == i)
            break;

        struct event swapped = heap[i];

        heap[i] = heap[least];
        heap[least] = swapped;
        i = least;
    }
    return first;
}

static void packet_free(struct packet *packet)
{
    if (packet)
        g_free(packet->raw);
    g_free(packet);
}

static struct packet *packet_copy(const struct packet *packet)
{
    struct packet *copy = g_memdup2(packet, sizeof(*packet));

    copy->raw = packet->raw ? g_memdup2(packet->raw, packet->length) : NULL;
    return copy;
}

/* ---- sending ---- */

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
static void capture(struct sim_connection *connection, unsigned side, const struct packet *packet)
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

static int64_t detour(struct sim *sim)
{
    return REORDER_MIN_NS + (int64_t)random_below(&sim->random, REORDER_SPAN_NS);
}

/* Puts a packet on its way; takes ownership. `first` is false for retransmissions, which nothing befalls on purpose. */
static void depart(struct sim_connection *connection, unsigned side, struct packet *packet, const struct sim_how *how,
                   bool first)
{
    struct sim *sim = connection->sim;
    struct end *end = &connection->end[side];
    int64_t departure = MAX(sim->now, end->next_departure);
    int64_t to_tap = HALF_PATH_NS, to_end = HALF_PATH_NS;
    bool troubled = !(packet->flags & SEG_RST) && !packet->is_raw;
    bool lost = troubled && random_chance(&sim->random, sim->trouble.loss), lost_before_tap = false;
    bool twice = troubled && random_chance(&sim->random, sim->trouble.dup);
    bool deliver = true, show = true;

    end->next_departure = departure + SEGMENT_GAP_NS;
    packet->ip_id = end->ip_id++;
    if (lost)
        lost_before_tap = random_below(&sim->random, 2) == 0;
    if (troubled && random_chance(&sim->random, sim->trouble.reorder)) {
        if (random_below(&sim->random, 2) == 0)
            to_tap += detour(sim);
        else
            to_end += detour(sim);
    }
    if (how && first) {
        lost |= how->lose || how->lose_before;
        lost_before_tap |= how->lose_before;
        twice |= how->twice;
        packet->uncaptured = how->uncaptured;
        if (how->late)
            to_tap += LATE_NS;
    }
    if (how) {
        packet->fragment = how->fragment;
        packet->no_df = how->no_df;
    }
    deliver = !lost && !packet->is_raw;
    show = !lost_before_tap;
    for (unsigned copy = 0; copy < (twice ? 2u : 1u); copy++) {
        struct event event = {.connection = connection, .side = side, .time = departure + to_tap + copy * 3000};

        if (show) {
            event.kind = EVENT_TAP;
            event.packet = packet_copy(packet);
            schedule(sim, event);
        }
        if (deliver) {
            event.kind = EVENT_ARRIVE;
            event.time += to_end;
            event.packet = packet_copy(packet);
            schedule(sim, event);
        }
    }
    packet_free(packet);
}

static struct packet *packet_new(const struct sim_connection *connection, unsigned side, uint8_t flags, uint64_t offset,
                                 uint32_t length)
{
    const struct end *end = &connection->end[side];
    struct packet *packet = g_new0(struct packet, 1);

    packet->flags = flags;
    packet->offset = offset;
    packet->length = length;
    packet->acked = end->rcv_nxt;
    packet->seq = connection->options.isn[side] + 1 + (uint32_t)offset - (flags & SEG_SYN ? 1 : 0);
    packet->ack = flags & SEG_ACK ? connection->options.isn[!side] + 1 + (uint32_t)end->rcv_nxt : 0;
    packet->window = WINDOW;
    packet->fin = flags & SEG_FIN;
    return packet;
}

static void acknowledged_by_this(struct end *end)
{
    end->ack_pending = end->ack_now = false;
    end->unacked_segments = 0;
    end->ack_generation++;
}

static void send_ack(struct sim_connection *connection, unsigned side)
{
    acknowledged_by_this(&connection->end[side]);
    depart(connection, side, packet_new(connection, side, SEG_ACK, connection->end[side].snd_nxt, 0), NULL, true);
}

static void send_syn(struct sim_connection *connection, unsigned side)
{
    uint8_t flags = side == 0 ? SEG_SYN : SEG_SYN | SEG_ACK;

    depart(connection, side, packet_new(connection, side, flags, 0, 0), NULL, true);
}

static void start_rto(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];
    int64_t wait = end->established ? RTO_NS : SYN_RTO_NS;

    schedule(connection->sim, (struct event){.time = connection->sim->now + (wait << end->backoff),
                                             .kind = EVENT_RTO,
                                             .connection = connection,
                                             .side = side,
                                             .generation = ++end->rto_generation});
}

static uint32_t segment_limit(const struct sim_connection *connection, unsigned side)
{
    return MAX((uint32_t)connection->options.mss[!side], connection->options.segment_max);
}

static void send_new(struct sim_connection *connection, unsigned side, uint64_t from, uint64_t to, bool fin,
                     const struct sim_how *how)
{
    struct end *end = &connection->end[side];
    struct sim *sim = connection->sim;
    bool idle = end->first_unacked == end->sent->len;
    uint32_t limit = segment_limit(connection, side);
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
        depart(connection, side, packet_new(connection, side, flags, from, length), &now, true);
        now.lose = now.lose_before = now.late = now.twice = false; /* strikes the first segment */
        from += length;
        end->snd_nxt = from + sent.fin;
    } while (from < to);
    if (idle)
        start_rto(connection, side);
}

static void retransmit_first(struct sim_connection *connection, unsigned side)
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
            /* Join with what follows, as far as a segment holds. */
            const struct sent *next = sent + 1;
            uint64_t longest = from + segment_limit(connection, side);

            to = MIN(longest, next->offset + next->length);
            fin = next->fin && to == next->offset + next->length;
        } else if (to - from > 1) {
            to = from + 1 + random_below(&sim->random, to - from - 1);
            fin = false;
        }
    }
    acknowledged_by_this(end);
    depart(connection, side,
           packet_new(connection, side, (uint8_t)(SEG_ACK | (to > from ? SEG_PSH : 0) | (fin ? SEG_FIN : 0)), from,
                      (uint32_t)(to - from)),
           &sent->how, false);
}

/* ---- the script ---- */

static bool gate_open(const struct sim_connection *connection, unsigned side, const struct action *action)
{
    const struct end *end = &connection->end[side];

    return end->established && end->rcv_nxt >= action->how.received &&
           (!action->how.acked || end->snd_una == end->snd_nxt);
}

/* Whether the action may run now; arranges to be asked again when only time is missing. */
static bool is_due(struct sim_connection *connection, unsigned side, struct action *action)
{
    if (!action->gate_open) {
        if (!gate_open(connection, side, action))
            return false;
        action->gate_open = true;
        action->ready_at = connection->sim->now + action->how.delay_ns + (action->how.received ? APPLICATION_NS : 0);
        if (action->ready_at > connection->sim->now)
            schedule(connection->sim,
                     (struct event){
                         .time = action->ready_at, .kind = EVENT_APPLICATION, .connection = connection, .side = side});
    }
    return connection->sim->now >= action->ready_at;
}

static void send_raw(struct sim_connection *connection, unsigned side, const struct action *action)
{
    const struct sim_raw *raw = &action->raw;
    struct packet *packet =
        packet_new(connection, side, raw->flags ? raw->flags : SEG_ACK, raw->offset, (uint32_t)raw->n);

    packet->is_raw = true;
    packet->raw = g_memdup2(raw->p, raw->n);
    packet->ack += (uint32_t)raw->ack_delta;
    if (raw->zero_window)
        packet->window = 0;
    depart(connection, side, packet, &action->how, true);
}

static void finish_if_over(struct sim_connection *connection)
{
    struct sim *sim = connection->sim;

    if (connection->over)
        return;
    for (unsigned side = 0; side < 2; side++) {
        const struct end *end = &connection->end[side];

        if (!end->dead && (!end->fin_sent || end->snd_una < end->snd_nxt))
            return;
    }
    connection->over = true;
    for (unsigned i = 0; i < connection->after->len; i++) {
        struct sim_connection *next = g_ptr_array_index(connection->after, i);

        schedule(sim, (struct event){.time = sim->now + next->options.delay_ns + LATE_NS,
                                     .kind = EVENT_START,
                                     .connection = next});
    }
}

static void run_script(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];
    struct sim *sim = connection->sim;

    while (end->next_action < end->script->len) {
        struct action *action = &g_array_index(end->script, struct action, end->next_action);

        if (end->dead && action->kind != SIM_RAW && action->kind != SIM_CAPTURING) {
            end->next_action++;
            continue;
        }
        if (!is_due(connection, side, action))
            return;
        end->next_action++;
        switch (action->kind) {
        case SIM_WRITE: {
            uint64_t to = action->to;

            /* Now and then the sender joins what is ready to go, as Nagle's algorithm does. */
            while (end->next_action < end->script->len && random_chance(&sim->random, sim->trouble.resegment)) {
                struct action *next = &g_array_index(end->script, struct action, end->next_action);

                if (next->kind != SIM_WRITE || next->how.delay_ns || !gate_open(connection, side, next))
                    break;
                to = next->to;
                end->next_action++;
            }
            send_new(connection, side, action->from, to, false, &action->how);
            break;
        }
        case SIM_FIN:
            end->fin_sent = true;
            send_new(connection, side, end->snd_nxt, end->snd_nxt, true, &action->how);
            break;
        case SIM_RESET:
            depart(connection, side, packet_new(connection, side, SEG_RST | SEG_ACK, end->snd_nxt, 0), &action->how,
                   true);
            end->dead = true;
            break;
        case SIM_CAPTURING:
            connection->uncaptured = !action->on;
            break;
        case SIM_RAW:
            send_raw(connection, side, action);
            break;
        }
    }
}

/* ---- receiving ---- */

/* Adds [from, to) to what was received; true when rcv_nxt moved. */
static bool receive_range(struct end *end, uint64_t from, uint64_t to)
{
    GArray *beyond = end->beyond;
    uint64_t before = end->rcv_nxt;

    if (from > end->rcv_nxt) {
        struct range range = {from, to};
        unsigned i = 0;

        while (i < beyond->len && g_array_index(beyond, struct range, i).from < from)
            i++;
        g_array_insert_val(beyond, i, range);
    } else if (to > end->rcv_nxt) {
        end->rcv_nxt = to;
    }
    while (beyond->len && g_array_index(beyond, struct range, 0).from <= end->rcv_nxt) {
        end->rcv_nxt = MAX(end->rcv_nxt, g_array_index(beyond, struct range, 0).to);
        g_array_remove_index(beyond, 0);
    }
    return end->rcv_nxt > before;
}

/* side's segments up to `acked` are acknowledged. */
static void receive_ack(struct sim_connection *connection, unsigned side, uint64_t acked, bool pure)
{
    struct end *end = &connection->end[side];

    if (acked > end->snd_nxt)
        return;
    if (acked > end->snd_una) {
        end->snd_una = acked;
        end->duplicate_acks = end->backoff = 0;
        while (end->first_unacked < end->sent->len) {
            const struct sent *sent = &g_array_index(end->sent, struct sent, end->first_unacked);

            if (sent->offset + sent->length + sent->fin > acked)
                break;
            end->first_unacked++;
        }
        end->rto_generation++;
        if (end->first_unacked < end->sent->len) {
            start_rto(connection, side);
            if (acked < end->recover)
                retransmit_first(connection, side);
        }
        finish_if_over(connection);
    } else if (pure && acked == end->snd_una && end->first_unacked < end->sent->len &&
               ++end->duplicate_acks == DUPLICATE_ACKS) {
        end->recover = end->snd_nxt;
        retransmit_first(connection, side);
    }
}

static void arrive_handshake(struct sim_connection *connection, unsigned receiver, const struct packet *packet)
{
    struct end *end = &connection->end[receiver];

    if (receiver == 1) {
        /* The SYN, perhaps again: answer it, and again until it is acknowledged. */
        send_syn(connection, 1);
        if (!end->established)
            start_rto(connection, 1);
    } else if (packet->flags & SEG_ACK) {
        if (!end->established) {
            end->established = true;
            end->backoff = 0;
            end->rto_generation++;
        }
        send_ack(connection, 0);
        run_script(connection, 0);
    }
}

static void arrive(struct sim_connection *connection, unsigned sender, const struct packet *packet)
{
    unsigned receiver = !sender;
    struct end *end = &connection->end[receiver];

    if (end->dead)
        return;
    if (packet->flags & SEG_RST) {
        end->dead = true;
        run_script(connection, receiver);
        finish_if_over(connection);
        return;
    }
    if (packet->flags & SEG_SYN) {
        arrive_handshake(connection, receiver, packet);
        return;
    }
    if (!end->established && receiver == 0)
        return;
    if (!end->established) {
        end->established = true;
        end->backoff = 0;
        end->rto_generation++;
    }
    receive_ack(connection, receiver, packet->acked, packet->length == 0 && !packet->fin);
    if (packet->length || packet->fin) {
        uint64_t behind = packet->offset + packet->length + packet->fin;
        bool in_order = packet->offset == end->rcv_nxt && end->beyond->len == 0;

        receive_range(end, packet->offset, behind);
        end->ack_pending = true;
        if (!in_order || packet->fin || ++end->unacked_segments >= 2)
            end->ack_now = true;
    }
    run_script(connection, receiver);
    if (end->ack_pending && end->ack_now) {
        send_ack(connection, receiver);
    } else if (end->ack_pending) {
        schedule(connection->sim, (struct event){.time = connection->sim->now + DELAYED_ACK_NS,
                                                 .kind = EVENT_ACK,
                                                 .connection = connection,
                                                 .side = receiver,
                                                 .generation = end->ack_generation});
    }
}

static void retransmission_timer(struct sim_connection *connection, unsigned side)
{
    struct end *end = &connection->end[side];

    if (end->dead)
        return;
    if (end->backoff < RTO_BACKOFF_MAX)
        end->backoff++;
    if (!end->established) {
        send_syn(connection, side);
    } else {
        end->recover = end->snd_nxt;
        retransmit_first(connection, side);
    }
    start_rto(connection, side);
}

static void start(struct sim_connection *connection)
{
    connection->started = true;
    send_syn(connection, 0);
    start_rto(connection, 0);
}

bool sim_run(struct sim *sim, const char **why)
{
    while (sim->heap->len && !sim->write_failed) {
        struct event event = take_first(sim);
        struct sim_connection *connection = event.connection;
        struct end *end = &connection->end[event.side];

        if ((event.kind == EVENT_RTO && event.generation != end->rto_generation) ||
            (event.kind == EVENT_ACK && event.generation != end->ack_generation))
            continue; /* overtaken by events: does not move the clock */
        sim->now = event.time;
        switch (event.kind) {
        case EVENT_START:
            start(connection);
            break;
        case EVENT_TAP:
            capture(connection, event.side, event.packet);
            break;
        case EVENT_ARRIVE:
            arrive(connection, event.side, event.packet);
            break;
        case EVENT_RTO:
            retransmission_timer(connection, event.side);
            break;
        case EVENT_ACK:
            send_ack(connection, event.side);
            break;
        case EVENT_APPLICATION:
            run_script(connection, event.side);
            break;
        }
        packet_free(event.packet);
    }
    if (sim->write_failed) {
        *why = "the capture file cannot be written";
        return false;
    }
    for (unsigned i = 0; i < sim->connections->len; i++) {
        const struct sim_connection *connection = g_ptr_array_index(sim->connections, i);

        for (unsigned side = 0; side < 2; side++) {
            if (connection->end[side].next_action < connection->end[side].script->len) {
                *why = side == 0 ? "the connecting side waits for something that never comes"
                                 : "the accepting side waits for something that never comes";
                return false;
            }
        }
    }
    return true;
}

/* ---- life, and the script's authors ---- */

struct sim *sim_new(struct capture_file *file, int64_t start_ns, uint64_t seed, const struct sim_trouble *trouble)
{
    struct sim *sim = g_new0(struct sim, 1);

    sim->file = file;
    sim->now = start_ns;
    sim->random.state = seed;
    if (trouble)
        sim->trouble = *trouble;
    sim->heap = g_array_new(FALSE, FALSE, sizeof(struct event));
    sim->connections = g_ptr_array_new();
    sim->frame = g_malloc(FRAME_MAX);
    sim->fragment[0] = g_malloc(FRAME_MAX);
    sim->fragment[1] = g_malloc(FRAME_MAX);
    return sim;
}

static void connection_free(struct sim_connection *connection)
{
    for (unsigned side = 0; side < 2; side++) {
        struct end *end = &connection->end[side];

        for (unsigned i = 0; i < end->script->len; i++)
            g_free((void *)g_array_index(end->script, struct action, i).raw.p);
        g_byte_array_unref(end->stream);
        g_array_unref(end->script);
        g_array_unref(end->sent);
        g_array_unref(end->beyond);
    }
    g_ptr_array_unref(connection->after);
    g_free(connection);
}

void sim_free(struct sim *sim)
{
    for (unsigned i = 0; i < sim->heap->len; i++)
        packet_free(g_array_index(sim->heap, struct event, i).packet);
    for (unsigned i = 0; i < sim->connections->len; i++)
        connection_free(g_ptr_array_index(sim->connections, i));
    g_array_unref(sim->heap);
    g_ptr_array_unref(sim->connections);
    g_free(sim->frame);
    g_free(sim->fragment[0]);
    g_free(sim->fragment[1]);
    g_free(sim);
}

int64_t sim_now(const struct sim *sim)
{
    return sim->now;
}

struct sim_connection *sim_connect(struct sim *sim, const struct sim_connection_options *options)
{
    struct sim_connection *connection = g_new0(struct sim_connection, 1);

    connection->sim = sim;
    connection->options = *options;
    connection->after = g_ptr_array_new();
    for (unsigned side = 0; side < 2; side++) {
        struct end *end = &connection->end[side];

        end->stream = g_byte_array_new();
        end->script = g_array_new(FALSE, TRUE, sizeof(struct action));
        end->sent = g_array_new(FALSE, TRUE, sizeof(struct sent));
        end->beyond = g_array_new(FALSE, TRUE, sizeof(struct range));
        end->ip_id = (uint16_t)(options->isn[side] >> 8 | 1);
    }
    g_ptr_array_add(sim->connections, connection);
    schedule(sim, (struct event){.time = sim->now + options->delay_ns, .kind = EVENT_START, .connection = connection});
    return connection;
}

void sim_connect_after(struct sim_connection *connection, struct sim_connection *before)
{
    struct sim *sim = connection->sim;
    GArray *heap = sim->heap;

    /* Before the run the heap holds start events only, in an order that removing one may disturb: rebuild it. */
    GArray *old = g_array_copy(heap);

    g_array_set_size(heap, 0);
    for (unsigned i = 0; i < old->len; i++) {
        if (g_array_index(old, struct event, i).connection != connection)
            schedule(sim, g_array_index(old, struct event, i));
    }
    g_array_unref(old);
    connection->before = before;
    g_ptr_array_add(before->after, connection);
}

uint64_t sim_written(const struct sim_connection *connection, unsigned side)
{
    return connection->end[side].stream->len;
}

const uint8_t *sim_stream(const struct sim_connection *connection, unsigned side)
{
    return connection->end[side].stream->data;
}

uint64_t sim_all_of_peer(const struct sim_connection *connection, unsigned side)
{
    const struct end *peer = &connection->end[!side];

    return peer->stream->len + peer->fin_scripted;
}

static void append(struct sim_connection *connection, unsigned side, struct action action, const struct sim_how *how)
{
    if (how)
        action.how = *how;
    g_array_append_val(connection->end[side].script, action);
}

void sim_write(struct sim_connection *connection, unsigned side, const uint8_t *p, size_t n, const struct sim_how *how)
{
    GByteArray *stream = connection->end[side].stream;
    struct action action = {.kind = SIM_WRITE, .from = stream->len, .to = stream->len + n};

    if (n == 0)
        return;
    g_byte_array_append(stream, p, (guint)n);
    append(connection, side, action, how);
}

void sim_fin(struct sim_connection *connection, unsigned side, const struct sim_how *how)
{
    connection->end[side].fin_scripted = true;
    append(connection, side, (struct action){.kind = SIM_FIN}, how);
}

void sim_reset(struct sim_connection *connection, unsigned side, const struct sim_how *how)
{
    append(connection, side, (struct action){.kind = SIM_RESET}, how);
}

void sim_capturing(struct sim_connection *connection, unsigned side, bool on, const struct sim_how *how)
{
    append(connection, side, (struct action){.kind = SIM_CAPTURING, .on = on}, how);
}

void sim_raw(struct sim_connection *connection, unsigned side, const struct sim_raw *raw, const struct sim_how *how)
{
    struct action action = {.kind = SIM_RAW, .raw = *raw};

    action.raw.p = g_memdup2(raw->p, raw->n);
    append(connection, side, action, how);
}

/* ---- what was scripted ---- */

unsigned sim_n_steps(const struct sim_connection *connection, unsigned side)
{
    return connection->end[side].script->len;
}

struct sim_step sim_step(const struct sim_connection *connection, unsigned side, unsigned index)
{
    const struct action *action = &g_array_index(connection->end[side].script, struct action, index);

    return (struct sim_step){action->kind, action->how, action->from, action->to, action->raw};
}

const struct sim_connection *sim_before(const struct sim_connection *connection)
{
    return connection->before;
}

const struct sim_connection_options *sim_options(const struct sim_connection *connection)
{
    return &connection->options;
}
