// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reliable connection as a capture shows it: order, loss on the network, loss by the capture, retransmissions, Reads.
 * Side 0 requests unless stated; its first request has PSN 0xFFFFFE, so that every case wraps.
 */
#include "engine/ib/ib_rc.h"
#include "tests/unit/support/support.h"

#include <stdio.h>
#include <stdlib.h>

enum { START = 0xFFFFFE, START_1 = 100, MTU = 256, SKEW = 4000000 };

struct bench {
    struct ib_rc *rc;
    uint32_t frame;
    int64_t now; /* besides the frame's number */
    char log[NOTES_MAX];
    bool hasty; /* the latest refusal */
};

/* "S0.0+3!?" : Send, message 0, at offset 0, 3 octets, complete; responses to its sender's Reads are missing. */
static void on_part(void *ctx, const struct ib_rc_part *part)
{
    static const char letters[] = "SWRPKAB";
    struct bench *bench = ctx;

    if (part->kind == IB_MESSAGE_READ)
        note(bench->log, "R%u@%x:%u", (unsigned)part->message, (unsigned)part->address, part->size);
    else if (part->memory_known)
        note(bench->log, "%c%u@%x+%zu%s", letters[part->kind], (unsigned)part->message, (unsigned)part->address,
             part->length, part->complete ? "!" : "");
    else
        note(bench->log, "%c%u.%u+%zu%s%s", letters[part->kind], (unsigned)part->message, (unsigned)part->offset,
             part->length, part->complete ? "!" : "", part->reads_unseen ? "?" : "");
}

/* "hole0:1-3@7": requests 1 and 2 of side 0, after the one in frame 7. */
static void on_hole(void *ctx, const struct ib_rc_hole *hole)
{
    struct bench *bench = ctx;

    note(bench->log, "hole%u:%u-%u@%u", hole->side, (unsigned)hole->from, (unsigned)hole->to, hole->after);
}

static void on_refused(void *ctx, const struct ib_rc_refusal *refusal)
{
    struct bench *bench = ctx;

    bench->hasty = refusal->hasty;
    note(bench->log, "refused%u:%u%s at %u of %s%s", refusal->side, refusal->nak, refusal->not_ready ? "rnr" : "",
         (unsigned)refusal->offset,
         !refusal->known                     ? "what is unknown"
         : refusal->kind == IB_MESSAGE_SEND  ? "a Send"
         : refusal->kind == IB_MESSAGE_WRITE ? "a Write"
         : refusal->kind == IB_MESSAGE_READ  ? "a Read"
                                             : "another",
         refusal->invalidates ? " with Invalidate" : "");
}

static void open_bench(struct bench *bench, bool managed, size_t limit)
{
    const struct ib_rc_events events = {.ctx = bench, .part = on_part, .hole = on_hole, .refused = on_refused};

    ib_rc_free(bench->rc);
    *bench = (struct bench){.rc = ib_rc_new(&(struct ib_rc_options){.limit = limit})};
    assert_non_null(bench->rc);
    ib_rc_listen(bench->rc, &events);
    if (managed) {
        ib_rc_start(bench->rc, 0, START);
        ib_rc_start(bench->rc, 1, START_1);
        ib_rc_mtu(bench->rc, MTU);
    }
}

static void finish_bench(struct bench *bench, const char *expected)
{
    ib_rc_finish(bench->rc);
    assert_string_equal(bench->log, expected);
}

static void managed(struct bench *bench)
{
    open_bench(bench, true, 0);
}

static void unmanaged(struct bench *bench)
{
    open_bench(bench, false, 0);
}

static void free_bench(struct bench *bench)
{
    ib_rc_free(bench->rc);
}

/* A test on `bench`, which is managed or unmanaged. */
#define BENCH(test, begin) UNIT_TEST_ON(test, struct bench, bench, begin, free_bench)

struct words {
    uint64_t address;
    uint32_t size;
    uint8_t syndrome;
};

/* A packet of `side`; n: its place after START (or START_1). */
static void packet(struct bench *bench, unsigned side, uint8_t opcode, int n, size_t octets, struct words words)
{
    static const uint8_t payload[8192];
    const struct ib_opcode_info *info = ib_opcode_info(opcode);
    unsigned asker = info->response ? side ^ 1 : side;
    struct ib_packet p = {
        .bth = {.opcode = opcode, .psn = (uint32_t)((asker == 0 ? START : START_1) + n) & IB_PSN_MASK},
        .info = info,
        .headers = info->headers,
        .reth = {words.address, 7, words.size},
        .atomic = {words.address, 7, 1, 0},
        .aeth = {words.syndrome, 0},
        .payload = payload,
        .payload_len = octets,
        .payload_captured = octets,
    };

    bench->frame++;
    ib_rc_packet(bench->rc, side, &p, bench->frame, bench->now + bench->frame);
}

