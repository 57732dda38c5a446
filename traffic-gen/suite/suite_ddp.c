// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite ddp: RFC 5041. What is placed is read back or echoed; what must not be placed is refused with the error of
 * section 7.2.
 */
#include "traffic-gen/suite/suite_operations.h"

#include <string.h>

enum { DATA = 600, READ_BACK_NS_PARTS = 4 };

/* ---- placement ---- */

/* A Read after a Write was not answered: is it answered without the Write? */
static void compare_read(struct talk *talk)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));
    const struct advert_memory *region;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    if (talk_start(talk, NULL) && (region = talk_region(talk, REGION_ALL))) {
        operation_read(talk, &segment, payload, region->stag, region->address + 100, DATA);
        talk_send_segment(talk, &segment);
        if (talk_hear_opcode(talk, RDMAP_READ_RESPONSE)) {
            talk_failed(
                talk,
                "expected an answer to a Read of the octets just written; found %s; without the Write it is answered",
                what);
            return;
        }
    }
    talk_inconclusive(talk, "the device answers no Read of the region, with or without a Write before it: %s", what);
}

static void tagged_placed(struct talk *talk, const struct suite_case *row)
{
    const struct advert_memory *region;
    const struct talk_heard *heard;
    struct ddp_segment segment;
    uint8_t data[DATA], payload[RDMAP_READ_REQUEST_LEN];
    uint32_t at;

    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return;
    at = row->variant ? region->length - DATA : 100;
    for (unsigned i = 0; i < DATA; i++)
        data[i] = (uint8_t)(i * 7 + 1);
    if (!operation_write(talk, &segment, REGION_ALL, at, 0))
        return;
    segment.payload = data;
    segment.payload_len = DATA;
    talk_send_segment(talk, &segment);
    operation_read(talk, &segment, payload, region->stag, region->address + at, DATA);
    talk_send_segment(talk, &segment);
    heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);
    if (!heard)
        compare_read(talk);
    else if (heard->ddp.payload_len != DATA || memcmp(heard->ddp.payload, data, DATA) != 0)
        talk_failed(talk, "expected the %u octets written; the Read returned others", (unsigned)DATA);
    else
        talk_passed(talk, "the Read returned what had been written");
}

static void untagged_placed(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;
    struct ddp_segment segment;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    segment = operation_send(talk);
    talk_send_segment(talk, &segment);
    heard = talk_hear_opcode(talk, RDMAP_SEND);
    if (!heard && !talk_echoes(talk))
        talk_inconclusive(talk, "the device is not known to echo anything: %s", talk_describe(talk, talk_last(talk)));
    else if (!heard)
        talk_failed(talk, "expected the echo of the Send; found %s", talk_describe(talk, talk_last(talk)));
    else if (heard->ddp.payload_len != segment.payload_len ||
             memcmp(heard->ddp.payload, segment.payload, segment.payload_len) != 0)
        talk_failed(talk, "expected the Send echoed unchanged; found other octets");
    else
        talk_passed(talk, "the Send was echoed");
}

/* The message is incomplete until its last segment arrives: an echo before that shows that it was delivered too early.
 */
static void not_before_last(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;
    struct ddp_segment segment;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    segment = operation_send(talk);
    segment.last = false;
    talk_send_segment(talk, &segment);
    heard = talk_hear(talk, talk_t_react(talk) / READ_BACK_NS_PARTS);
    if (heard->what == TALK_FPDU) {
        talk_failed(talk, "expected no echo before the last segment; found %s", talk_describe(talk, heard));
        return;
    }
    if (heard->what != TALK_SILENCE) {
        talk_inconclusive(talk, "%s in the middle of a message", talk_describe(talk, heard));
        return;
    }
    segment.last = true;
    segment.mo = OPERATION_OCTETS;
    talk_send_segment(talk, &segment);
    heard = talk_hear_opcode(talk, RDMAP_SEND);
    if (heard)
        talk_passed(talk, "the echo came after the last segment");
    else
        talk_inconclusive(talk, "expected the echo of a message of two segments; found %s",
                          talk_describe(talk, talk_last(talk)));
}

/* ---- what must be accepted ---- */

