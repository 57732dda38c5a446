// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmap: RFC 5040. Versions, opcodes, Read Requests, invalidation, Terminates, and what follows an error. */
#include "traffic-gen/suite/suite_operations.h"

#include <string.h>

/* ---- what must be accepted ---- */

enum odd { RSV, SEND_STAG, SEND_SE_STAG, EMPTY_SEND };

static bool say_odd(struct talk *talk, const struct suite_case *row, bool odd)
{
    struct ddp_segment segment;

    if (!operation_start_send(talk, &segment))
        return false;
    if (row->variant == SEND_SE_STAG)
        segment.opcode = RDMAP_SEND_SE;
    if (odd && row->variant == RSV)
        segment.rdmap_rsv = 3;
    if (odd && (row->variant == SEND_STAG || row->variant == SEND_SE_STAG))
        segment.stag = 0x12345678;
    if (odd && row->variant == EMPTY_SEND)
        segment.payload_len = 0;
    talk_send_segment(talk, &segment);
    return true;
}

static void odd(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_odd, NULL);
}

/* A zero-length Read: from an STag that does not exist, or from memory that may not be read. */
static bool say_empty_read(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct advert_memory *region = NULL;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    if (!talk_start(talk, NULL) || (row->variant && !(region = talk_region(talk, REGION_WRITE_ONLY))))
        return false;
    operation_read(talk, &segment, payload, odd ? region ? region->stag : 0x12345678 : 0,
                   odd ? region ? region->address : UINT64_MAX : 0, 0);
    talk_send_segment(talk, &segment);
    return true;
}

static enum talk_life await_response(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    return talk_await(talk, SIGN_READ, talk_t_react(talk));
}

static void empty_read(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_empty_read, await_response);
}

/* Several in a row, in one segment as many as the device serves at once; each is answered, in order. */
enum { EMPTY_READS = 4, SINK_STEP = 64 };

static void add_empty_read(struct talk *talk, GByteArray *all, unsigned index)
{
    const uint64_t offset = talk_out_offset(talk) + all->len;
    const struct rdmap_read_request request = {.sink_stag = TALK_SINK_STAG,
                                               .sink_to = TALK_SINK_TO + index * SINK_STEP};
    uint8_t ulpdu[TALK_ULPDU];
    struct mpa_fpdu_plan plan;
    GByteArray *octets;
    size_t n = talk_make_read(talk, ulpdu, 0, 0, 0);

    rdmap_read_request_encode(&request, ulpdu + n - RDMAP_READ_REQUEST_LEN, RDMAP_READ_REQUEST_LEN);
    talk_plan(talk, &plan, ulpdu, n);
    plan.offset = offset;
    octets = talk_encode_plan(&plan);
    g_byte_array_append(all, octets->data, octets->len);
    g_byte_array_unref(octets);
}

static unsigned at_once_max(const struct talk *talk)
{
    return CLAMP(talk_dut_ird(talk), 1, EMPTY_READS);
}

static void say_empty_reads(struct talk *talk, unsigned from, unsigned to)
{
    GByteArray *all = g_byte_array_new();

    for (unsigned i = from; i < to; i++)
        add_empty_read(talk, all, i);
    talk_write(talk, all->data, all->len);
    g_byte_array_unref(all);
}

static bool say_row(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    if (!talk_start(talk, NULL))
        return false;
    say_empty_reads(talk, 0, odd ? at_once_max(talk) : 1);
    return true;
}

static void reads_in_a_row(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;
    unsigned asked;

    talk_expect_taken(talk, row, say_row, await_response);
    if (!talk_has_passed(talk))
        return;
    asked = at_once_max(talk);
    for (unsigned i = 0; i < EMPTY_READS; i++) {
        if (i > 0 && talk_await(talk, SIGN_READ, talk_t_react(talk)) != LIFE_ANSWERS) {
            talk_failed(talk, "only %u of %u consecutive zero-length Reads were answered, then %s", i,
                        (unsigned)EMPTY_READS, talk_describe(talk, talk_last(talk)));
            return;
        }
        heard = talk_last(talk);
        if (heard->ddp.to != TALK_SINK_TO + i * SINK_STEP || heard->ddp.payload_len > 0) {
            talk_failed(talk, "expected a zero-length Read Response to TO 0x%x; found %s", TALK_SINK_TO + i * SINK_STEP,
                        talk_describe(talk, heard));
            return;
        }
        if (asked < EMPTY_READS) {
            say_empty_reads(talk, asked, asked + 1);
            asked++;
        }
    }
    talk_passed(talk, "%u consecutive zero-length Reads were answered, in order", (unsigned)EMPTY_READS);
}