#define SEND(n, octets)         packet(bench, 0, IB_SEND_ONLY, n, octets, (struct words){0})
#define ACK(n)                  packet(bench, 1, IB_ACKNOWLEDGE, n, 0, (struct words){.syndrome = 0x1F})
#define NAK(n, code)            packet(bench, 1, IB_ACKNOWLEDGE, n, 0, (struct words){.syndrome = 0x60 | (code)})
#define READ(n, at, octets)     packet(bench, 0, IB_READ_REQUEST, n, 0, (struct words){.address = at, .size = octets})
#define RESPONSE(op, n, octets) packet(bench, 1, op, n, octets, (struct words){.syndrome = 0x1F})

BENCH(in_order, managed)
{
    SEND(0, 10);
    packet(bench, 0, IB_SEND_FIRST, 1, 256, (struct words){0});
    packet(bench, 0, IB_SEND_MIDDLE, 2, 256, (struct words){0});
    packet(bench, 0, IB_SEND_LAST_INVALIDATE, 3, 5, (struct words){0});
    packet(bench, 0, IB_WRITE_FIRST, 4, 256, (struct words){.address = 0x1000, .size = 300});
    packet(bench, 0, IB_WRITE_LAST, 5, 44, (struct words){0});
    packet(bench, 0, IB_FETCH_ADD, 6, 0, (struct words){.address = 0x2000});
    packet(bench, 1, IB_ATOMIC_ACKNOWLEDGE, 6, 0, (struct words){.syndrome = 0x1F});
    packet(bench, 1, IB_SEND_ONLY, 0, 4, (struct words){0});
    finish_bench(bench, "S0.0+10! S1.0+256 S1.256+256 S1.512+5! W2@1000+256 W2@1100+44! A3@2000+0! B3@2000+0! S0.0+4!");
}

/* Lost before the capture point: the receiver asks again, and everything is repeated from there. */
BENCH(lost_on_the_network, managed)
{
    SEND(0, 1);
    SEND(2, 3);
    SEND(3, 4);
    NAK(1, IB_NAK_SEQUENCE);
    SEND(1, 2);
    SEND(2, 3);
    SEND(3, 4);
    ACK(3);
    assert_int_equal(ib_rc_counts(bench->rc)->retransmitted[0], 2);
    assert_int_equal(ib_rc_counts(bench->rc)->naks[1][IB_NAK_SEQUENCE], 1);
    assert_int_equal(ib_rc_counts(bench->rc)->holes[0], 0);
    finish_bench(bench, "S0.0+1! S1.0+2! S2.0+3! S3.0+4!");
}

/* Acknowledged, but missing: the capture lost it. */
BENCH(lost_by_the_capture, managed)
{
    packet(bench, 0, IB_WRITE_FIRST, 0, 256, (struct words){.address = 0x1000});
    packet(bench, 0, IB_WRITE_LAST, 2, 9, (struct words){0});
    SEND(3, 5);
    assert_string_equal(bench->log, "W0@1000+256");
    ACK(3);
    ib_rc_settle(bench->rc);
    assert_int_equal(ib_rc_counts(bench->rc)->holes[0], 1);
    finish_bench(bench, "W0@1000+256 hole0:1-2@1 W1.0+9 S2.0+5!");
}

/* The acknowledgement is captured before its packet: nothing is missing. */
BENCH(acknowledgement_comes_first, managed)
{
    SEND(0, 1);
    ACK(1);
    SEND(1, 2);
    SEND(2, 3);
    finish_bench(bench, "S0.0+1! S1.0+2! S2.0+3!");
}

BENCH(acknowledged_but_never_captured, managed)
{
    SEND(0, 1);
    ACK(2);
    SEND(4, 5);
    ib_rc_settle(bench->rc);
    assert_string_equal(bench->log, "S0.0+1! hole0:1-3@1");
    SEND(3, 4);
    finish_bench(bench, "S0.0+1! hole0:1-3@1 S1.0+4! S2.0+5!");
}

BENCH(repeats_are_taken_once, managed)
{
    SEND(0, 1);
    SEND(0, 1);
    SEND(2, 3);
    SEND(2, 3);
    SEND(1, 2);
    SEND(0, 1);
    assert_int_equal(ib_rc_counts(bench->rc)->retransmitted[0], 3);
    finish_bench(bench, "S0.0+1! S1.0+2! S2.0+3!");
}

BENCH(refusals, managed)
{
    SEND(0, 1);
    packet(bench, 1, IB_ACKNOWLEDGE, 0, 0, (struct words){.syndrome = 0x2A}); /* RNR */
    SEND(0, 1);
    ACK(0);
    packet(bench, 0, IB_WRITE_ONLY, 1, 8, (struct words){.address = 0x666});
    NAK(1, IB_NAK_REMOTE_ACCESS);
    assert_int_equal(ib_rc_counts(bench->rc)->rnr_naks[1], 1);
    finish_bench(bench, "S0.0+1! W1@666+8! refused1:2 at 1 of a Write");
}