static bool say_rsvd(struct talk *talk, const struct suite_case *row, bool odd)
{
    struct ddp_segment segment;

    if (!operation_start_send(talk, &segment) ||
        (row->variant && !operation_write(talk, &segment, REGION_ALL, 0, OPERATION_OCTETS)))
        return false;
    segment.rsvd = odd ? 0x0F : 0;
    talk_send_segment(talk, &segment);
    return true;
}

static void rsvd(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_rsvd, NULL);
}

/* The comparison names memory that the device advertises, if any. */
static bool say_empty_write(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct advert *advert = talk_advert(talk);
    struct ddp_segment segment;

    (void)row;
    if (!talk_start(talk, NULL))
        return false;
    segment = talk_segment(talk, RDMAP_WRITE);
    segment.to = UINT64_MAX;
    if (!odd && advert->n > REGION_ALL) {
        segment.stag = advert->regions[REGION_ALL].stag;
        segment.to = advert->regions[REGION_ALL].address;
    }
    if (odd || advert->n > REGION_ALL)
        talk_send_segment(talk, &segment);
    return true;
}

static void empty_write(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_empty_write, NULL);
}

/* ---- half-close ---- */

/* The comparison: without our FIN. A device that closes as soon as it sees FIN may have its reasons. */
static void half_close(struct talk *talk, const struct suite_case *row)
{
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_sign sign;
    enum talk_life life;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    sign = talk_usable_sign(talk);
    if (sign == SIGN_TCP) {
        talk_not_applicable(talk, "the device's service has never answered a request");
        return;
    }
    if (talk_reads(talk) && talk_advert(talk)->n > REGION_ALL)
        sign = SIGN_REGION;
    talk_send_ulpdu(talk, ulpdu, talk_make_question(talk, sign, ulpdu));
    talk_finish(talk);
    life = talk_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_ANSWERS)
        talk_passed(talk, "the request was answered after our FIN");
    else if (life == LIFE_CLOSED)
        talk_inconclusive(talk, "%s: the layers above may close at any time", talk_describe(talk, talk_last(talk)));
    else
        talk_failed(talk, "expected the answer to a request sent before our FIN; found %s",
                    talk_describe(talk, talk_last(talk)));
}

/* ---- what must be refused ---- */

enum wrong {
    SHORT_ULPDU,
    NO_ULPDU,
    TINY_ULPDU,
    MSN_REPEATED,
    BAD_QN,
    ATOMIC_QN,
    NO_BUFFER,
    BAD_MO,
    TOO_LONG,
    BAD_MSN,
    BAD_STAG,
    BAD_KEY,
    CROSSING_ONE,
    READ_ONLY,
    LOCAL_ONLY,
    BELOW,
    BEYOND,
    CROSSING,
    WRAPPING,
    FOREIGN,
    GONE,
    TAGGED_DV,
    UNTAGGED_DV,
};

/* Sends with one faulty field. */
static bool say_send(struct talk *talk, int what, bool wrong)
{
    struct ddp_segment segment = operation_send(talk);
    static const uint8_t half[1400];

    switch (wrong ? (enum wrong)what : NO_BUFFER) {
    case BAD_QN:
        segment.qn = 7;
        break;
    case ATOMIC_QN:
        segment.qn = DDP_QN_ATOMIC_RESPONSE;
        break;
    case BAD_MO:
        segment.mo = 0x7FFFFFFF;
        break;
    case BAD_MSN:
        segment.msn += 100000;
        break;
    case MSN_REPEATED: /* again, after it was complete */
        talk_send_segment(talk, &segment);
        break;
    case UNTAGGED_DV:
        segment.dv = 2;
        break;
    case TOO_LONG: /* in segments, in order, until it exceeds the Receive buffer of 4096 octets */
        segment.last = false;
        segment.payload = half;
        segment.payload_len = sizeof half;
        for (; segment.mo + sizeof half < 4096; segment.mo += sizeof half)
            talk_send_segment(talk, &segment);
        break;
    default:
        break;
    }
    talk_send_segment(talk, &segment);
    return true;
}

