// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The connected layers: TCP segments go in, and each layer's events come out in order; holes and ends reach every
 * layer. Taps write one word each; a layer that gets an event after another layer writes after it.
 */
#include "engine/stack/rpcrdma_ulp.h"
#include "engine/stack/stack.h"
#include "tests/unit/support/support.h"
#include "wire/mpa_startup.h"

#include <stdlib.h>

enum { PAYLOAD_LENGTH = 32, FPDU_LENGTH = 2 + DDP_UNTAGGED_HEADER_LEN + PAYLOAD_LENGTH + 4 };

struct trace {
    char log[NOTES_MAX];
    struct verdict verdict;
    struct rule_counts counts;
    struct stack *stack;
    uint32_t frame;
    uint32_t seq[2];
};

static char *log_of(void *ctx)
{
    return ((struct trace *)ctx)->log;
}

/* No more segments come to settle what is in doubt. */
static void expect_settled(struct trace *t, const char *log)
{
    tcp_pair_settle(stack_pair(t->stack));
    notes_expect(t->log, log);
}

static void expect(struct trace *t, const char *log)
{
    notes_expect(t->log, log);
}

static void on_startup(void *ctx, const struct mpa_startup_event *event)
{
    note(log_of(ctx), "startup%u", event->place.side);
}

static void on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    note(log_of(ctx), "fpdu%u", event->place.side);
}

static void on_segment(void *ctx, const struct rdmap_segment_event *event)
{
    note(log_of(ctx), "%s%u", event->complete ? "segment" : "part", event->fpdu->place.side);
}

static void on_operation(void *ctx, const struct rdmap_operation *operation, const struct place *place)
{
    note(log_of(ctx), "operation%u", (unsigned)operation->number);
}

static void on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                    const struct octets_origin *next)
{
    note(log_of(ctx), "hole%u+%u", side, (unsigned)(to - from));
}

static void on_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    note(log_of(ctx), "%s%u", reset ? "reset" : "fin", side);
}

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    note(log_of(ctx), "message%u", message->side);
}

/* A guest that notes its events in the trace. */
static void *on_begin(const struct ulp_host *host)
{
    return host->ctx;
}

static void on_skipped(void *ctx, unsigned side)
{
    note(log_of(ctx), "skipped%u", side);
}

static void on_finish(void *ctx, int64_t time_ns)
{
    note(log_of(ctx), "finish@%u", (unsigned)time_ns);
}

static const struct stack_taps taps = {.hole = on_hole,
                                       .end = on_end,
                                       .startup = on_startup,
                                       .fpdu = on_fpdu,
                                       .segment = on_segment,
                                       .operation = on_operation};

static const struct rpcrdma_taps rpcrdma_taps = {.message = on_message};
static const struct rpcrdma_own rpcrdma = {.taps = &rpcrdma_taps};
static const struct ulp_own own[] = {{&rpcrdma_ulp, &rpcrdma}, {NULL}};

static const struct rpcrdma_connection *connection(const struct trace *t)
{
    return rpcrdma_ulp_connection(stack_guest(t->stack, &rpcrdma_ulp));
}

static void segment(struct trace *t, unsigned side, unsigned flags, const uint8_t *p, size_t n)
{
    struct tcp_segment s = {.frame = ++t->frame,
                            .time_ns = t->frame * INT64_C(200000000),
                            .side = (uint8_t)side,
                            .flags = (uint8_t)flags,
                            .window = 65535,
                            .window_scale = 255,
                            .seq = t->seq[side],
                            .ack = t->seq[1 - side],
                            .length = (uint32_t)n,
                            .captured = (uint32_t)n,
                            .payload = p};

    t->seq[side] += (uint32_t)n + ((flags & (TCP_SYN | TCP_FIN)) != 0);
    stack_segment(t->stack, &s);
}

static void startup(struct trace *t, unsigned side)
{
    const struct mpa_startup frame = {.kind = side ? MPA_REPLY : MPA_REQUEST, .revision = 1};
    uint8_t octets[MPA_STARTUP_HEADER_LEN];

    mpa_startup_encode(&frame, octets, sizeof octets);
    segment(t, side, TCP_ACK, octets, sizeof octets);
}

/* A Send of `n` octets, no Markers, no CRC. */
static size_t send_encode(uint8_t *out, uint32_t msn, const uint8_t *payload, size_t n)
{
    const struct ddp_segment ddp = {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = msn};
    uint8_t ulpdu[1024];
    struct mpa_fpdu_plan plan;
    struct mpa_framing framing = {0};
    size_t header = ddp_header_encode(&ddp, ulpdu, sizeof ulpdu);

    memcpy(ulpdu + header, payload, n);
    mpa_fpdu_plan_init(&plan, &framing, 0, ulpdu, (uint16_t)(header + n), false);
    return mpa_fpdu_encode(&plan, out, 2048);
}