#define RNR(n) packet(bench, 1, IB_ACKNOWLEDGE, n, 0, (struct words){.syndrome = 0x21}) /* 10 us */

/* A Send that is repeated after an RNR NAK is received; only one that is given up was refused. */
BENCH(not_ready, managed)
{
    SEND(0, 1);
    SEND(1, 2);
    RNR(0);
    ib_rc_disconnect(bench->rc, bench->now);
    ib_rc_disconnect(bench->rc, bench->now);
    finish_bench(bench, "S0.0+1! S1.0+2! refused1:0rnr at 0 of a Send");

    open_bench(bench, true, 0); /* the capture ends */
    SEND(0, 1);
    RNR(0);
    finish_bench(bench, "S0.0+1!");

    open_bench(bench, true, 0); /* it was taken later */
    SEND(0, 1);
    RNR(0);
    SEND(0, 1);
    ACK(0);
    ib_rc_disconnect(bench->rc, bench->now);
    finish_bench(bench, "S0.0+1!");

    open_bench(bench, true, 0); /* overtaken by the Acknowledge of the copy */
    SEND(0, 1);
    SEND(0, 1);
    ACK(0);
    RNR(0);
    ib_rc_disconnect(bench->rc, bench->now);
    finish_bench(bench, "S0.0+1!");

    open_bench(bench, true, 0); /* the capture may lack the Acknowledge, */
    SEND(0, 1);
    RNR(0);
    SEND(0, 1);
    ib_rc_disconnect(bench->rc, bench->now);
    finish_bench(bench, "S0.0+1!");

    open_bench(bench, true, 0); /* and also the retransmission */
    SEND(0, 1);
    RNR(0);
    bench->now = 10002;
    SEND(1, 2);
    ib_rc_disconnect(bench->rc, bench->now);
    finish_bench(bench, "S0.0+1! S1.0+2!");

    open_bench(bench, true, 0); /* or the receiver's reaction */
    SEND(0, 1);
    RNR(0);
    packet(bench, 1, IB_SEND_ONLY, 3, 1, (struct words){0});
    ib_rc_disconnect(bench->rc, bench->now);
    finish_bench(bench, "S0.0+1! hole1:0-3@0 S0.0+1!");
    open_bench(bench, true, 0); /* the retransmission and its Acknowledge are captured late */
    SEND(0, 1);
    RNR(0);
    ib_rc_disconnect(bench->rc, bench->now);
    bench->now += SKEW - 100;
    SEND(0, 1);
    finish_bench(bench, "S0.0+1!");

    open_bench(bench, true, 0);
    SEND(0, 1);
    SEND(0, 1);
    RNR(0);
    ib_rc_disconnect(bench->rc, bench->now);
    ACK(0);
    finish_bench(bench, "S0.0+1!");

    open_bench(bench, true, 0); /* too late to have been sent before */
    SEND(0, 1);
    RNR(0);
    ib_rc_disconnect(bench->rc, bench->now);
    bench->now += SKEW;
    SEND(0, 1);
    finish_bench(bench, "S0.0+1! refused1:0rnr at 0 of a Send");

    for (int acknowledged = 0; acknowledged < 2;
         acknowledged++) { /* a hole that hides an Acknowledge may hide the Send's copy */
        open_bench(bench, true, 0);
        packet(bench, 1, IB_SEND_ONLY, 0, 1, (struct words){0});
        if (acknowledged)
            packet(bench, 0, IB_ACKNOWLEDGE, 0, 0, (struct words){.syndrome = 0x1F});
        SEND(0, 1);
        RNR(0);
        bench->now = SKEW + 100;
        ib_rc_disconnect(bench->rc, bench->now);
        finish_bench(bench, acknowledged ? "S0.0+1! S0.0+1! refused1:0rnr at 0 of a Send" : "S0.0+1! S0.0+1!");
    }

    open_bench(bench, true, 0); /* it came when the connection was over */
    SEND(0, 1);
    ib_rc_disconnect(bench->rc, bench->now);
    RNR(0);
    finish_bench(bench, "S0.0+1!");
}

