// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/tcp_pair_log.h"

static void log_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known, uint64_t acked)
{
    struct conversation *c = ctx;

    c->segment_offset = offset;
    c->segment_length = segment->length;
    c->acked_known = acked_known;
    c->segment_acked = acked;
}

static void log_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                       const struct octets_origin *origin)
{
    struct conversation *c = ctx;
    note(c->log, "%u@%llu:%.*s/%u%s%s%s%s", side, (unsigned long long)offset, (int)n, (const char *)p, origin->frame,
         origin->arrival != origin->frame ? "!" : "", origin->segment_start ? "<" : "", origin->segment_end ? ">" : "",
         origin->retransmitted ? "r" : "");
}

static void log_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                     const struct octets_origin *next)
{
    struct conversation *c = ctx;
    static const char *const causes[] = {"lost", "snap", "memory", "end"};

    note(c->log, "hole%u@%llu-%llu:%s/%u", side, (unsigned long long)from, (unsigned long long)to, causes[cause],
         next ? next->frame : 0);
}

static void log_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                         uint32_t first_frame, const struct tcp_segment *segment)
{
    struct conversation *c = ctx;

    note(c->log, "conflict%u@%llu:%c%c/%u", side, (unsigned long long)offset, first, repeated, first_frame);
}

static void log_fin(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct conversation *c = ctx;

    note(c->log, "fin%u@%llu/%u", side, (unsigned long long)offset, frame);
}

static void log_reset(void *ctx, unsigned side, uint32_t frame, int64_t time_ns)
{
    struct conversation *c = ctx;

    note(c->log, "rst%u/%u", side, frame);
}

static void log_open(struct conversation *c, const struct tcp_pair_options *options)
{
    struct tcp_pair_events events = {.ctx = c,
                                     .segment = log_segment,
                                     .octets = log_octets,
                                     .hole = log_hole,
                                     .conflict = log_conflict,
                                     .fin = log_fin,
                                     .reset = log_reset};

    memset(c, 0, sizeof *c);
    c->pair = tcp_pair_new(options, &events, NULL);
    c->step = 10000; /* 10 us */
    c->isn[0] = 1000;
    c->isn[1] = 5000;
    assert_non_null(c->pair);
}

void log_start(struct conversation *c)
{
    log_open(c, NULL);
}

void log_connect_with(struct conversation *c, const struct tcp_pair_options *options)
{
    log_open(c, options);
    send_handshake(c);
}

void log_connect(struct conversation *c)
{
    log_connect_with(c, NULL);
}

void log_finish(struct conversation *c)
{
    tcp_pair_finish(c->pair);
    tcp_pair_free(c->pair);
    c->pair = NULL;
}

void log_end(struct conversation *c)
{
    if (c->pair)
        log_finish(c);
    log_expect(c, "");
}

void send_raw(struct conversation *c, unsigned side, unsigned flags, uint32_t seq, uint32_t ack, const char *text,
              uint32_t captured)
{
    struct tcp_segment segment = {.frame = ++c->frame,
                                  .time_ns = c->now += c->step,
                                  .side = (uint8_t)side,
                                  .flags = (uint8_t)flags,
                                  .window = 65535,
                                  .window_scale = 255,
                                  .seq = seq,
                                  .ack = ack,
                                  .length = (uint32_t)strlen(text),
                                  .captured = captured,
                                  .payload = (const uint8_t *)text};

    assert_false(tcp_pair_is_reuse(c->pair, &segment));
    tcp_pair_segment(c->pair, &segment);
}

void send_flags(struct conversation *c, unsigned side, unsigned flags, uint64_t offset, const char *text)
{
    send_raw(c, side, flags | TCP_ACK, c->isn[side] + 1 + (uint32_t)offset,
             c->isn[!side] + 1 + (uint32_t)c->acked[side], text, (uint32_t)strlen(text));
}

void send_at(struct conversation *c, unsigned side, uint64_t offset, const char *text)
{
    send_flags(c, side, 0, offset, text);
}

void send_ack(struct conversation *c, unsigned side, uint64_t offset, uint64_t acked)
{
    c->acked[side] = acked;
    send_flags(c, side, 0, offset, "");
}

void send_handshake(struct conversation *c)
{
    send_raw(c, 0, TCP_SYN, c->isn[0], 0, "", 0);
    send_raw(c, 1, TCP_SYN | TCP_ACK, c->isn[1], c->isn[0] + 1, "", 0);
    send_ack(c, 0, 0, 0);
}

void log_expect(struct conversation *c, const char *log)
{
    if (c->pair)
        tcp_pair_settle(c->pair);
    notes_expect(c->log, log);
}