static bool say_write(struct talk *talk, int what, bool wrong)
{
    static const struct {
        enum advert_region region;
        int64_t at; /* from the region's start, or its end */
        bool from_end;
    } places[] = {
        [BAD_STAG] = {REGION_ALL, 0, false},
        [BAD_KEY] = {REGION_ALL, 0, false},
        [CROSSING_ONE] = {REGION_ALL, 1 - OPERATION_OCTETS, true},
        [READ_ONLY] = {REGION_READ_ONLY, 0, false},
        [LOCAL_ONLY] = {REGION_LOCAL, 0, false},
        [BELOW] = {REGION_ALL, -OPERATION_OCTETS, false},
        [BEYOND] = {REGION_ALL, 1, true},
        [CROSSING] = {REGION_ALL, -OPERATION_OCTETS / 2, true},
        [WRAPPING] = {REGION_ALL, 0, false},
        [FOREIGN] = {REGION_FOREIGN, 0, false},
        [GONE] = {REGION_GONE, 0, false},
        [TAGGED_DV] = {REGION_ALL, 0, false},
    };
    const struct advert_memory *memory = talk_region(talk, wrong ? places[what].region : REGION_ALL);
    struct ddp_segment segment;
    int64_t at = wrong ? places[what].at : 0;

    if (!memory)
        return false;
    if (wrong && places[what].from_end)
        at += memory->length;
    if (!operation_write(talk, &segment, wrong ? places[what].region : REGION_ALL, at, OPERATION_OCTETS))
        return false;
    if (wrong && what == BAD_STAG) /* none of those that the device advertises */
        segment.stag ^= 0x5A5A5A00;
    if (wrong && what == BAD_KEY) /* the low octet, chosen by the consumer */
        segment.stag ^= 0x01;
    if (wrong && what == WRAPPING)
        segment.to = UINT64_MAX - OPERATION_OCTETS / 2;
    if (wrong && what == TAGGED_DV)
        segment.dv = 2;
    talk_send_segment(talk, &segment);
    return true;
}

/* A ULPDU too short for the header of a Send. */
static bool say_short(struct talk *talk, int what, bool wrong)
{
    static const uint8_t octets[10] = {0x40, 0x43}; /* DV 1, RV 1, Send */
    static const size_t n[] = {[NO_ULPDU] = 0, [TINY_ULPDU] = 2, [SHORT_ULPDU] = sizeof octets};

    if (wrong)
        talk_send_ulpdu(talk, octets, n[what]);
    return true;
}

#define DDP(type, ...)                                                                                                 \
    {                                                                                                                  \
        .layer = 1, .etype = (type), .codes = { __VA_ARGS__ }                                                          \
    }

static const struct refusal refusals[] = {
    [SHORT_ULPDU] = {.say = say_short, .what = SHORT_ULPDU},
    [NO_ULPDU] = {.say = say_short, .what = NO_ULPDU},
    [TINY_ULPDU] = {.say = say_short, .what = TINY_ULPDU},
    [BAD_QN] = {say_send, BAD_QN, DDP(2, 0x01), RDMAP_SEND, false},
    [ATOMIC_QN] = {say_send, ATOMIC_QN, DDP(2, 0x01), RDMAP_SEND, false},
    [NO_BUFFER] = {say_send, NO_BUFFER, DDP(2, 0x02), RDMAP_SEND, true},
    [BAD_MO] = {say_send, BAD_MO, DDP(2, 0x04), RDMAP_SEND, false},
    [TOO_LONG] = {say_send, TOO_LONG, DDP(2, 0x05), RDMAP_SEND, false},
    [BAD_MSN] = {say_send, BAD_MSN, DDP(2, 0x03), RDMAP_SEND, false},
    [MSN_REPEATED] = {say_send, MSN_REPEATED, DDP(2, 0x03), 0, false},
    [BAD_STAG] = {say_write, BAD_STAG, DDP(1, 0x00), 0, false},
    [BAD_KEY] = {say_write, BAD_KEY, DDP(1, 0x00), 0, false},
    [CROSSING_ONE] = {say_write, CROSSING_ONE, DDP(1, 0x01), 0, false},
    [READ_ONLY] = {.say = say_write, .what = READ_ONLY},
    [LOCAL_ONLY] = {.say = say_write, .what = LOCAL_ONLY},
    [BELOW] = {say_write, BELOW, DDP(1, 0x01), 0, false},
    [BEYOND] = {say_write, BEYOND, DDP(1, 0x01), 0, false},
    [CROSSING] = {say_write, CROSSING, DDP(1, 0x01), 0, false},
    [WRAPPING] = {say_write, WRAPPING, DDP(1, 0x03), 0, false},
    [FOREIGN] = {say_write, FOREIGN, DDP(1, 0x02), 0, false},
    [GONE] = {say_write, GONE, DDP(1, 0x00), 0, false},
    [TAGGED_DV] = {say_write, TAGGED_DV, DDP(1, 0x04), 0, false},
    [UNTAGGED_DV] = {say_send, UNTAGGED_DV, DDP(2, 0x06), RDMAP_SEND, false},
};