/* ---- the peer's Terminate ---- */

static void terminate(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish no_receives = {.advert = {.receives = 0, .size = 4096}};
    struct rdmap_terminate message = {.layer = RDMAP_LAYER_RDMA, .reserved = row->variant ? 0x1FFF : 0};
    uint8_t payload[RDMAP_TERMINATE_LEN_MAX];
    struct ddp_segment segment;

    if (!talk_start(talk, &no_receives))
        return;
    segment = talk_segment(talk, RDMAP_TERMINATE);
    segment.payload = payload;
    segment.payload_len = rdmap_terminate_encode(&message, payload, sizeof payload);
    talk_send_segment(talk, &segment);
    operation_expect_end(talk);
}

/* ---- invalidation ---- */

static void invalidated(struct talk *talk, const struct suite_case *row)
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
        talk_inconclusive(talk, "the device does not accept a Send with Invalidate of memory that it advertised: %s",
                          talk_describe(talk, talk_last(talk)));
        return;
    }
    if (row->variant == 0) {
        if (!operation_write(talk, &segment, REGION_ALL, 0, OPERATION_OCTETS))
            return;
    } else {
        operation_read(talk, &segment, payload, region->stag, region->address, OPERATION_OCTETS);
    }
    talk_send_segment(talk, &segment);
    talk_expect_terminate(talk, &(struct talk_terminate){.any_layer = true,
                                                         .or_close = true,
                                                         .served = row->variant ? RDMAP_READ_RESPONSE : 0});
}

/* ---- what must be refused ---- */

enum wrong {
    READ_STAG,
    READ_KEY,
    READ_CROSSING_ONE,
    READ_BELOW,
    READ_CROSSING,
    READ_WRITE_ONLY,
    READ_LOCAL,
    READ_FOREIGN,
    READ_GONE,
    READ_WRAPPING,
    READ_LONG,
    READ_LONGER,
    READ_SHORTER,
    READ_MO,
    READ_VERSION,
    READ_QUEUE,
    READ_UNASKED,
    INVALIDATE_NONE,
    INVALIDATE_GONE,
    INVALIDATE_FOREIGN,
    SEND_VERSION,
    SEND_OPCODE,
    WRITE_VERSION,
    SEND_LONG,
    READ_ON_SEND_QUEUE,
    SEND_ON_TERMINATE_QUEUE,
    SEND_TAGGED,
    WRITE_UNTAGGED,
};

