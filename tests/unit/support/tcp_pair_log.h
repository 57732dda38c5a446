/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tcp_pair with a log of its events, one word each: a test is a conversation and its log:
 *
 *   <side>@<offset>:<octets>/<frame>   with ! when it waited (arrival later), < first and > last of its segment,
 *                                      r retransmitted
 *   hole<side>@<from>-<to>:<cause>/<frame after it>
 *   conflict<side>@<offset>:<first><repeated>/<first frame>
 *   fin<side>@<offset>/<frame>   rst<side>/<frame>
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_TCP_PAIR_LOG_H
#define IWARP_TESTS_UNIT_SUPPORT_TCP_PAIR_LOG_H

#include "engine/tcp/tcp_pair.h"
#include "tests/unit/support/support.h"

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
    char log[NOTES_MAX];
};

void log_start(struct conversation *c);
/* With its handshake. */
void log_connect(struct conversation *c);
void log_connect_with(struct conversation *c, const struct tcp_pair_options *options);
void log_finish(struct conversation *c);
/* The same, unless it is finished; nothing may be left in the log. */
void log_end(struct conversation *c);

/* A test on a conversation `c`; begin: log_start or log_connect. */
#define CONVERSATION(test, begin) UNIT_TEST_ON(test, struct conversation, c, begin, log_end)

/* Any segment; seq and ack as on the wire. */
void send_raw(struct conversation *c, unsigned side, unsigned flags, uint32_t seq, uint32_t ack, const char *text,
              uint32_t captured);
void send_flags(struct conversation *c, unsigned side, unsigned flags, uint64_t offset, const char *text);

/* Octets at a stream offset. */
void send_at(struct conversation *c, unsigned side, uint64_t offset, const char *text);

/* `side` acknowledges up to the offset `acked` of the other's stream; its own next octet is `offset`. */
void send_ack(struct conversation *c, unsigned side, uint64_t offset, uint64_t acked);
void send_handshake(struct conversation *c);

/* The log since the last call. */
void log_expect(struct conversation *c, const char *log);

#endif