/* The error named in the section. */
static void code(struct talk *talk, const struct suite_case *row)
{
    operation_refusal(talk, &refusals[row->variant]);
}

/* Any refusal. */
static void refused(struct talk *talk, const struct suite_case *row)
{
    operation_refused(talk, &refusals[row->variant]);
}

/* What follows an error is ignored, even if the device would otherwise answer it. */
static void dropped(struct talk *talk, const struct suite_case *row)
{
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_sign sign;
    enum talk_life life;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    sign = talk_usable_sign(talk);
    if (sign != SIGN_READ && sign != SIGN_REGION) {
        talk_not_applicable(talk, "the device is not known to answer Reads");
        return;
    }
    say_send(talk, UNTAGGED_DV, true);
    talk_send_ulpdu(talk, ulpdu, talk_make_question(talk, sign, ulpdu));
    life = talk_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to a Read Request after a segment with DV 2; found one");
    else if (life == LIFE_MUTE)
        talk_inconclusive(talk, "expected an error; found neither an error nor an answer");
    else if (life == LIFE_CLOSED)
        talk_passed_by_end(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
}

/*
 * A Send of two segments with a Read Request between them: nothing forbids it, and nothing demands that it be accepted.
 * But the echo must be the message.
 */
static void interrupted(struct talk *talk, const struct suite_case *row)
{
    struct ddp_segment segment, other;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];
    const struct talk_heard *heard;
    const uint8_t *octets;

    if (!operation_start_send(talk, &segment))
        return;
    octets = segment.payload;
    segment.payload_len = OPERATION_OCTETS / 2;
    segment.last = false;
    talk_send_segment(talk, &segment);
    if (row->variant == 0) {
        operation_read(talk, &other, payload, 0, 0, 0);
    } else {
        other = talk_segment(talk, RDMAP_WRITE);
        other.stag = 1;
    }
    talk_send_segment(talk, &other);
    segment.payload += OPERATION_OCTETS / 2;
    segment.mo = OPERATION_OCTETS / 2;
    segment.last = true;
    talk_send_segment(talk, &segment);
    heard = talk_hear_opcode(talk, RDMAP_SEND);
    if (heard &&
        (heard->ddp.payload_len != OPERATION_OCTETS || memcmp(heard->ddp.payload, octets, OPERATION_OCTETS) != 0))
        talk_failed(talk, "expected the Send echoed unchanged; found other octets");
    else if (heard)
        talk_passed(talk, "the Send was echoed");
    else if (talk_last(talk)->is_terminate || !talk_is_open(talk))
        talk_passed_by_end(talk, "the device does not accept it: %s", talk_describe(talk, talk_last(talk)));
    else if (!talk_echoes(talk))
        talk_inconclusive(talk, "the device is not known to echo anything: %s", talk_describe(talk, talk_last(talk)));
    else
        talk_failed(talk, "expected the Send delivered or refused; found %s", talk_describe(talk, talk_last(talk)));
}

/* A Read Request whose only segment is not marked the last. */
static void never_last(struct talk *talk, const struct suite_case *row)
{
    struct ddp_segment segment;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];
    enum talk_life life;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    if (talk_usable_sign(talk) != SIGN_READ) {
        talk_not_applicable(talk, "the device is not known to answer zero-length Reads");
        return;
    }
    operation_read(talk, &segment, payload, 0, 0, 0);
    segment.last = false;
    talk_send_segment(talk, &segment);
    life = talk_await(talk, SIGN_READ, talk_t_react(talk));
    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to a Read Request without L; found %s",
                    talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_CLOSED)
        talk_passed_by_end(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_passed(talk, "expected an answer; found %s", talk_describe(talk, talk_last(talk)));
}