/* A Read of OPERATION_OCTETS octets from the region. */
static bool say_read(struct talk *talk, int what, bool wrong)
{
    static const struct {
        enum advert_region region;
        int64_t at;
        bool from_end;
    } places[] = {
        [READ_STAG] = {REGION_ALL, 0, false},
        [READ_KEY] = {REGION_ALL, 0, false},
        [READ_CROSSING_ONE] = {REGION_ALL, 1 - OPERATION_OCTETS, true},
        [READ_BELOW] = {REGION_ALL, -OPERATION_OCTETS, false},
        [READ_CROSSING] = {REGION_ALL, -OPERATION_OCTETS / 2, true},
        [READ_WRITE_ONLY] = {REGION_WRITE_ONLY, 0, false},
        [READ_LOCAL] = {REGION_LOCAL, 0, false},
        [READ_FOREIGN] = {REGION_FOREIGN, 0, false},
        [READ_GONE] = {REGION_GONE, 0, false},
        [READ_WRAPPING] = {REGION_ALL, 0, false},
        [READ_LONG] = {REGION_ALL, 0, false},
        [READ_LONGER] = {REGION_ALL, 0, false},
        [READ_SHORTER] = {REGION_ALL, 0, false},
        [READ_MO] = {REGION_ALL, 0, false},
        [READ_VERSION] = {REGION_ALL, 0, false},
    };
    const struct advert_memory *region = talk_region(talk, wrong ? places[what].region : REGION_ALL);
    uint8_t payload[RDMAP_READ_REQUEST_LEN + 4] = {0};
    struct ddp_segment segment;
    uint32_t stag;
    uint64_t to;

    if (!region)
        return false;
    stag = region->stag;
    to = region->address;
    if (wrong)
        to += (uint64_t)places[what].at + (places[what].from_end ? region->length : 0);
    if (wrong && what == READ_WRAPPING)
        to = UINT64_MAX - OPERATION_OCTETS / 2;
    if (wrong && (what == READ_STAG || what == READ_KEY))
        stag ^= what == READ_STAG ? 0x5A5A5A00 : 0x01;
    operation_read(talk, &segment, payload, stag, to, OPERATION_OCTETS);
    switch (wrong ? (enum wrong)what : READ_STAG) {
    case READ_LONG:
        segment.payload_len = sizeof payload;
        break;
    case READ_LONGER:
        segment.payload_len++;
        break;
    case READ_SHORTER:
        segment.payload_len--;
        break;
    case READ_MO:
        segment.mo = 4;
        break;
    case READ_VERSION:
        segment.rv = 2;
        break;
    default:
        break;
    }
    talk_send_segment(talk, &segment);
    return true;
}

/* Sends, and what only claims to be one; in the comparison it is a Send. */
static bool say_other(struct talk *talk, int what, bool wrong)
{
    struct ddp_segment segment = operation_send(talk);
    static const uint8_t part[1400];
    const struct advert_memory *region;

    switch (wrong ? (enum wrong)what : READ_STAG) {
    case INVALIDATE_NONE:
        segment.opcode = RDMAP_SEND_INVALIDATE;
        segment.stag = 0x5A5A5A00;
        break;
    case INVALIDATE_GONE:
    case INVALIDATE_FOREIGN:
        region = talk_region(talk, what == INVALIDATE_GONE ? REGION_GONE : REGION_FOREIGN);
        if (!region)
            return false;
        segment.opcode = what == INVALIDATE_GONE ? RDMAP_SEND_INVALIDATE : RDMAP_SEND_SE_INVALIDATE;
        segment.stag = region->stag;
        break;
    case SEND_VERSION:
        segment.rv = 2;
        break;
    case SEND_OPCODE:
        segment.opcode = 12;
        break;
    case READ_ON_SEND_QUEUE:
        segment.opcode = RDMAP_READ_REQUEST;
        segment.payload = part;
        segment.payload_len = RDMAP_READ_REQUEST_LEN;
        break;
    case SEND_ON_TERMINATE_QUEUE:
        segment.qn = DDP_QN_TERMINATE;
        break;
    case WRITE_UNTAGGED:
        segment.opcode = RDMAP_WRITE;
        break;
    case SEND_LONG:
        segment.last = false;
        segment.payload = part;
        segment.payload_len = sizeof part;
        for (; segment.mo + sizeof part < 4096; segment.mo += sizeof part)
            talk_send_segment(talk, &segment);
        break;
    default:
        break;
    }
    talk_send_segment(talk, &segment);
    return true;
}

/* What nobody misses when it is not sent. */
static bool say_nothing_else(struct talk *talk, int what, bool wrong)
{
    static const uint8_t part[OPERATION_OCTETS];
    struct ddp_segment segment;

    if (!wrong)
        return true;
    if (what == READ_QUEUE) { /* a Send on the queue of Read Requests */
        segment = talk_segment(talk, RDMAP_READ_REQUEST);
        segment.opcode = RDMAP_SEND;
        segment.payload_len = RDMAP_READ_REQUEST_LEN;
    } else {
        segment = talk_segment(talk, RDMAP_READ_RESPONSE);
        segment.stag = 0x5A5A5A00;
        segment.payload_len = OPERATION_OCTETS;
    }
    segment.payload = part;
    talk_send_segment(talk, &segment);
    return true;
}

