// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The path of a live peer's octets to the stack: the player of a planned conversation, the units that it counts, and
 * the recording, without a socket. The first two octets choose the conversation and our side; then a little program:
 * planned octets, changed octets, others, pauses, FIN, RST. For any division of octets, the units are the same; nothing
 * is written past the end; the recording has the octets received.
 */
#include "tests/fuzz/fuzz_input.h"
#include "traffic-gen/live/play/player.h"
#include "traffic-gen/live/tcp/record.h"

#include <netinet/in.h>

enum { STREAM_MAX = 1 << 16, STEPS_MAX = 512 };

struct end {
    bool closed, reset;
    size_t room, unacknowledged;
    struct record *record;
    int64_t now;
};

static struct end end;
static GPtrArray *plans; /* struct plan *, for all scripted scenarios */

/* ---- the transport ---- */

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    (void)ctx;
    HOLDS(n > 0 && !end.closed);
    record_sent(end.record, end.now, p, n);
}

static size_t on_room(void *ctx)
{
    (void)ctx;
    return end.room;
}

static void on_close(void *ctx, bool reset)
{
    (void)ctx;
    if (reset && !end.reset)
        record_reset(end.record, end.now, true);
    else if (!end.closed)
        record_fin(end.record, end.now, true);
    end.closed = true;
    end.reset |= reset;
}

static int64_t on_now(void *ctx)
{
    (void)ctx;
    return end.now;
}

const struct stream *__wrap_live_stream(struct live_socket *socket);
size_t __wrap_live_unacknowledged(const struct live_socket *socket);
int64_t __wrap_live_now(void);

const struct stream *__wrap_live_stream(struct live_socket *socket)
{
    static const struct stream stream = {
        .write = on_write, .room = on_room, .close = on_close, .now = on_now, .mss = 1460};

    (void)socket;
    return &stream;
}

size_t __wrap_live_unacknowledged(const struct live_socket *socket)
{
    (void)socket;
    return end.unacknowledged;
}

int64_t __wrap_live_now(void)
{
    return end.now;
}

/* ---- plans ---- */

static void make_plans(void)
{
    plans = g_ptr_array_new();
    for (unsigned i = 0; scenario_at(i); i++) {
        struct scenario_source source;
        GPtrArray *made;
        char *error = NULL;

        if (!scenario_source_load(&source, scenario_at(i)->name, NULL, 0, &error) || !source.scenario) {
            g_free(error);
            continue;
        }
        made = plan_make(&source, NULL, 1500, 1, &error);
        for (guint k = 0; made && k < made->len; k++)
            g_ptr_array_add(plans, g_ptr_array_index(made, k));
        if (made) {
            g_ptr_array_set_free_func(made, NULL); /* the plans stay */
            g_ptr_array_unref(made);
        }
        scenario_source_clear(&source);
        g_free(error);
    }
    HOLDS(plans->len > 0);
}

/* The same octets one at a time. */
static void same_units(const struct units_stream *whole, const uint8_t *p, size_t n, const struct plan_side *own)
{
    struct units units = {.streams = {own->frame}};
    const struct units_stream *single = &units.streams[1];

    for (size_t i = 0; i < n; i++)
        HOLDS(units_take(&units, 1, p + i, 1) == 1);
    HOLDS(single->n == whole->n && single->boundary == whole->boundary && single->offset == whole->offset);
    HOLDS(single->head_n == whole->head_n && single->state == whole->state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t octets[STREAM_MAX];
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = 1},
                             peer = {.sin_family = AF_INET, .sin_port = 2};
    static struct capture_file *null;
    struct input input = {data, size};
    struct live_events events;
    const struct plan *plan;
    struct player *player;
    struct units units = {0};
    size_t n = 0, planned = 0;
    unsigned side;

    if (!plans) {
        make_plans();
        null = capture_file_open("/dev/null", CAPTURE_PCAPNG, 0);
        HOLDS(null);
    }
    plan = g_ptr_array_index(plans, take(&input) % plans->len);
    side = take(&input) & 1;
    end = (struct end){.room = SIZE_MAX, .now = 1};
    end.record = record_new(null, (const struct sockaddr *)&own, (const struct sockaddr *)&peer, side, 1460, 1);
    player = player_new(plan, side, NULL, 1000000000);
    units.streams[0] = plan->sides[side].frame;
    player_events(player, &events);
    events.opened(events.ctx);
    for (unsigned i = 0; i < STEPS_MAX && input.n > 0 && !end.reset; i++) {
        const GByteArray *theirs = plan->sides[!side].stream;
        unsigned op = take(&input);
        size_t from = n, want = 1 + take(&input) * 8;

        switch (op & 7) {
        default: /* planned octets, perhaps changed */
            for (; n - from < want && n < sizeof octets && planned < theirs->len; n++)
                octets[n] = theirs->data[planned++];
            if (op & 8 && n > from)
                octets[from + (size_t)take(&input) * 8 % (n - from)] ^= (uint8_t)take(&input);
            break;
        case 4:
            for (; n - from < want / 8 && n < sizeof octets; n++)
                octets[n] = (uint8_t)take(&input);
            break;
        case 5:
            end.now += (int64_t)want * 4000000;
            events.tick(events.ctx);
            break;
        case 6:
            end.room = op & 8 ? 0 : SIZE_MAX;
            end.unacknowledged = op & 16;
            record_acked(end.record, end.now, want);
            if (end.room)
                events.room(events.ctx);
            break;
        case 7:
            if (op & 8) {
                record_fin(end.record, end.now, false);
                events.receive_fin(events.ctx);
                input.n = 0;
            } else if (op & 16) {
                record_reset(end.record, end.now, false);
                events.receive_reset(events.ctx);
                input.n = 0;
            }
            break;
        }
        if (n > from) {
            record_received(end.record, end.now, octets + from, n - from, want, op & 32);
            for (size_t at = from; at < n;)
                at += units_take(&units, 1, octets + at, n - at);
            events.receive(events.ctx, octets + from, n - from);
        }
    }
    same_units(&units.streams[1], octets, n, &plan->sides[side]);
    player_closed(player, NULL);
    player_free(player);
    record_free(end.record);
    return 0;
}