static const struct suite_case tests[] = {
    {RULE_DDP_4_1_02, NULL, DUT_ANY, NEED_REGIONS, tagged_placed, "a Write, then a Read of the same octets",
     "the Read returns what was written", 0},
    {RULE_DDP_4_1_02, "end", DUT_ANY, NEED_REGIONS, tagged_placed,
     "a Write to the last octets of a region, then a Read of them", "the Read returns what was written", 1},
    {RULE_DDP_4_1_03, NULL, DUT_ANY, NEED_ECHO, untagged_placed, "a Send", "the same octets are echoed", 0},
    {RULE_DDP_4_1_03, "interrupted", DUT_ANY, NEED_ECHO, interrupted,
     "a Send of two segments, with a zero-length Read Request between them",
     "the same octets are echoed, or the device refuses it", 0},
    {RULE_DDP_4_1_03, "write", DUT_ANY, NEED_ECHO, interrupted,
     "a Send of two segments, with a zero-length Write between them",
     "the same octets are echoed, or the device refuses it", 1},
    {RULE_DDP_4_1_11, NULL, DUT_ANY, NEED_RECEIVES, rsvd, "a Send with all Rsvd bits set", "the device continues", 0},
    {RULE_DDP_4_1_11, "tagged", DUT_ANY, NEED_REGIONS, rsvd, "a Write with all Rsvd bits set", "the device continues",
     1},
    {RULE_DDP_5_2_16, NULL, DUT_ANY, 0, empty_write, "a zero-length Write to STag 0 at the last Tagged Offset",
     "the device continues", 0},
    {RULE_DDP_5_4_03, NULL, DUT_ANY, NEED_ECHO, not_before_last,
     "the first segment of a Send, a pause, then the last segment", "no echo before the last segment", 0},
    {RULE_DDP_5_4_03, "read", DUT_ANY, 0, never_last, "a zero-length Read Request without L", "no Read Response", 0},
    {RULE_DDP_6_2_1_06, NULL, DUT_ANY, 0, half_close, "a request, immediately followed by our FIN",
     "the request is answered", 0},
    {RULE_DDP_6_2_2_03, NULL, DUT_ANY, 0, refused, "a ULPDU of 10 octets that starts like a Send",
     "a Terminate, or a close", SHORT_ULPDU},
    {RULE_DDP_6_2_2_03, "zero", DUT_ANY, 0, refused, "an FPDU with a ULPDU_Length of 0", "a Terminate, or a close",
     NO_ULPDU},
    {RULE_DDP_6_2_2_03, "two", DUT_ANY, 0, refused, "an FPDU with a ULPDU_Length of 2", "a Terminate, or a close",
     TINY_ULPDU},
    {RULE_DDP_7_1_01, NULL, DUT_ANY, NEED_RECEIVES, refused, "a Send on QN 7", "Terminate 1/2/01, or a close", BAD_QN},
    {RULE_DDP_7_1_01, "atomic", DUT_ANY, NEED_RECEIVES, refused, "a Send on QN 3, without an Atomic Request",
     "Terminate 1/2/01, 1/2/02, 1/2/03 or 0/2/06, or a close", ATOMIC_QN},
    {RULE_DDP_7_1_02, NULL, DUT_RESPONDER, NEED_WORDS, refused, "a Send to a device that posts no Receive",
     "a Terminate, or a close", NO_BUFFER},
    {RULE_DDP_7_1_07, NULL, DUT_ANY, NEED_RECEIVES, refused, "a Send whose MO is 7FFFFFFF",
     "Terminate 1/2/04, or a close", BAD_MO},
    {RULE_DDP_7_1_08, NULL, DUT_ANY, NEED_WORDS, refused, "a Send longer than the Receive buffer of 4096 octets",
     "a Terminate, or a close", TOO_LONG},
    {RULE_DDP_7_1_09, NULL, DUT_ANY, NEED_RECEIVES, refused, "a Send whose MSN is 100,000 ahead",
     "Terminate 1/2/03 or 1/2/02, or a close", BAD_MSN},
    {RULE_DDP_7_1_09, "repeated", DUT_ANY, NEED_RECEIVES, refused,
     "a Send with the MSN of one that is already complete", "Terminate 1/2/03 or 1/2/02, or a close", MSN_REPEATED},
    {RULE_DDP_7_1_11, NULL, DUT_ANY, NEED_REGIONS, refused, "a Write to an STag that does not exist",
     "a Terminate, or a close", BAD_STAG},
    {RULE_DDP_7_1_11, "gone", DUT_ANY, NEED_REGIONS, refused, "a Write to an STag that was invalidated",
     "a Terminate, or a close", GONE},
    {RULE_DDP_7_1_11, "key", DUT_ANY, NEED_REGIONS, refused, "a Write to an STag with another key than the region's",
     "a Terminate, or a close", BAD_KEY},
    {RULE_DDP_7_1_12, NULL, DUT_ANY, NEED_REGIONS, refused, "a Write to a region that only allows remote reads",
     "a Terminate, or a close", READ_ONLY},
    {RULE_DDP_7_1_12, "local", DUT_ANY, NEED_REGIONS, refused, "a Write to a region without remote access",
     "a Terminate, or a close", LOCAL_ONLY},
    {RULE_DDP_7_1_13, NULL, DUT_ANY, NEED_REGIONS, refused, "a Write that starts before a region",
     "a Terminate, or a close", BELOW},
    {RULE_DDP_7_1_13, "beyond", DUT_ANY, NEED_REGIONS, refused, "a Write that starts past the end of a region",
     "a Terminate, or a close", BEYOND},
    {RULE_DDP_7_1_14, NULL, DUT_ANY, NEED_REGIONS, refused, "a Write whose last octets are past the end of the region",
     "a Terminate, or a close", CROSSING},
    {RULE_DDP_7_1_14, "one", DUT_ANY, NEED_REGIONS, refused, "a Write whose last octet is past the end of the region",
     "a Terminate, or a close", CROSSING_ONE},
    {RULE_DDP_7_1_15, NULL, DUT_ANY, NEED_REGIONS, refused,
     "a Write whose Tagged Offset plus length wraps around around", "Terminate 1/1/03, or a close", WRAPPING},
    {RULE_DDP_7_1_20, NULL, DUT_ANY, NEED_RECEIVES, dropped, "a Send with DV 2, then a Read Request",
     "no Read Response", 0},
    {RULE_DDP_7_2_03, NULL, DUT_ANY, NEED_REGIONS, code, "a Write to an STag that does not exist", "Terminate 1/1/00",
     BAD_STAG},
    {RULE_DDP_7_2_04, NULL, DUT_ANY, NEED_REGIONS, code, "a Write that starts before a region", "Terminate 1/1/01",
     BELOW},
    {RULE_DDP_7_2_04, "bounds", DUT_ANY, NEED_REGIONS, code, "a Write whose last octets are past the end of the region",
     "Terminate 1/1/01", CROSSING},
    {RULE_DDP_7_2_05, NULL, DUT_ANY, NEED_REGIONS, code, "a Write to an STag of another Protection Domain",
     "Terminate 1/1/02", FOREIGN},
    {RULE_DDP_7_2_07, NULL, DUT_ANY, NEED_REGIONS, code, "a Write with DV 2", "Terminate 1/1/04", TAGGED_DV},
    {RULE_DDP_7_2_09, NULL, DUT_RESPONDER, NEED_WORDS, code, "a Send to a device that posts no Receive",
     "Terminate 1/2/02", NO_BUFFER},
    {RULE_DDP_7_2_12, NULL, DUT_ANY, NEED_WORDS, code, "a Send longer than the Receive buffer of 4096 octets",
     "Terminate 1/2/05", TOO_LONG},
    {RULE_DDP_7_2_13, NULL, DUT_ANY, NEED_RECEIVES, code, "a Send with DV 2", "Terminate 1/2/06", UNTAGGED_DV},
    {RULE_DDP_8_2_01, NULL, DUT_ANY, NEED_REGIONS, refused, "a Write to an STag of another Protection Domain",
     "a Terminate, or a close", FOREIGN},
};

const struct suite suite_ddp = {"ddp", tests, G_N_ELEMENTS(tests)};