/* A sender that repeats before the NAK's time gives its receiver no chance. */
BENCH(haste_after_not_ready, managed)
{
    for (int waits = 0; waits < 2; waits++) {
        open_bench(bench, true, 0);
        ib_rc_rnr_retries(bench->rc, 0, 1);
        for (unsigned i = 0; i < 2; i++) {
            SEND(0, 1);
            RNR(0);
            bench->now += waits ? 10000 : 2000;
        }
        finish_bench(bench, "S0.0+1! refused1:0rnr at 0 of a Send");
        assert_int_equal(bench->hasty, !waits);
    }
    /* Nor was there time if a side disconnects before, unless the Send must not be repeated. */
    for (int repeats = 0; repeats < 2; repeats++) {
        open_bench(bench, true, 0);
        ib_rc_rnr_retries(bench->rc, 0, (uint8_t)repeats);
        SEND(0, 1);
        RNR(0);
        ib_rc_disconnect(bench->rc, bench->now + 5000);
        finish_bench(bench, "S0.0+1! refused1:0rnr at 0 of a Send");
        assert_int_equal(bench->hasty, repeats);
    }
    open_bench(bench, true, 0);
    SEND(0, 1);
    RNR(0);
    ib_rc_disconnect(bench->rc, bench->now + 10000);
    finish_bench(bench, "S0.0+1! refused1:0rnr at 0 of a Send");
    assert_int_equal(bench->hasty, false);
}

BENCH(retries_after_not_ready, managed)
{
    for (unsigned retries = 0; retries < 8; retries++) {
        for (unsigned naks = 1; naks < 9; naks++) {
            open_bench(bench, true, 0);
            ib_rc_rnr_retries(bench->rc, 0, (uint8_t)retries);
            for (unsigned i = 0; i < naks; i++) {
                SEND(0, 1);
                RNR(0);
                RNR(0); /* captured twice */
            }
            finish_bench(bench, retries < 7 && naks > retries ? "S0.0+1! refused1:0rnr at 0 of a Send" : "S0.0+1!");
        }
    }
    open_bench(bench, true, 0); /* more often than agreed, and accepted */
    ib_rc_rnr_retries(bench->rc, 0, 0);
    SEND(0, 1);
    RNR(0);
    SEND(0, 1);
    finish_bench(bench, "S0.0+1!");

    open_bench(bench, true, 0); /* each request by itself */
    ib_rc_rnr_retries(bench->rc, 0, 1);
    SEND(0, 1);
    RNR(0);
    SEND(0, 1);
    ACK(0);
    SEND(1, 1);
    RNR(1);
    finish_bench(bench, "S0.0+1! S1.0+1!");
}

/* Requests with a wrong ICRC: if acknowledged without a copy, they were received. */
BENCH(damaged_requests, managed)
{
    struct ib_packet lost = {.bth = {.opcode = IB_SEND_ONLY, .psn = (START + 1) & IB_PSN_MASK}};

    SEND(0, 1);
    ACK(0);
    assert_int_equal(ib_rc_damaged_acked(bench->rc, 0), 0);
    ib_rc_damaged(bench->rc, 0, &lost);
    ACK(0);
    assert_int_equal(ib_rc_damaged_acked(bench->rc, 0), 0);
    SEND(1, 1); /* sent again */
    ACK(1);
    assert_int_equal(ib_rc_damaged_acked(bench->rc, 0), 0);
    lost.bth.psn += 1;
    ib_rc_damaged(bench->rc, 0, &lost);
    lost.bth.psn += 1;
    ib_rc_damaged(bench->rc, 0, &lost);
    ACK(3);
    ib_rc_settle(bench->rc);
    assert_int_equal(ib_rc_damaged_acked(bench->rc, 0), 2);
    assert_int_equal(ib_rc_damaged_acked(bench->rc, 0), 0);
    finish_bench(bench, "S0.0+1! S1.0+1! hole0:2-4@4");
}

BENCH(reads, managed)
{
    READ(0, 0x1000, 600); /* three packets */
    READ(3, 0x8000, 0);
    SEND(4, 1);
    RESPONSE(IB_READ_RESPONSE_FIRST, 0, 256);
    RESPONSE(IB_READ_RESPONSE_MIDDLE, 1, 256);
    RESPONSE(IB_READ_RESPONSE_LAST, 2, 88);
    RESPONSE(IB_READ_RESPONSE_ONLY, 3, 0);
    finish_bench(bench, "R0@1000:600 R1@8000:0 S2.0+1!? P0@1000+256 P0@1100+256 P0@1200+88! P1@8000+0!");
}

/* Also for Reads that were complete before the next began. */
BENCH(responses_sent_again, managed)
{
    for (int n = 0; n < 600; n++) {
        READ(n, 0x1000, 8);
        RESPONSE(IB_READ_RESPONSE_ONLY, n, 8);
        bench->log[0] = 0;
    }
    assert_int_equal(ib_rc_counts(bench->rc)->repeated_responses[1], 0);
    RESPONSE(IB_READ_RESPONSE_ONLY, 597, 8);
    RESPONSE(IB_READ_RESPONSE_ONLY, 598, 8);
    RESPONSE(IB_READ_RESPONSE_ONLY, 599, 8);
    RESPONSE(IB_READ_RESPONSE_ONLY, 100, 8);
    assert_int_equal(ib_rc_counts(bench->rc)->repeated_responses[1], 4);
    SEND(600, 1);
    finish_bench(bench, "S600.0+1!");
}