static bool say_write(struct talk *talk, int what, bool wrong)
{
    struct ddp_segment segment;

    if (!operation_write(talk, &segment, REGION_ALL, 0, OPERATION_OCTETS))
        return false;
    if (wrong && what == WRITE_VERSION)
        segment.rv = 2;
    if (wrong && what == SEND_TAGGED)
        segment.opcode = RDMAP_SEND;
    talk_send_segment(talk, &segment);
    return true;
}

#define RDMA(type, ...)                                                                                                \
    {                                                                                                                  \
        .layer = 0, .etype = (type), .codes = { __VA_ARGS__ }                                                          \
    }
#define READ(what, ...)                                                                                                \
    {                                                                                                                  \
        say_read, (what), __VA_ARGS__, RDMAP_READ_RESPONSE, false                                                      \
    }
/* Protection or operation: both have the number (sections 4.8 and 5.3). */
#define CANNOT_BE_INVALIDATED                                                                                          \
    {                                                                                                                  \
        .layer = 0, .etype = 1, .other_etype = 2, .codes = { 0x09 }                                                    \
    }

static const struct refusal refusals[] = {
    [READ_STAG] = READ(READ_STAG, RDMA(1, 0x00)),
    [READ_KEY] = READ(READ_KEY, RDMA(1, 0x00)),
    [READ_CROSSING_ONE] = READ(READ_CROSSING_ONE, RDMA(1, 0x01)),
    [READ_BELOW] = READ(READ_BELOW, RDMA(1, 0x01)),
    [READ_CROSSING] = READ(READ_CROSSING, RDMA(1, 0x01)),
    [READ_WRITE_ONLY] = READ(READ_WRITE_ONLY, RDMA(1, 0x02)),
    [READ_LOCAL] = READ(READ_LOCAL, RDMA(1, 0x02)),
    [READ_FOREIGN] = READ(READ_FOREIGN, RDMA(1, 0x03)),
    [READ_GONE] = READ(READ_GONE, RDMA(1, 0x00)),
    [READ_WRAPPING] = READ(READ_WRAPPING, RDMA(1, 0x04)),
    [READ_LONG] = READ(READ_LONG, {0}),
    [READ_LONGER] = READ(READ_LONGER, {0}),
    [READ_SHORTER] = READ(READ_SHORTER, {0}),
    [READ_MO] = READ(READ_MO, {0}),
    [READ_VERSION] = READ(READ_VERSION, RDMA(2, 0x05)),
    [READ_QUEUE] = {.say = say_nothing_else, .what = READ_QUEUE},
    [READ_UNASKED] = {.say = say_nothing_else, .what = READ_UNASKED},
    [INVALIDATE_NONE] = {say_other, INVALIDATE_NONE, CANNOT_BE_INVALIDATED, RDMAP_SEND, false},
    [INVALIDATE_GONE] = {say_other, INVALIDATE_GONE, CANNOT_BE_INVALIDATED, RDMAP_SEND, false},
    [INVALIDATE_FOREIGN] = {say_other, INVALIDATE_FOREIGN, CANNOT_BE_INVALIDATED, RDMAP_SEND, false},
    [SEND_VERSION] = {say_other, SEND_VERSION, RDMA(2, 0x05), RDMAP_SEND, false},
    [SEND_OPCODE] = {say_other, SEND_OPCODE, RDMA(2, 0x06), RDMAP_SEND, false},
    [READ_ON_SEND_QUEUE] = {say_other, READ_ON_SEND_QUEUE, {0}, RDMAP_READ_RESPONSE, false},
    [SEND_ON_TERMINATE_QUEUE] = {say_other, SEND_ON_TERMINATE_QUEUE, {0}, RDMAP_SEND, false},
    [WRITE_UNTAGGED] = {.say = say_other, .what = WRITE_UNTAGGED},
    [SEND_TAGGED] = {.say = say_write, .what = SEND_TAGGED},
    [WRITE_VERSION] = {.say = say_write, .what = WRITE_VERSION},
    [SEND_LONG] = {say_other, SEND_LONG, {0}, RDMAP_SEND, false},
};

static void code(struct talk *talk, const struct suite_case *row)
{
    operation_refusal(talk, &refusals[row->variant]);
}

static void refused(struct talk *talk, const struct suite_case *row)
{
    operation_refused(talk, &refusals[row->variant]);
}

