// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/pair.h"

#include <glib.h>

enum { STEP_NS = 10000 };

struct side {
    struct pair *pair;
    unsigned number;
    struct stream stream;
    struct pair_end end;
    GByteArray *written;
    uint64_t received;
    int64_t active_ns; /* pair.waited_ns when it last received or did something */
    bool fin, reset;   /* has been written */
    bool gone;         /* reset by either side: nothing arrives any more */
};

struct pair {
    struct side sides[2];
    GArray *actions; /* struct pair_action */
    size_t next;     /* the oldest action still under way */
    int64_t now;
    int64_t waited_ns; /* total time in pair_wait() */
};

static void pair_record(struct side *side, enum pair_kind kind, const uint8_t *p, size_t n)
{
    struct pair *pair = side->pair;
    struct pair_action action = {
        .kind = kind,
        .side = side->number,
        .from = side->written->len,
        .n = n,
        .received = side->received,
        .delay_ns = pair->waited_ns - side->active_ns,
    };

    if (side->reset || side->gone || (side->fin && kind != PAIR_RESET))
        return;
    if (n > 0)
        g_byte_array_append(side->written, p, (guint)n);
    side->active_ns = pair->waited_ns;
    side->fin |= kind == PAIR_FIN;
    side->reset |= kind == PAIR_RESET;
    side->gone |= kind == PAIR_RESET;
    g_array_append_val(pair->actions, action);
}

static void pair_stream_write(void *ctx, const uint8_t *p, size_t n)
{
    if (n > 0)
        pair_record(ctx, PAIR_WRITE, p, n);
}

static size_t pair_stream_room(void *ctx)
{
    (void)ctx;
    return SIZE_MAX;
}

static void pair_stream_close(void *ctx, bool reset)
{
    pair_record(ctx, reset ? PAIR_RESET : PAIR_FIN, NULL, 0);
}

static int64_t pair_stream_now(void *ctx)
{
    const struct side *side = ctx;

    return side->pair->now;
}

struct pair *pair_new(uint16_t mss, int64_t start_ns)
{
    struct pair *pair = g_new0(struct pair, 1);

    pair->actions = g_array_new(FALSE, FALSE, sizeof(struct pair_action));
    pair->now = start_ns;
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &pair->sides[i];

        side->pair = pair;
        side->number = i;
        side->written = g_byte_array_new();
        side->stream = (struct stream){
            .ctx = side,
            .write = pair_stream_write,
            .room = pair_stream_room,
            .close = pair_stream_close,
            .now = pair_stream_now,
            .mss = mss,
        };
    }
    return pair;
}

void pair_free(struct pair *pair)
{
    g_byte_array_unref(pair->sides[0].written);
    g_byte_array_unref(pair->sides[1].written);
    g_array_unref(pair->actions);
    g_free(pair);
}

const struct stream *pair_stream(struct pair *pair, unsigned side)
{
    return &pair->sides[side].stream;
}

void pair_attach(struct pair *pair, unsigned side, const struct pair_end *end)
{
    pair->sides[side].end = *end;
}

static void pair_receive(void *qp, const uint8_t *p, size_t n)
{
    qp_receive(qp, p, n);
}

static void pair_receive_fin(void *qp)
{
    qp_receive_fin(qp);
}

static void pair_receive_reset(void *qp)
{
    qp_receive_reset(qp);
}

static void pair_tick(void *qp)
{
    qp_tick(qp);
}

void pair_attach_qp(struct pair *pair, unsigned side, struct qp *qp)
{
    pair->sides[side].end = (struct pair_end){qp, pair_receive, pair_receive_fin, pair_receive_reset, pair_tick};
}

bool pair_step(struct pair *pair)
{
    struct pair_action action;
    struct side *writer, *reader;

    if (pair->next == pair->actions->len)
        return false;
    action = g_array_index(pair->actions, struct pair_action, pair->next++);
    writer = &pair->sides[action.side];
    reader = &pair->sides[!action.side];
    pair->now += STEP_NS;
    if (reader->gone)
        return true;
    reader->received += action.kind == PAIR_FIN ? 1 : action.n;
    reader->active_ns = pair->waited_ns;
    switch (action.kind) {
    case PAIR_WRITE:
        if (reader->end.receive) {
            /* The octets are copied, as the writer may write more meanwhile. */
            uint8_t *octets = g_memdup2(writer->written->data + action.from, action.n);

            reader->end.receive(reader->end.end, octets, action.n);
            g_free(octets);
        }
        break;
    case PAIR_FIN:
        if (reader->end.receive_fin)
            reader->end.receive_fin(reader->end.end);
        break;
    case PAIR_RESET:
        reader->gone = true;
        if (reader->end.receive_reset)
            reader->end.receive_reset(reader->end.end);
        break;
    }
    return true;
}

bool pair_run(struct pair *pair, size_t limit)
{
    while (limit-- > 0) {
        if (!pair_step(pair))
            return true;
    }
    return false;
}

void pair_wait(struct pair *pair, int64_t ns)
{
    pair->now += ns;
    pair->waited_ns += ns;
    for (unsigned i = 0; i < 2; i++) {
        if (pair->sides[i].end.tick)
            pair->sides[i].end.tick(pair->sides[i].end.end);
    }
}

void pair_write(struct pair *pair, unsigned side, const uint8_t *p, size_t n)
{
    pair_stream_write(&pair->sides[side], p, n);
}

void pair_close(struct pair *pair, unsigned side, bool reset)
{
    pair_stream_close(&pair->sides[side], reset);
}

size_t pair_n_actions(const struct pair *pair)
{
    return pair->actions->len;
}

const struct pair_action *pair_action(const struct pair *pair, size_t index)
{
    return &g_array_index(pair->actions, struct pair_action, index);
}

const uint8_t *pair_written(const struct pair *pair, unsigned side, size_t *n)
{
    *n = pair->sides[side].written->len;
    return pair->sides[side].written->data;
}

bool pair_finished(const struct pair *pair, unsigned side)
{
    return pair->sides[side].fin || pair->sides[side].reset;
}

void pair_play(const struct pair *pair, struct sim_connection *tcp, unsigned tcp_side)
{
    for (size_t i = 0; i < pair->actions->len; i++) {
        const struct pair_action *action = &g_array_index(pair->actions, struct pair_action, i);
        const struct sim_how how = {.received = action->received, .delay_ns = action->delay_ns};
        unsigned side = action->side ^ tcp_side;

        switch (action->kind) {
        case PAIR_WRITE:
            sim_write(tcp, side, pair->sides[action->side].written->data + action->from, action->n, &how);
            break;
        case PAIR_FIN:
            sim_fin(tcp, side, &how);
            break;
        case PAIR_RESET:
            sim_reset(tcp, side, &how);
            break;
        }
    }
}