static void send(struct trace *t, unsigned side, uint32_t msn)
{
    static const uint8_t payload[PAYLOAD_LENGTH] = "octets that are no message";
    uint8_t fpdu[2048];

    segment(t, side, TCP_ACK, fpdu, send_encode(fpdu, msn, payload, sizeof payload));
}

static void begin(struct trace *t, const struct stack_options *options)
{
    const struct stack_setup setup = {.options = options, .taps = &taps, .ctx = t, .verdict = &t->verdict};

    t->verdict.counts = &t->counts;
    t->seq[0] = 1000;
    t->seq[1] = 5000;
    t->stack = stack_new(&setup);
    assert_non_null(t->stack);
    segment(t, 0, TCP_SYN, NULL, 0);
    segment(t, 1, TCP_SYN | TCP_ACK, NULL, 0);
    segment(t, 0, TCP_ACK, NULL, 0);
    startup(t, 0);
    startup(t, 1);
}

static void close_and_finish(struct trace *t)
{
    segment(t, 0, TCP_FIN | TCP_ACK, NULL, 0);
    segment(t, 1, TCP_FIN | TCP_ACK, NULL, 0);
    segment(t, 0, TCP_ACK, NULL, 0);
    stack_finish(t->stack, t->frame);
    stack_free(t->stack);
}

UNIT_TEST(each_layer_in_order)
{
    struct stack_options options;
    struct trace t = {0};

    stack_options_init(&options, NULL);
    options.own = own;
    begin(&t, &options);
    assert_non_null(stack_tcp(t.stack));
    assert_non_null(stack_rdmap(t.stack));
    expect(&t, "startup0 startup1");
    assert_int_equal(stack_initiator(t.stack), 0);
    send(&t, 0, 1);
    expect(&t, "fpdu0 segment0 operation1");
    send(&t, 1, 1);
    expect(&t, "fpdu1 segment1 operation2");
    assert_false(rpcrdma_connection_is_rpcrdma(connection(&t)));
    close_and_finish(&t);
    expect(&t, "fin0 fin1");
}

/* Octets that the capture lost: every layer gets the hole, also the guest. */
UNIT_TEST(holes_go_up)
{
    static const struct ulp_kind noted = {
        .name = "noted", .begin = on_begin, .skipped = on_skipped, .finish = on_finish};
    static const struct ulp_kind *const kinds[] = {&noted, NULL};
    struct stack_options options;
    struct trace t = {0};

    stack_options_init(&options, NULL);
    options.ulps = kinds;
    begin(&t, &options);
    assert_null(connection(&t));
    expect(&t, "startup0 startup1");
    send(&t, 0, 1);
    expect(&t, "fpdu0 segment0 operation1");
    t.seq[0] += FPDU_LENGTH; /* a Send that the capture lacks ... */
    send(&t, 0, 3);
    expect(&t, "");
    segment(&t, 1, TCP_ACK, NULL, 0); /* ... and that was received */
    segment(&t, 1, TCP_ACK, NULL, 0);
    /* Of the hole, and of the octets that MPA skipped. */
    expect_settled(&t, "hole0+56 skipped0 skipped0 fpdu0 segment0 operation2");
    close_and_finish(&t);
    expect(&t, "fin0 fin1 finish@12");
}

static void on_ended(void *ctx, unsigned side, bool reset, const struct place *place)
{
    note(log_of(ctx), "%s%u", reset ? "gone" : "ended", side);
}

/* A FIN that the capture lacks, or has later, is known by the number of the close that proves it. */
UNIT_TEST(a_fin_is_shown_by_what_follows)
{
    static const struct ulp_kind noted = {.name = "noted", .begin = on_begin, .end = on_ended};
    static const struct ulp_kind *const kinds[] = {&noted, NULL};
    struct stack_options options;
    struct trace t = {0};

    stack_options_init(&options, NULL);
    options.ulps = kinds;
    begin(&t, &options);
    t.log[0] = '\0';
    t.seq[0]++; /* its FIN */
    segment(&t, 1, TCP_FIN | TCP_ACK, NULL, 0);
    expect_settled(&t, "ended0 fin1 ended1");
    stack_free(t.stack);

    memset(&t, 0, sizeof t);
    begin(&t, &options);
    t.log[0] = '\0';
    t.seq[1]++; /* its own FIN, before the reset */
    segment(&t, 1, TCP_RST, NULL, 0);
    expect(&t, "ended1 reset1 gone1");
    stack_free(t.stack);

    memset(&t, 0, sizeof t);
    begin(&t, &options);
    t.log[0] = '\0';
    t.seq[0] += FPDU_LENGTH + 1; /* not a FIN alone */
    segment(&t, 1, TCP_FIN | TCP_ACK, NULL, 0);
    expect_settled(&t, "fin1 ended1");
    stack_free(t.stack);
}