/* The rest is requested from the missing PSN, and keeps its opcodes: Middle and Last. */
BENCH(read_asked_again, managed)
{
    READ(0, 0x1000, 600);
    READ(3, 0x8000, 5);
    RESPONSE(IB_READ_RESPONSE_FIRST, 0, 256);
    RESPONSE(IB_READ_RESPONSE_LAST, 2, 88); /* the packet of PSN 1 was lost before the capture */
    RESPONSE(IB_READ_RESPONSE_ONLY, 3, 5);
    READ(1, 0x1100, 344);
    READ(3, 0x8000, 5);
    RESPONSE(IB_READ_RESPONSE_MIDDLE, 1, 256);
    RESPONSE(IB_READ_RESPONSE_LAST, 2, 88);
    RESPONSE(IB_READ_RESPONSE_ONLY, 3, 5);
    assert_int_equal(ib_rc_counts(bench->rc)->retransmitted[0], 2);
    assert_int_equal(ib_rc_counts(bench->rc)->holes[0], 0);
    finish_bench(bench, "R0@1000:600 R1@8000:5 P0@1000+256 P0@1200+88 P1@8000+5! P0@1100+256!");
}

BENCH(more_than_was_asked_for, managed)
{
    READ(0, 0x1000, 100);
    RESPONSE(IB_READ_RESPONSE_ONLY, 0, 200);
    finish_bench(bench, "R0@1000:100 P0@1000+100!");
}

/* Neither management nor MTU was captured: some MTU explains the PSN after a Read. */
BENCH(late_start, unmanaged)
{
    packet(bench, 0, IB_SEND_LAST, 0, 7, (struct words){0});
    READ(1, 0x1000, 3000); /* 1024: three packets */
    SEND(4, 1);
    RESPONSE(IB_READ_RESPONSE_MIDDLE, 2, 1024);
    RESPONSE(IB_READ_RESPONSE_LAST, 3, 952);
    RESPONSE(IB_READ_RESPONSE_FIRST, 1, 1024);
    finish_bench(bench, "S0.0+7 R1@1000:3000 S2.0+1!? P1@1400+1024 P1@1800+952 P1@1000+1024!");
}

/* PSNs that fit a Read of two packets of 512 octets come after a lost Read: a payload proves it, earlier or later. */
BENCH(a_request_lost_after_a_read, unmanaged)
{
    packet(bench, 0, IB_SEND_LAST, 0, 1000, (struct words){0});
    READ(1, 0x1000, 1024);
    SEND(3, 1);
    RESPONSE(IB_READ_RESPONSE_ONLY, 1, 1024);
    RESPONSE(IB_READ_RESPONSE_ONLY, 2, 1024);
    READ(4, 0x2000, 2048);
    SEND(6, 1);
    finish_bench(bench, "S0.0+1000 R1@1000:1024 P1@1000+1024! hole0:2-3@2 S2.0+1! R3@2000:2048 S4.0+1!?");

    open_bench(bench, false, 0);
    READ(0, 0x1000, 1024);
    READ(2, 0x2000, 1024);
    RESPONSE(IB_READ_RESPONSE_ONLY, 0, 1024);
    RESPONSE(IB_READ_RESPONSE_ONLY, 1, 1024);
    RESPONSE(IB_READ_RESPONSE_ONLY, 2, 1024);
    finish_bench(bench, "R0@1000:1024 R1@2000:1024 hole0:1-2@1 P0@1000+1024! P1@2000+1024!");
}

/* The capture begins during a retransmission: its contents are unknown. */
BENCH(requests_from_before_the_capture, unmanaged)
{
    SEND(4, 1);
    SEND(2, 1);
    SEND(3, 1);
    SEND(4, 1);
    assert_string_equal(bench->log, "S0.0+1!");
    SEND(5, 2);
    SEND(6, 3);
    assert_int_equal(ib_rc_counts(bench->rc)->retransmitted[0], 3);
    finish_bench(bench, "S0.0+1! hole0:1-1@1 S1.0+2! S2.0+3!");
}

/* The MTU is unknown. No MTU makes three packets of 1000 octets. */
BENCH(reads_without_any_answer, unmanaged)
{
    READ(0, 0x1000, 5000);
    READ(2, 0x2000, 2000);
    READ(6, 0x3000, 1000);
    assert_string_equal(bench->log, "R0@1000:5000 R1@2000:2000 R2@3000:1000");
    SEND(9, 1);
    finish_bench(bench, "R0@1000:5000 R1@2000:2000 R2@3000:1000 hole0:7-9@3 S3.0+1!?");
}

