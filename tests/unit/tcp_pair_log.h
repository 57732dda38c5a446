/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tcp_pair whose events are written down, one word each, so that a test is a conversation and what comes of it:
 *
 *   <side>@<offset>:<octets>/<frame>   with ! when it waited (arrival later), < first and > last of its segment,
 *                                      r retransmitted
 *   hole<side>@<from>-<to>:<cause>/<frame behind it>
 *   conflict<side>@<offset>:<first><repeated>/<first frame>
 *   fin<side>@<offset>/<frame>   rst<side>/<frame>
 */
#ifndef IWARP_TESTS_UNIT_TCP_PAIR_LOG_H
#define IWARP_TESTS_UNIT_TCP_PAIR_LOG_H

#include "engine/tcp_pair.h"
#include "tests/unit/support.h"

#include <stdio.h>

struct conversation {
    struct tcp_pair *pair;
    uint32_t frame;
    int64_t now;
    int64_t step; /* between segments */
    uint32_t isn[2];
    uint64_t acked[2]; /* next ACK number that a side sends, as an offset of the other's stream */
    bool acked_known;
    uint64_t segment_offset, segment_acked; /* of the latest segment event */
    uint32_t segment_length;
    char log[4096];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static inline void note(struct conversation *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (c->length)
        c->log[c->length++] = ' ';
    c->length += (size_t)vsnprintf(c->log + c->length, sizeof c->log - c->length, format, arguments);
    va_end(arguments);
    assert_true(c->length < sizeof c->log);
}

static inline void log_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                               uint64_t acked)
{
    struct conversation *c = ctx;

    c->segment_offset = offset;
    c->segment_length = segment->length;
    c->acked_known = acked_known;
    c->segment_acked = acked;
}

static inline void log_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                              const struct octets_origin *origin)
{
    note(ctx, "%u@%llu:%.*s/%u%s%s%s%s", side, (unsigned long long)offset, (int)n, (const char *)p, origin->frame,
         origin->arrival != origin->frame ? "!" : "", origin->segment_start ? "<" : "", origin->segment_end ? ">" : "",
         origin->retransmitted ? "r" : "");
}

static inline void log_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                            const struct octets_origin *next)
{
    static const char *const causes[] = {"lost", "snap", "memory", "end"};

    note(ctx, "hole%u@%llu-%llu:%s/%u", side, (unsigned long long)from, (unsigned long long)to, causes[cause],
         next ? next->frame : 0);
}

static inline void log_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                                uint32_t first_frame, const struct tcp_segment *segment)
{
    (void)segment;
    note(ctx, "conflict%u@%llu:%c%c/%u", side, (unsigned long long)offset, first, repeated, first_frame);
}

static inline void log_fin(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    (void)time_ns;
    note(ctx, "fin%u@%llu/%u", side, (unsigned long long)offset, frame);
}

static inline void log_reset(void *ctx, unsigned side, uint32_t frame, int64_t time_ns)
{
    (void)time_ns;
    note(ctx, "rst%u/%u", side, frame);
}

static inline void start(struct conversation *c, const struct tcp_pair_options *options)
{
    struct tcp_pair_events events = {.ctx = c,
                                     .segment = log_segment,
                                     .octets = log_octets,
                                     .hole = log_hole,
                                     .conflict = log_conflict,
                                     .fin = log_fin,
                                     .reset = log_reset};

    memset(c, 0, sizeof *c);
    c->pair = tcp_pair_new(options, &events);
    c->step = 10000; /* 10 us */
    c->isn[0] = 1000;
    c->isn[1] = 5000;
    assert_non_null(c->pair);
}

static inline void finish(struct conversation *c)
{
    tcp_pair_finish(c->pair);
    tcp_pair_free(c->pair);
    c->pair = NULL;
}

/* Any segment; seq and ack as on the wire. */
static inline void send_raw(struct conversation *c, unsigned side, unsigned flags, uint32_t seq, uint32_t ack,
                            const char *text, uint32_t captured)
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

static inline void send_flags(struct conversation *c, unsigned side, unsigned flags, uint64_t offset, const char *text)
{
    send_raw(c, side, flags | TCP_ACK, c->isn[side] + 1 + (uint32_t)offset,
             c->isn[!side] + 1 + (uint32_t)c->acked[side], text, (uint32_t)strlen(text));
}

/* Octets at a stream offset. */
static inline void send_at(struct conversation *c, unsigned side, uint64_t offset, const char *text)
{
    send_flags(c, side, 0, offset, text);
}

/* `side` acknowledges up to the offset `acked` of the other's stream; its own next octet is `offset`. */
static inline void send_ack(struct conversation *c, unsigned side, uint64_t offset, uint64_t acked)
{
    c->acked[side] = acked;
    send_flags(c, side, 0, offset, "");
}

static inline void send_handshake(struct conversation *c)
{
    send_raw(c, 0, TCP_SYN, c->isn[0], 0, "", 0);
    send_raw(c, 1, TCP_SYN | TCP_ACK, c->isn[1], c->isn[0] + 1, "", 0);
    send_ack(c, 0, 0, 0);
}

/* What was told since the last time. */
static inline void expect(struct conversation *c, const char *log)
{
    c->log[c->length] = '\0';
    assert_string_equal(c->log, log);
    c->length = 0;
}

#endif
