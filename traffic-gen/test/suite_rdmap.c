// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmap: RFC 5040. Versions, opcodes, Read Requests, invalidation, Terminates, and what follows an error. */
#include "traffic-gen/test/suite_operations.h"

#include <string.h>

/* ---- what has to be taken ---- */

enum odd { RSV, SEND_STAG, SEND_SE_STAG, EMPTY_READ };

static void odd(struct talk *talk, const struct suite_test *test)
{
    struct ddp_segment segment;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    if (!talk_start(talk, NULL))
        return;
    segment = operation_send(talk);
    switch ((enum odd)test->variant) {
    case RSV:
        segment.rdmap_rsv = 3;
        break;
    case SEND_STAG:
        segment.stag = 0x12345678;
        break;
    case SEND_SE_STAG:
        segment.opcode = RDMAP_SEND_SE;
        segment.stag = 0x12345678;
        break;
    case EMPTY_READ:
        talk_send_segment(talk, &segment);
        operation_read(talk, &segment, payload, 0x12345678, UINT64_MAX, 0);
        talk_send_segment(talk, &segment);
        if (talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
            talk_passed(talk, "the Read Response came");
        else
            talk_failed(talk, "a Read of no octets from an STag that does not exist was not answered, but there was %s",
                        talk_describe(talk, talk_last(talk)));
        return;
    }
    talk_send_segment(talk, &segment);
    talk_expect_alive(talk);
}

/* ---- the peer's Terminate ---- */

static void terminate(struct talk *talk, const struct suite_test *test)
{
    const struct talk_wish no_receives = {.advert = {.receives = 0, .size = 4096}};
    struct rdmap_terminate message = {.layer = RDMAP_LAYER_RDMA, .reserved = test->variant ? 0x1FFF : 0};
    uint8_t payload[RDMAP_TERMINATE_LEN_MAX];
    struct ddp_segment segment;

    if (!talk_start(talk, &no_receives))
        return;
    segment = talk_segment(talk, RDMAP_TERMINATE);
    segment.payload = payload;
    segment.payload_len = rdmap_terminate_encode(&message, payload, sizeof(payload));
    talk_send_segment(talk, &segment);
    operation_expect_end(talk);
}

/* ---- invalidation ---- */

static void invalidated(struct talk *talk, const struct suite_test *test)
{
    const struct advert_memory *region;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return;
    segment = operation_send(talk);
    segment.opcode = RDMAP_SEND_INVALIDATE;
    segment.stag = region->stag;
    talk_send_segment(talk, &segment);
    if (!talk_hear_opcode(talk, RDMAP_SEND)) {
        talk_inconclusive(talk, "the device does not take a Send with Invalidate of memory that it has told: %s",
                          talk_describe(talk, talk_last(talk)));
        return;
    }
    if (test->variant == 0) {
        if (!operation_write(talk, &segment, REGION_ALL, 0, OPERATION_OCTETS))
            return;
    } else {
        operation_read(talk, &segment, payload, region->stag, region->address, OPERATION_OCTETS);
    }
    talk_send_segment(talk, &segment);
    operation_expect_refusal(talk);
}

/* ---- what has to be refused ---- */

enum wrong {
    READ_STAG,
    READ_BELOW,
    READ_CROSSING,
    READ_WRITE_ONLY,
    READ_LOCAL,
    READ_FOREIGN,
    READ_GONE,
    READ_WRAPPING,
    READ_LONG,
    READ_VERSION,
    READ_QUEUE,
    READ_UNASKED,
    INVALIDATE_NONE,
    INVALIDATE_FOREIGN,
    SEND_VERSION,
    SEND_OPCODE,
    WRITE_VERSION,
    SEND_LONG,
};

static void say_read(struct talk *talk, int what)
{
    static const struct {
        enum advert_region region;
        int64_t at;
        bool from_end;
    } places[] = {
        [READ_STAG] = {REGION_ALL, 0, false},
        [READ_BELOW] = {REGION_ALL, -OPERATION_OCTETS, false},
        [READ_CROSSING] = {REGION_ALL, -OPERATION_OCTETS / 2, true},
        [READ_WRITE_ONLY] = {REGION_WRITE_ONLY, 0, false},
        [READ_LOCAL] = {REGION_LOCAL, 0, false},
        [READ_FOREIGN] = {REGION_FOREIGN, 0, false},
        [READ_GONE] = {REGION_GONE, 0, false},
        [READ_WRAPPING] = {REGION_ALL, 0, false},
        [READ_LONG] = {REGION_ALL, 0, false},
        [READ_VERSION] = {REGION_ALL, 0, false},
    };
    const struct advert_memory *region = talk_region(talk, places[what].region);
    uint8_t payload[RDMAP_READ_REQUEST_LEN + 4] = {0};
    struct ddp_segment segment;
    uint64_t to;

    if (!region)
        return;
    to = region->address + (uint64_t)places[what].at + (places[what].from_end ? region->length : 0);
    operation_read(talk, &segment, payload, what == READ_STAG ? region->stag ^ 0x5A5A5A00 : region->stag,
                   what == READ_WRAPPING ? UINT64_MAX - OPERATION_OCTETS / 2 : to, OPERATION_OCTETS);
    if (what == READ_LONG)
        segment.payload_len = sizeof(payload);
    if (what == READ_VERSION)
        segment.rv = 2;
    talk_send_segment(talk, &segment);
}

static void say_other(struct talk *talk, int what)
{
    struct ddp_segment segment = operation_send(talk);
    static const uint8_t part[1400];
    const struct advert_memory *region;

    switch ((enum wrong)what) {
    case READ_QUEUE: /* a Send where Read Requests belong */
        segment = talk_segment(talk, RDMAP_READ_REQUEST);
        segment.opcode = RDMAP_SEND;
        segment.payload = part;
        segment.payload_len = RDMAP_READ_REQUEST_LEN;
        break;
    case READ_UNASKED:
        segment = talk_segment(talk, RDMAP_READ_RESPONSE);
        segment.stag = 0x5A5A5A00;
        segment.payload = part;
        segment.payload_len = OPERATION_OCTETS;
        break;
    case INVALIDATE_NONE:
        segment.opcode = RDMAP_SEND_INVALIDATE;
        segment.stag = 0x5A5A5A00;
        break;
    case INVALIDATE_FOREIGN:
        region = talk_region(talk, REGION_FOREIGN);
        if (!region)
            return;
        segment.opcode = RDMAP_SEND_SE_INVALIDATE;
        segment.stag = region->stag;
        break;
    case SEND_VERSION:
        segment.rv = 2;
        break;
    case SEND_OPCODE:
        segment.opcode = 12;
        break;
    case WRITE_VERSION:
        if (!operation_write(talk, &segment, REGION_ALL, 0, OPERATION_OCTETS))
            return;
        segment.rv = 2;
        break;
    case SEND_LONG:
        segment.last = false;
        segment.payload = part;
        segment.payload_len = sizeof(part);
        for (; segment.mo + sizeof(part) < 4096; segment.mo += sizeof(part))
            talk_send_segment(talk, &segment);
        break;
    default:
        break;
    }
    talk_send_segment(talk, &segment);
}

#define RDMA(type, ...)                                                                                                \
    {                                                                                                                  \
        .layer = 0, .etype = (type), .codes = {__VA_ARGS__}, .close_open = true                                        \
    }

static const struct refusal refusals[] = {
    [READ_STAG] = {say_read, READ_STAG, false, RDMA(1, 0x00), false},
    [READ_BELOW] = {say_read, READ_BELOW, false, RDMA(1, 0x01), false},
    [READ_CROSSING] = {say_read, READ_CROSSING, false, RDMA(1, 0x01), false},
    [READ_WRITE_ONLY] = {say_read, READ_WRITE_ONLY, false, RDMA(1, 0x02), false},
    [READ_LOCAL] = {say_read, READ_LOCAL, false, RDMA(1, 0x02), false},
    [READ_FOREIGN] = {say_read, READ_FOREIGN, false, RDMA(1, 0x03), false},
    [READ_GONE] = {say_read, READ_GONE, false, RDMA(1, 0x00), false},
    [READ_WRAPPING] = {say_read, READ_WRAPPING, false, RDMA(1, 0x04), false},
    [READ_LONG] = {say_read, READ_LONG, true, {0}, false},
    [READ_VERSION] = {say_read, READ_VERSION, false, RDMA(2, 0x05), false},
    [READ_QUEUE] = {say_other, READ_QUEUE, true, {0}, false},
    [READ_UNASKED] = {say_other, READ_UNASKED, true, {0}, false},
    /* Protection or operation: both have the number (sections 4.8 and 5.3). */
    [INVALIDATE_NONE] = {say_other, INVALIDATE_NONE, false, RDMA(1, 0x09), false},
    [INVALIDATE_FOREIGN] = {say_other, INVALIDATE_FOREIGN, false, RDMA(1, 0x09), false},
    [SEND_VERSION] = {say_other, SEND_VERSION, false, RDMA(2, 0x05), false},
    [SEND_OPCODE] = {say_other, SEND_OPCODE, false, RDMA(2, 0x06), false},
    [WRITE_VERSION] = {say_other, WRITE_VERSION, true, {0}, false},
    [SEND_LONG] = {say_other, SEND_LONG, true, {0}, false},
};

static void code(struct talk *talk, const struct suite_test *test)
{
    operation_refusal(talk, &refusals[test->variant]);
}

static void refused(struct talk *talk, const struct suite_test *test)
{
    operation_refused(talk, &refusals[test->variant]);
}

/* ---- how an error ends the stream ---- */

/* A Terminate, not only a close. */
static void told(struct talk *talk, const struct suite_test *test)
{
    struct ddp_segment segment;

    (void)test;
    if (!talk_start(talk, NULL))
        return;
    segment = operation_send(talk);
    segment.dv = 2;
    talk_send_segment(talk, &segment);
    if (operation_hear_end(talk, talk_t_react(talk))->is_terminate)
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_failed(talk, "expected a Terminate about a segment with DV 2, found %s",
                    talk_describe(talk, talk_last(talk)));
}

/* Nothing is answered behind an error, and the connection ends. */
static void no_recovery(struct talk *talk, const struct suite_test *test)
{
    struct ddp_segment segment;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    (void)test;
    if (!talk_start(talk, NULL))
        return;
    say_other(talk, SEND_OPCODE);
    operation_read(talk, &segment, payload, 0, 0, 0);
    talk_send_segment(talk, &segment);
    if (talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
        talk_failed(talk, "the device goes on: a Read Request behind a Send with opcode 12 was answered");
    else
        talk_expect_close(talk);
}

/* The first error is what is reported. */
static void first_of_two(struct talk *talk, const struct suite_test *test)
{
    static const struct talk_terminate first = {.layer = 1, .etype = 2, .codes = {0x06}, .close_open = true};
    struct ddp_segment segment;

    (void)test;
    if (!talk_start(talk, NULL))
        return;
    segment = operation_send(talk);
    segment.dv = 2;
    talk_send_segment(talk, &segment);
    segment = operation_send(talk);
    segment.opcode = 12;
    talk_send_segment(talk, &segment);
    talk_expect_terminate(talk, &first);
}

/* The Terminate is the next message: no echo of later Sends, no other answers in front of it. */
static void at_once(struct talk *talk, const struct suite_test *test)
{
    struct ddp_segment segment;
    const struct talk_heard *heard;

    (void)test;
    if (!talk_start(talk, NULL))
        return;
    talk_sleep(talk, talk_t_react(talk) / 8); /* what was due before has been said */
    while (talk_hear(talk, 0)->what == TALK_FPDU)
        ;
    segment = operation_send(talk);
    segment.dv = 2;
    talk_send_segment(talk, &segment);
    heard = talk_hear(talk, talk_t_react(talk));
    if (heard->what == TALK_FPDU && !heard->is_terminate)
        talk_failed(talk, "%s came in front of the Terminate", talk_describe(talk, heard));
    else if (heard->what == TALK_FPDU)
        talk_passed(talk, "%s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "%s", talk_describe(talk, heard));
}

static const struct suite_test tests[] = {
    {RULE_RDMAP_1_2_02, NULL, DUT_ANY, NEED_REGIONS | NEED_ECHO, invalidated,
     "a Send with Invalidate, and then a Write to that STag", "a Terminate, or a close", 0},
    {RULE_RDMAP_1_2_02, "read", DUT_ANY, NEED_REGIONS | NEED_ECHO, invalidated,
     "a Send with Invalidate, and then a Read from that STag", "a Terminate, or a close", 1},
    {RULE_RDMAP_3_2_03, NULL, DUT_ANY, NEED_WORDS, refused, "a Send that is longer than the Receive of 4096 octets",
     "a Terminate, or a close", SEND_LONG},
    {RULE_RDMAP_4_1_27, NULL, DUT_ANY, NEED_RECEIVES, odd, "a Send with both Rsv bits set", "the device goes on", RSV},
    {RULE_RDMAP_4_1_30, NULL, DUT_ANY, NEED_RECEIVES, odd, "a Send whose Invalidate STag word is not zero",
     "the device goes on", SEND_STAG},
    {RULE_RDMAP_4_1_30, "se", DUT_ANY, NEED_RECEIVES, odd,
     "a Send with Solicited Event whose Invalidate STag word is not zero", "the device goes on", SEND_SE_STAG},
    {RULE_RDMAP_4_8_07, NULL, DUT_ANY, NEED_REGIONS, code, "a Read from an STag that does not exist",
     "Terminate 0/1/00", READ_STAG},
    {RULE_RDMAP_4_8_08, NULL, DUT_ANY, NEED_REGIONS, code, "a Read that begins below a region", "Terminate 0/1/01",
     READ_BELOW},
    {RULE_RDMAP_4_8_08, "bounds", DUT_ANY, NEED_REGIONS, code, "a Read whose last octets lie beyond the region",
     "Terminate 0/1/01", READ_CROSSING},
    {RULE_RDMAP_4_8_09, NULL, DUT_ANY, NEED_REGIONS, code, "a Read from a region for remote writing only",
     "Terminate 0/1/02", READ_WRITE_ONLY},
    {RULE_RDMAP_4_8_09, "local", DUT_ANY, NEED_REGIONS, code, "a Read from a region without remote access",
     "Terminate 0/1/02", READ_LOCAL},
    {RULE_RDMAP_4_8_10, NULL, DUT_ANY, NEED_REGIONS, code, "a Read from an STag of another Protection Domain",
     "Terminate 0/1/03", READ_FOREIGN},
    {RULE_RDMAP_4_8_11, NULL, DUT_ANY, NEED_REGIONS, code, "a Read whose SrcTO and length wrap", "Terminate 0/1/04",
     READ_WRAPPING},
    {RULE_RDMAP_4_8_12, NULL, DUT_ANY, NEED_REGIONS, code, "a Send with Invalidate of an STag that does not exist",
     "Terminate 0/1/09", INVALIDATE_NONE},
    {RULE_RDMAP_4_8_14, NULL, DUT_ANY, NEED_RECEIVES, code, "a Send with RV 2", "Terminate 0/2/05", SEND_VERSION},
    {RULE_RDMAP_4_8_15, NULL, DUT_ANY, NEED_RECEIVES, code, "a Send with opcode 12", "Terminate 0/2/06", SEND_OPCODE},
    {RULE_RDMAP_4_8_29, NULL, DUT_ANY, NEED_REGIONS, terminate, "a Terminate with all reserved bits set",
     "the device closes, without a Terminate", 1},
    {RULE_RDMAP_5_2_1_06, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read Request of 32 octets",
     "a Terminate, or a close", READ_LONG},
    {RULE_RDMAP_5_2_1_17, NULL, DUT_ANY, NEED_RECEIVES, odd, "a Read of no octets from an STag that does not exist",
     "the Read Response", EMPTY_READ},
    {RULE_RDMAP_5_2_2_06, NULL, DUT_ANY, 0, refused, "a Read Response that nobody asked for", "a Terminate, or a close",
     READ_UNASKED},
    {RULE_RDMAP_5_3_05, NULL, DUT_ANY, NEED_WORDS, refused, "a Send that is longer than the Receive of 4096 octets",
     "a Terminate, or a close", SEND_LONG},
    {RULE_RDMAP_5_4_05, NULL, DUT_RESPONDER, NEED_WORDS, terminate, "a Terminate to a device that posts no Receive",
     "the device closes, without a Terminate", 0},
    {RULE_RDMAP_6_2_1_01, NULL, DUT_ANY, NEED_RECEIVES, told, "a Send with DV 2", "a Terminate", 0},
    {RULE_RDMAP_7_01, NULL, DUT_ANY, NEED_RECEIVES, no_recovery,
     "a Send with opcode 12, and behind it a Read Request of no octets", "no answer, and the connection ends", 0},
    {RULE_RDMAP_7_1_05, NULL, DUT_ANY, NEED_RECEIVES, at_once, "a Send with DV 2",
     "the Terminate is the device's next message", 0},
    {RULE_RDMAP_7_1_10, NULL, DUT_ANY, NEED_RECEIVES, first_of_two, "a Send with DV 2 and one with opcode 12",
     "Terminate 1/2/06, about the first", 0},
    {RULE_RDMAP_7_2_02, NULL, DUT_ANY, NEED_RECEIVES, refused, "a Send with opcode 12", "a Terminate, or a close",
     SEND_OPCODE},
    {RULE_RDMAP_7_2_03, NULL, DUT_ANY, NEED_RECEIVES, refused, "a Send with RV 2", "a Terminate, or a close",
     SEND_VERSION},
    {RULE_RDMAP_7_2_03, "write", DUT_ANY, NEED_REGIONS, refused, "a Write with RV 2", "a Terminate, or a close",
     WRITE_VERSION},
    {RULE_RDMAP_7_2_04, NULL, DUT_ANY, NEED_REGIONS, refused, "a Send with Invalidate of an STag that does not exist",
     "a Terminate, or a close", INVALIDATE_NONE},
    {RULE_RDMAP_7_2_05, NULL, DUT_ANY, NEED_REGIONS, refused,
     "a Send with SE and Invalidate of an STag of another Protection Domain", "a Terminate, or a close",
     INVALIDATE_FOREIGN},
    {RULE_RDMAP_7_2_07, NULL, DUT_ANY, 0, refused, "a Send on QN 1", "a Terminate, or a close", READ_QUEUE},
    {RULE_RDMAP_7_2_08, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read Request with RV 2", "a Terminate, or a close",
     READ_VERSION},
    {RULE_RDMAP_7_2_09, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read from an STag that does not exist",
     "a Terminate, or a close", READ_STAG},
    {RULE_RDMAP_7_2_09, "gone", DUT_ANY, NEED_REGIONS, refused, "a Read from an STag that was invalidated",
     "a Terminate, or a close", READ_GONE},
    {RULE_RDMAP_7_2_10, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read from an STag of another Protection Domain",
     "a Terminate, or a close", READ_FOREIGN},
    {RULE_RDMAP_7_2_11, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read that begins below a region",
     "a Terminate, or a close", READ_BELOW},
    {RULE_RDMAP_7_2_12, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read whose last octets lie beyond the region",
     "a Terminate, or a close", READ_CROSSING},
    {RULE_SEC_6_3_5_01, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read from a region for remote writing only",
     "a Terminate, or a close", READ_WRITE_ONLY},
};

const struct suite suite_rdmap = {"rdmap", tests, G_N_ELEMENTS(tests)};