BENCH(mtu_from_the_response, unmanaged)
{
    READ(0, 0x1000, 1000);
    RESPONSE(IB_READ_RESPONSE_FIRST, 0, 512);
    RESPONSE(IB_READ_RESPONSE_LAST, 1, 488);
    SEND(2, 1);
    assert_int_equal(ib_rc_counts(bench->rc)->holes[0], 0);
    finish_bench(bench, "R0@1000:1000 P0@1000+512 P0@1200+488! S1.0+1!");
}

BENCH(bound_on_what_is_held, managed)
{
    open_bench(bench, true, 4000);
    SEND(0, 1);
    SEND(2, 1000);
    SEND(3, 1000);
    SEND(4, 1000);
    SEND(5, 2000); /* too much */
    SEND(6, 4);
    finish_bench(bench, "S0.0+1! hole0:1-2@1 S1.0+1000! S2.0+1000! S3.0+1000! S4.0+2000! S5.0+4!");
}

/* ---- conversations by chance ---- */

enum { PACKETS = 60, MESSAGES_MAX = 40 };

struct sent {
    uint8_t opcode;
    size_t octets;
};

static unsigned make_messages(uint64_t *seed, struct sent *sent)
{
    unsigned n = 0;

    while (n < PACKETS - 4) {
        unsigned parts = 1 + (unsigned)(next_random(seed) % 4);

        for (unsigned i = 0; i < parts; i++)
            sent[n++] = parts == 1       ? (struct sent){IB_SEND_ONLY, 9}
                        : i == 0         ? (struct sent){IB_SEND_FIRST, MTU}
                        : i + 1 == parts ? (struct sent){IB_SEND_LAST, 1 + i}
                                         : (struct sent){IB_SEND_MIDDLE, MTU};
    }
    return n;
}

/* Go-back-N with packets lost before or after the capture point: all octets come once, and in order. */
BENCH(random_loss_is_no_hole, managed)
{
    for (uint64_t seed = 1; seed < 400; seed++) {
        struct sent sent[PACKETS];
        uint64_t random = seed;
        unsigned n = make_messages(&random, sent), expected = 0, turns = 0;
        char wanted[NOTES_MAX] = "";
        size_t length = 0;
        unsigned message = 0, offset = 0;

        open_bench(bench, true, 0);
        while (expected < n && turns++ < 1000) {
            unsigned arrived = expected;
            bool gap = false;

            for (unsigned i = expected; i < n && i < expected + 8; i++) {
                bool before = next_random(&random) % 8 == 0, after = next_random(&random) % 8 == 0;

                if (!before)
                    packet(bench, 0, sent[i].opcode, (int)i, sent[i].octets, (struct words){0});
                if (before || after)
                    gap = true;
                else if (!gap)
                    arrived = i + 1;
            }
            if (arrived > expected && next_random(&random) % 3)
                ACK((int)arrived - 1);
            if (gap && next_random(&random) % 2)
                NAK((int)arrived, IB_NAK_SEQUENCE);
            expected = arrived;
        }
        for (unsigned i = 0; i < n; i++) {
            bool last = sent[i].opcode == IB_SEND_ONLY || sent[i].opcode == IB_SEND_LAST;

            length += (size_t)snprintf(wanted + length, sizeof wanted - length, "%sS%u.%u+%zu%s", i ? " " : "", message,
                                       offset, sent[i].octets, last ? "!" : "");
            assert_true(length < sizeof wanted);
            offset = last ? 0 : offset + (unsigned)sent[i].octets;
            message += last;
        }
        assert_int_equal(expected, n);
        assert_int_equal(ib_rc_counts(bench->rc)->holes[0], 0);
        finish_bench(bench, wanted);
    }
}

/* The message of a NAK: by any of its packets; unseen messages cause no findings. */
BENCH(blamed_messages, managed)
{
    packet(bench, 0, IB_WRITE_ONLY, 0, 8, (struct words){.address = 0x666});
    SEND(1, 1);
    packet(bench, 0, IB_SEND_ONLY_INVALIDATE, 2, 1, (struct words){0});
    NAK(2, IB_NAK_INVALID_REQUEST);
    NAK(1, IB_NAK_INVALID_REQUEST); /* received, according to the first one */
    NAK(0, IB_NAK_REMOTE_ACCESS);
    NAK(9, IB_NAK_REMOTE_OPERATION);
    finish_bench(bench, "W0@666+8! S1.0+1! S2.0+1! refused1:1 at 2 of a Send with Invalidate "
                        "refused1:3 at 9 of what is unknown hole0:3-10@3");
}