/* Memory that may not be read is not read, and for that reason. */
static void not_disclosed(struct talk *talk, const struct suite_case *row)
{
    operation_refused_for(talk, &refusals[row->variant]);
}

/* ---- how an error ends the stream ---- */

/* A Terminate, not only a close. A close counts if a correct Send does not lead to one. */
static void terminates(struct talk *talk, const struct suite_case *row)
{
    g_autofree char *what = NULL;
    struct ddp_segment segment;

    (void)row;
    if (!operation_start_send(talk, &segment))
        return;
    segment.dv = 2;
    talk_send_segment(talk, &segment);
    if (operation_hear_end(talk, talk_t_react(talk))->is_terminate) {
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
        return;
    }
    what = g_strdup(talk_describe(talk, talk_last(talk)));
    if (!talk_is_open(talk)) {
        bool started = operation_start_send(talk, &segment);

        if (started)
            talk_send_segment(talk, &segment);
        if (!started || !talk_life_good(talk_probe(talk))) {
            talk_inconclusive(talk, "%s; after a Send without an error the device does not continue either", what);
            return;
        }
    }
    talk_failed(talk, "expected a Terminate about a segment with DV 2; found %s", what);
}

/* Nothing is answered after an error, and the connection ends. */
static void no_recovery(struct talk *talk, const struct suite_case *row)
{
    struct ddp_segment segment;
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    say_other(talk, SEND_OPCODE, true);
    operation_read(talk, &segment, payload, 0, 0, 0);
    talk_send_segment(talk, &segment);
    if (talk_await(talk, SIGN_READ, talk_t_react(talk)) == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer after a Send with opcode 12; a Read Request after it was answered");
    else
        talk_expect_close(talk);
}

/* The first error is reported. */
static void first_of_two(struct talk *talk, const struct suite_case *row)
{
    static const struct talk_terminate first = {.layer = 1, .etype = 2, .codes = {0x06}, .close_open = true};
    struct ddp_segment segment;

    (void)row;
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

/* The Terminate is the next message: no echo of later Sends and no other answer comes before it. */
static void at_once(struct talk *talk, const struct suite_case *row)
{
    struct ddp_segment segment;
    const struct talk_heard *heard;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    talk_sleep(talk, talk_t_react(talk) / 8); /* what was due before it has been sent */
    while (talk_hear(talk, 0)->what == TALK_FPDU)
        ;
    segment = operation_send(talk);
    segment.dv = 2;
    talk_send_segment(talk, &segment);
    heard = talk_hear(talk, talk_t_react(talk));
    if (heard->what == TALK_FPDU && !heard->is_terminate)
        talk_failed(talk, "expected the Terminate first; found %s before it", talk_describe(talk, heard));
    else if (heard->what == TALK_FPDU)
        talk_passed(talk, "%s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "%s", talk_describe(talk, heard));
}

static const struct suite_case tests[] = {
    {RULE_RDMAP_1_2_02, NULL, DUT_ANY, NEED_REGIONS | NEED_ECHO, invalidated,
     "a Send with Invalidate, then a Write to that STag", "a Terminate, or a close", 0},
    {RULE_RDMAP_1_2_02, "read", DUT_ANY, NEED_REGIONS | NEED_ECHO, invalidated,
     "a Send with Invalidate, then a Read from that STag", "a Terminate, or a close", 1},
    {RULE_RDMAP_3_2_03, NULL, DUT_ANY, NEED_WORDS, refused, "a Send longer than the Receive buffer of 4096 octets",
     "a Terminate, or a close", SEND_LONG},
    {RULE_RDMAP_4_1_27, NULL, DUT_ANY, NEED_RECEIVES, odd, "a Send with both Rsv bits set", "the device continues",
     RSV},
    {RULE_RDMAP_4_1_30, NULL, DUT_ANY, NEED_RECEIVES, odd, "a Send whose Invalidate STag word is not zero",
     "the device continues", SEND_STAG},
    {RULE_RDMAP_4_1_30, "se", DUT_ANY, NEED_RECEIVES, odd,
     "a Send with Solicited Event whose Invalidate STag word is not zero", "the device continues", SEND_SE_STAG},
    {RULE_RDMAP_4_8_07, NULL, DUT_ANY, NEED_REGIONS, code, "a Read from an STag that does not exist",
     "Terminate 0/1/00", READ_STAG},
    {RULE_RDMAP_4_8_08, NULL, DUT_ANY, NEED_REGIONS, code, "a Read that starts before a region", "Terminate 0/1/01",
     READ_BELOW},
    {RULE_RDMAP_4_8_08, "bounds", DUT_ANY, NEED_REGIONS, code,
     "a Read whose last octets are past the end of the region", "Terminate 0/1/01", READ_CROSSING},
    {RULE_RDMAP_4_8_09, NULL, DUT_ANY, NEED_REGIONS, code, "a Read from a region that only allows remote writes",
     "Terminate 0/1/02", READ_WRITE_ONLY},
    {RULE_RDMAP_4_8_09, "local", DUT_ANY, NEED_REGIONS, code, "a Read from a region without remote access",
     "Terminate 0/1/02", READ_LOCAL},
    {RULE_RDMAP_4_8_10, NULL, DUT_ANY, NEED_REGIONS, code, "a Read from an STag of another Protection Domain",
     "Terminate 0/1/03", READ_FOREIGN},
    {RULE_RDMAP_4_8_11, NULL, DUT_ANY, NEED_REGIONS, code,
     "a Read whose SrcTO plus length wraps around around around around", "Terminate 0/1/04", READ_WRAPPING},
    {RULE_RDMAP_4_8_12, NULL, DUT_ANY, NEED_REGIONS, code, "a Send with Invalidate of an STag that does not exist",
     "Terminate 0/1/09 or 0/2/09", INVALIDATE_NONE},
    {RULE_RDMAP_4_8_14, NULL, DUT_ANY, NEED_RECEIVES, code, "a Send with RV 2", "Terminate 0/2/05", SEND_VERSION},
    {RULE_RDMAP_4_8_15, NULL, DUT_ANY, NEED_RECEIVES, code, "a Send with opcode 12", "Terminate 0/2/06", SEND_OPCODE},
    {RULE_RDMAP_4_8_29, NULL, DUT_ANY, NEED_REGIONS, terminate, "a Terminate with all reserved bits set",
     "the device closes, without a Terminate", 1},
    {RULE_RDMAP_5_2_1_06, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read Request of 32 octets",
     "a Terminate, or a close", READ_LONG},
    {RULE_RDMAP_5_2_1_06, "longer", DUT_ANY, NEED_REGIONS, refused, "a Read Request of 29 octets, one too many",
     "a Terminate, or a close", READ_LONGER},
    {RULE_RDMAP_5_2_1_06, "shorter", DUT_ANY, NEED_REGIONS, refused, "a Read Request of 27 octets, one too few",
     "a Terminate, or a close", READ_SHORTER},
    {RULE_RDMAP_5_2_1_06, "mo", DUT_ANY, NEED_REGIONS, refused, "a Read Request with MO 4", "a Terminate, or a close",
     READ_MO},
    {RULE_RDMAP_5_2_1_17, NULL, DUT_ANY, 0, empty_read, "a zero-length Read from an STag that does not exist",
     "the Read Response", 0},
    {RULE_RDMAP_5_2_1_17, "rights", DUT_ANY, NEED_REGIONS, empty_read,
     "a zero-length Read from a region that only allows remote writes", "the Read Response", 1},
    {RULE_RDMAP_5_2_1_17, "row", DUT_ANY, 0, reads_in_a_row,
     "four consecutive zero-length Reads, as many at once as the device serves", "four Read Responses, in order", 0},
    {RULE_RDMAP_5_2_2_06, NULL, DUT_ANY, 0, refused, "an unsolicited Read Response", "a Terminate, or a close",
     READ_UNASKED},
    {RULE_RDMAP_5_3_05, NULL, DUT_ANY, NEED_WORDS, refused, "a Send longer than the Receive buffer of 4096 octets",
     "a Terminate, or a close", SEND_LONG},
    {RULE_RDMAP_5_3_12, NULL, DUT_ANY, NEED_RECEIVES, odd, "a zero-length Send", "the device continues", EMPTY_SEND},
    {RULE_RDMAP_5_4_05, NULL, DUT_RESPONDER, NEED_WORDS, terminate, "a Terminate to a device that posts no Receive",
     "the device closes, without a Terminate", 0},
    {RULE_RDMAP_6_2_1_01, NULL, DUT_ANY, NEED_RECEIVES, terminates, "a Send with DV 2", "a Terminate", 0},
    {RULE_RDMAP_7_01, NULL, DUT_ANY, NEED_RECEIVES, no_recovery,
     "a Send with opcode 12, then a zero-length Read Request", "no answer, and the connection ends", 0},
    {RULE_RDMAP_7_1_05, NULL, DUT_ANY, NEED_RECEIVES, at_once, "a Send with DV 2",
     "the Terminate is the device's next message", 0},
    {RULE_RDMAP_7_1_10, NULL, DUT_ANY, NEED_RECEIVES, first_of_two, "a Send with DV 2, then one with opcode 12",
     "Terminate 1/2/06, about the former", 0},
    {RULE_RDMAP_7_2_02, NULL, DUT_ANY, NEED_RECEIVES, refused, "a Send with opcode 12", "a Terminate, or a close",
     SEND_OPCODE},
    {RULE_RDMAP_7_2_02, "tagged", DUT_ANY, NEED_REGIONS, refused, "a Tagged segment with the opcode of a Send",
     "a Terminate, or a close", SEND_TAGGED},
    {RULE_RDMAP_7_2_02, "untagged", DUT_ANY, NEED_RECEIVES, refused, "an Untagged segment with the opcode of a Write",
     "a Terminate, or a close", WRITE_UNTAGGED},
    {RULE_RDMAP_7_2_02, "queue", DUT_ANY, NEED_RECEIVES, refused, "a Read Request on QN 0", "a Terminate, or a close",
     READ_ON_SEND_QUEUE},
    {RULE_RDMAP_7_2_02, "terminate-queue", DUT_ANY, NEED_RECEIVES, refused, "a Send on QN 2", "a Terminate, or a close",
     SEND_ON_TERMINATE_QUEUE},
    {RULE_RDMAP_7_2_03, NULL, DUT_ANY, NEED_RECEIVES, refused, "a Send with RV 2", "a Terminate, or a close",
     SEND_VERSION},
    {RULE_RDMAP_7_2_03, "write", DUT_ANY, NEED_REGIONS, refused, "a Write with RV 2", "a Terminate, or a close",
     WRITE_VERSION},
    {RULE_RDMAP_7_2_04, NULL, DUT_ANY, NEED_REGIONS, refused, "a Send with Invalidate of an STag that does not exist",
     "a Terminate, or a close", INVALIDATE_NONE},
    {RULE_RDMAP_7_2_04, "gone", DUT_ANY, NEED_REGIONS, refused,
     "a Send with Invalidate of an STag that was invalidated before", "a Terminate, or a close", INVALIDATE_GONE},
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
    {RULE_RDMAP_7_2_09, "key", DUT_ANY, NEED_REGIONS, refused, "a Read from an STag with another key than the region's",
     "a Terminate, or a close", READ_KEY},
    {RULE_RDMAP_7_2_10, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read from an STag of another Protection Domain",
     "a Terminate, or a close", READ_FOREIGN},
    {RULE_RDMAP_7_2_11, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read that starts before a region",
     "a Terminate, or a close", READ_BELOW},
    {RULE_RDMAP_7_2_12, NULL, DUT_ANY, NEED_REGIONS, refused, "a Read whose last octets are past the end of the region",
     "a Terminate, or a close", READ_CROSSING},
    {RULE_RDMAP_7_2_12, "one", DUT_ANY, NEED_REGIONS, refused, "a Read whose last octet is past the end of the region",
     "a Terminate, or a close", READ_CROSSING_ONE},
    {RULE_SEC_6_3_5_01, NULL, DUT_ANY, NEED_REGIONS, not_disclosed,
     "a Read from a region that only allows remote writes", "Terminate 0/1/02, and none of the octets",
     READ_WRITE_ONLY},
};

const struct suite suite_rdmap = {"rdmap", tests, G_N_ELEMENTS(tests)};