UNIT_TEST(hole_explains_what_came_after_the_latest_request)
{
    enum rule_id both = 0, one = 0;

    for (unsigned rule = 0; rule < RULE_COUNT; rule++) {
        if (rule_catalogue[rule].observe == OBSERVE_WIRE)
            both = (enum rule_id)rule;
        else if (rule_catalogue[rule].observe == OBSERVE_WIRE_1WAY)
            one = (enum rule_id)rule;
    }
    assert_true(ib_rc_hole_explains(both, 8, 7));
    assert_false(ib_rc_hole_explains(both, 7, 7));
    assert_false(ib_rc_hole_explains(one, 8, 7));
}

/* ---- copies that the capture lacks, Reads that are certainly outstanding ---- */

static void keep_part(void *ctx, const struct ib_rc_part *part)
{
    *(struct ib_rc_part *)ctx = *part;
}

static void keep_parts(struct bench *bench, struct ib_rc_part *latest)
{
    open_bench(bench, true, 0);
    ib_rc_listen(bench->rc, &(struct ib_rc_events){.ctx = latest, .part = keep_part});
}

/* This long after the previous request, a Send may be a copy of a missing one; or a retransmission was requested. */
BENCH(copies, managed)
{
    enum { TIMEOUT = 1000000 };
    struct ib_rc_part latest = {0};

    keep_parts(bench, &latest);
    SEND(0, 1);
    assert_int_equal(latest.copy_ns, 0); /* the timeout is not known */

    keep_parts(bench, &latest);
    ib_rc_ack_timeout(bench->rc, TIMEOUT, 0);
    SEND(0, 1);
    assert_int_equal(latest.copy_ns, INT64_MAX);
    bench->now = TIMEOUT - 2;
    SEND(1, 1);
    assert_int_equal(latest.copy_ns, INT64_MAX);
    bench->now += TIMEOUT;
    SEND(2, 1);
    assert_int_equal(latest.copy_ns, TIMEOUT);
    NAK(3, IB_NAK_SEQUENCE);
    ib_rc_settle(bench->rc);
    SEND(3, 1);
    assert_int_equal(latest.copy_ns, 0);
    SEND(4, 1); /* together with request 3 */
    assert_int_equal(latest.copy_ns, 0);
    ACK(4);
    bench->now++;
    SEND(5, 1);
    assert_int_equal(latest.copy_ns, INT64_MAX);
    SEND(5, 1);
    SEND(6, 1);
    assert_int_equal(latest.copy_ns, 0);
}

/* ---- what is sent again ---- */

struct compared {
    unsigned same, differ;
    uint32_t first_frame;
    bool taken;
    char difference[FINDING_MESSAGE_SIZE];
};

static void on_copy(void *ctx, const struct ib_rc_copy *copy)
{
    struct compared *compared = ctx;

    compared->same += !copy->difference;
    compared->differ += copy->difference != NULL;
    compared->first_frame = copy->first_frame;
    compared->taken = copy->taken;
    if (copy->difference)
        snprintf(compared->difference, sizeof compared->difference, "%s", copy->difference);
}

static void open_compared(struct bench *bench, struct compared *compared)
{
    *compared = (struct compared){0};
    open_bench(bench, true, 0);
    ib_rc_listen(bench->rc, &(struct ib_rc_events){.ctx = compared, .copy = on_copy});
}

/* A Send with that octet in its payload. */
static void send_octet(struct bench *bench, int n, uint8_t octet)
{
    uint8_t payload[64] = {[40] = octet};
    struct ib_packet p = {.bth = {.opcode = IB_SEND_ONLY, .psn = (uint32_t)(START + n) & IB_PSN_MASK},
                          .info = ib_opcode_info(IB_SEND_ONLY),
                          .payload = payload,
                          .payload_len = sizeof payload,
                          .payload_captured = sizeof payload};

    bench->frame++;
    ib_rc_packet(bench->rc, 0, &p, bench->frame, bench->frame);
}

BENCH(copies_are_compared, managed)
{
    struct compared compared;

    open_compared(bench, &compared);
    for (int n = 0; n < 5; n++)
        send_octet(bench, n, 1);
    ACK(1);
    send_octet(bench, 3, 1);
    assert_int_equal(compared.same, 1);
    send_octet(bench, 3, 2);
    send_octet(bench, 3, 2); /* one finding */
    assert_int_equal(compared.differ, 1);
    assert_int_equal(compared.first_frame, 4);
    assert_false(compared.taken);
    assert_string_equal(compared.difference,
                        "expected 01 at octet 40 of the payload, as first sent in frame 4; found other octets, 02 "
                        "(1 octets differ, the last at 40)");
    send_octet(bench, 1, 2); /* acknowledged before */
    assert_int_equal(compared.differ, 2);
    assert_true(compared.taken);
    ib_rc_disconnect(bench->rc, bench->frame);
    send_octet(bench, 4, 2); /* perhaps from another connection of these queue pairs */
    assert_int_equal(compared.differ, 2);
}

/* None of it was accepted yet. */
BENCH(copies_of_what_is_held, managed)
{
    struct compared compared;

    open_compared(bench, &compared);
    send_octet(bench, 0, 1);
    send_octet(bench, 2, 1);
    send_octet(bench, 2, 7);
    assert_int_equal(compared.differ, 1);
    assert_int_equal(compared.first_frame, 2);
}

/* The numbers repeat 2^24 later for other data. */
BENCH(numbers_that_come_again, managed)
{
    enum { STEP = 1 << 22, TURNS = 5 };
    struct compared compared;

    open_compared(bench, &compared);
    for (int i = 0; i < TURNS; i++) {
        send_octet(bench, i * STEP, (uint8_t)i);
        ACK(i * STEP);
    }
    assert_int_equal(compared.same + compared.differ, 0);
}

/* Data in flight is kept up to a limit, then the latest; overwritten data is not compared. */
BENCH(copies_up_to_a_bound, managed)
{
    enum { SENDS = 5000, LATEST = SENDS - 1 };
    struct compared compared;

    open_compared(bench, &compared);
    for (int n = 0; n < SENDS; n++)
        send_octet(bench, n, 1);
    send_octet(bench, 0, 2);
    assert_int_equal(compared.same + compared.differ, 0);
    for (int n = LATEST; n > LATEST - 1000; n--)
        send_octet(bench, n, n % 10 == 0 ? 2 : 1);
    assert_int_equal(compared.differ, 100);
    assert_int_equal(compared.same, 900);
}

/* The buffer grows while nothing is acknowledged, with packets of all lengths. */
BENCH(copies_of_all_lengths, managed)
{
    struct compared compared;

    open_compared(bench, &compared);
    for (int n = 0; n < 200; n++)
        SEND(n, (size_t)(n * 37 % 1400));
    for (int n = 0; n < 200; n++)
        SEND(n, (size_t)(n * 37 % 1400));
    assert_int_equal(compared.differ, 0);
    assert_int_equal(compared.same, 200);
}

/* Together, as no answer can come so fast. */
BENCH(reads_open, managed)
{
    struct ib_rc_part latest = {0};

    keep_parts(bench, &latest);
    SEND(0, 1);
    bench->now = 1000;
    ACK(0);
    for (unsigned i = 1; i < 4; i++) {
        READ((int)i, 0x1000, 8);
        assert_int_equal(latest.reads_open, i);
    }
    RESPONSE(IB_READ_RESPONSE_ONLY, 1, 8);
    assert_false(latest.asked_again);
    READ(4, 0x1000, 8);
    assert_int_equal(latest.reads_open, 3);
    bench->now += 1000;
    READ(5, 0x1000, 8);
    assert_int_equal(latest.reads_open, 1);
    READ(2, 0x1000, 8);
    RESPONSE(IB_READ_RESPONSE_ONLY, 2, 8);
    assert_true(latest.asked_again);
}

/* An Acknowledge ahead of everything proves nothing, even if a request agrees: both sides go on where they were. */
BENCH(forged_answers_are_refused, managed)
{
    SEND(0, 1);
    ACK(0);
    ACK(1000);
    SEND(1000, 7);
    SEND(1, 2);
    ACK(1);
    SEND(2, 3);
    ACK(2);
    SEND(3, 4);
    ACK(3);
    assert_int_equal(ib_rc_counts(bench->rc)->holes[0], 0);
    assert_int_equal(ib_rc_counts(bench->rc)->refused[1][REFUSED_ACK], 1);
    assert_int_equal(ib_rc_counts(bench->rc)->refused[0][REFUSED_WINDOW], 1);
    finish_bench(bench, "S0.0+1! S1.0+2! S2.0+3! S3.0+4!");
}

/* The same Acknowledge, after a loss of the capture. */
BENCH(answers_to_lost_requests_are_taken, managed)
{
    SEND(0, 1);
    ACK(0);
    ACK(10);
    SEND(11, 2);
    ACK(11);
    SEND(12, 3);
    ACK(12);
    assert_int_equal(ib_rc_counts(bench->rc)->refused[1][REFUSED_ACK], 0);
    finish_bench(bench, "S0.0+1! hole0:1-11@1 S1.0+2! S2.0+3!");
}

BENCH(another_partition, managed)
{
    struct ib_packet stranger = {.bth = {.opcode = IB_SEND_ONLY, .psn = (START + 1) & IB_PSN_MASK, .pkey = 0x1234},
                                 .info = ib_opcode_info(IB_SEND_ONLY)};

    SEND(0, 1);
    ACK(0);
    ib_rc_packet(bench->rc, 0, &stranger, 3, 3);
    SEND(1, 2);
    assert_int_equal(ib_rc_counts(bench->rc)->refused[0][REFUSED_PKEY], 1);
    finish_bench(bench, "S0.0+1! S1.0+2!");
}
