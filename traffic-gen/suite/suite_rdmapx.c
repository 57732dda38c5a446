// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmapx: RFC 7306, Atomic Operations and Immediate Data. A device that does not support them must say so, and is
 * done.
 */
#include "traffic-gen/suite/suite_operations.h"

#include "traffic-gen/suite/talk_internal.h"
#include "wire/octets.h"

enum { UNEXPECTED_OPCODE = 0x06, DEPTH = 16 };

static void atomic_request(struct talk *talk, const struct rdmap_atomic_request *request, struct ddp_segment *segment,
                           uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN])
{
    *segment = talk_segment(talk, RDMAP_ATOMIC_REQUEST);
    segment->payload = payload;
    segment->payload_len = rdmap_atomic_request_encode(request, payload, RDMAP_ATOMIC_REQUEST_LEN);
}

/* A FetchAdd of zero to the first word of the region: harmless to try (section 1.1). */
static struct rdmap_atomic_request fetch_add(const struct advert_memory *region)
{
    return (struct rdmap_atomic_request){
        .opcode = RDMAP_ATOMIC_FETCH_ADD, .identifier = 1, .stag = region->stag, .to = region->address};
}

/* Also with layer and error type swapped, as some devices do: RDMAPX-1.1-05 is about that. */
static bool says_unexpected(const struct rdmap_terminate *terminate)
{
    return terminate->code == UNEXPECTED_OPCODE && ((terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 2) ||
                                                    (terminate->layer == 2 && terminate->etype == RDMAP_LAYER_RDMA));
}

/* What Immediate Data and Atomic Requests have in common: the DUT that lacks them answers 0/2/06. */
static bool has_operation(struct talk *talk, bool answered)
{
    const struct talk_heard *heard = talk_last(talk);

    if (answered)
        return true;
    if (heard->what == TALK_FPDU && heard->is_terminate && says_unexpected(&heard->terminate))
        talk_not_applicable(talk, "the device does not support this operation: %s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "the same operation without the fault was not answered; found %s",
                          talk_describe(talk, heard));
    return false;
}

/* Starts, and tries an Atomic Operation. False: verdict is set. */
static const struct advert_memory *atomic_start(struct talk *talk)
{
    const struct advert_memory *region;
    struct rdmap_atomic_request request;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN];

    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return NULL;
    request = fetch_add(region);
    atomic_request(talk, &request, &segment, payload);
    talk_send_segment(talk, &segment);
    return has_operation(talk, talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE)) ? region : NULL;
}

static struct ddp_segment immediate(struct talk *talk)
{
    static const uint8_t data[16] = "immediate";
    struct ddp_segment segment = talk_segment(talk, RDMAP_IMMEDIATE);

    segment.payload = data;
    segment.payload_len = RDMAP_IMMEDIATE_LEN;
    return segment;
}

static bool immediate_start(struct talk *talk)
{
    struct ddp_segment segment;

    if (!talk_start(talk, NULL))
        return false;
    segment = immediate(talk);
    talk_send_segment(talk, &segment);
    return has_operation(talk, talk_hear_opcode(talk, RDMAP_IMMEDIATE));
}

/* What came instead of the answer. */
static enum talk_life life_of_last(const struct talk *talk)
{
    const struct talk_heard *heard = talk_last(talk);

    if (heard->what == TALK_FPDU)
        return LIFE_TERMINATE;
    return heard->what == TALK_SILENCE ? LIFE_MUTE : heard->what == TALK_GARBAGE ? LIFE_GARBAGE : LIFE_CLOSED;
}

/* The verdict on a fault in an operation that was just answered. */
static void expect_refusal(struct talk *talk, enum rdmap_opcode served)
{
    talk_expect_terminate(talk,
                          &(struct talk_terminate){.any_layer = true, .or_close = true, .served = (uint8_t)served});
}

/* ---- what must be supported ---- */

static void all_operations(struct talk *talk, const struct suite_case *row)
{
    const struct advert_memory *region = atomic_start(talk);
    struct rdmap_atomic_request request;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN];

    (void)row;
    if (!region)
        return;
    request = fetch_add(region);
    request.opcode = RDMAP_ATOMIC_CMP_SWAP;
    request.identifier = 2;
    atomic_request(talk, &request, &segment, payload);
    talk_send_segment(talk, &segment);
    if (talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE))
        talk_passed(talk, "FetchAdd and CmpSwap were answered");
    else
        talk_failed(talk, "expected an answer to a CmpSwap as to a FetchAdd; found %s",
                    talk_describe(talk, talk_last(talk)));
}

/* A device without the operation. */
static void lacking(struct talk *talk, const struct suite_case *row)
{
    static const struct talk_terminate opcode = {
        .layer = 0, .etype = 2, .codes = {UNEXPECTED_OPCODE}, .close_open = true};
    const struct advert_memory *region;
    struct rdmap_atomic_request request;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN];

    (void)row;
    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return;
    request = fetch_add(region);
    atomic_request(talk, &request, &segment, payload);
    talk_send_segment(talk, &segment);
    if (talk_hear(talk, talk_t_react(talk))->what == TALK_FPDU && !talk_last(talk)->is_terminate)
        talk_not_applicable(talk, "the device supports Atomic Operations");
    else if (talk_last(talk)->what == TALK_FPDU && talk_last(talk)->terminate.layer == opcode.layer &&
             talk_last(talk)->terminate.etype == opcode.etype && talk_last(talk)->terminate.code == opcode.codes[0])
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
    else if (talk_last(talk)->what == TALK_FPDU)
        talk_failed(talk, "expected Terminate layer 0 type 2 code 6; found %s", talk_describe(talk, talk_last(talk)));
    else
        talk_inconclusive(talk, "%s", talk_describe(talk, talk_last(talk)));
}

enum odd { ODD_RESERVED, ODD_COMPARE, ODD_COMPARE_MASK, ODD_STAG };

static bool say_odd_request(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct advert_memory *region = atomic_start(talk);
    struct rdmap_atomic_request request;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN];

    if (!region)
        return false;
    request = fetch_add(region);
    request.identifier = 2;
    if (odd && row->variant == ODD_RESERVED)
        request.reserved = 0x0FFFFFFF;
    if (odd && row->variant == ODD_COMPARE)
        request.compare_data = UINT64_C(0x1122334455667788);
    if (odd && row->variant == ODD_COMPARE_MASK)
        request.compare_mask = UINT64_C(0x00FF00FF00FF00FF);
    atomic_request(talk, &request, &segment, payload);
    if (odd && row->variant == ODD_STAG)
        segment.stag = 0x12345678;
    talk_send_segment(talk, &segment);
    return true;
}

static enum talk_life await_atomic(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    return talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE) ? LIFE_ANSWERS : life_of_last(talk);
}

static void odd_request(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_odd_request, await_atomic);
}

static bool say_odd_immediate(struct talk *talk, const struct suite_case *row, bool odd)
{
    struct ddp_segment segment;

    (void)row;
    if (!immediate_start(talk))
        return false;
    segment = immediate(talk);
    if (odd)
        segment.stag = 0x12345678;
    talk_send_segment(talk, &segment);
    return true;
}

static enum talk_life await_immediate(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    return talk_hear_opcode(talk, RDMAP_IMMEDIATE) ? LIFE_ANSWERS : life_of_last(talk);
}

static void odd_immediate(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_odd_immediate, await_immediate);
}

/* As many in flight as the device offers, in one write. */
static void depth(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.enhanced = true, .data = {.ird = DEPTH, .ord = DEPTH}};
    const struct advert_memory *region;
    struct rdmap_atomic_request request;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN];
    unsigned n;

    (void)row;
    if (!talk_start(talk, &wish) || !(region = talk_region(talk, REGION_ALL)))
        return;
    n = talk_dut_ird(talk);
    if (n == 0 || n > DEPTH) {
        talk_inconclusive(talk, "the device answered with an IRD of %u to an ORD of %u", n, (unsigned)DEPTH);
        return;
    }
    request = fetch_add(region);
    for (request.identifier = 1; request.identifier <= n; request.identifier++) {
        atomic_request(talk, &request, &segment, payload);
        talk_send_segment(talk, &segment);
    }
    for (unsigned i = 0; i < n; i++) {
        if (talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE))
            continue;
        if (i > 0 || has_operation(talk, false))
            talk_failed(talk, "expected %u Atomic Requests answered, as many as the IRD; found %u answered, then %s", n,
                        i, talk_describe(talk, talk_last(talk)));
        return;
    }
    talk_passed(talk, "%u Atomic Requests were answered", n);
}

/* ---- what must be refused ---- */

enum wrong {
    UNALIGNED_ADD,
    UNALIGNED_SWAP,
    BAD_AOPCODE,
    SHORT_REQUEST,
    LONG_REQUEST,
    ATOMIC_VERSION,
    ATOMIC_STAG,
    RESPONSE_UNASKED
};

static bool say_atomic(struct talk *talk, int what)
{
    const struct advert_memory *region = atomic_start(talk);
    struct rdmap_atomic_request request;
    struct ddp_segment segment;
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN + 4] = {0};

    if (!region)
        return false;
    request = fetch_add(region);
    request.identifier = 2;
    if (what == UNALIGNED_SWAP)
        request.opcode = RDMAP_ATOMIC_CMP_SWAP;
    if (what == UNALIGNED_ADD || what == UNALIGNED_SWAP)
        request.to += 4;
    if (what == BAD_AOPCODE)
        request.opcode = 9;
    if (what == ATOMIC_STAG)
        request.stag ^= 0x5A5A5A00;
    atomic_request(talk, &request, &segment, payload);
    if (what == SHORT_REQUEST)
        segment.payload_len -= 8;
    if (what == LONG_REQUEST)
        segment.payload_len = sizeof payload;
    if (what == ATOMIC_VERSION)
        segment.rv = 2;
    talk_send_segment(talk, &segment);
    return true;
}

static void refuse_atomic(struct talk *talk, const struct suite_case *row)
{
    if (say_atomic(talk, row->variant))
        expect_refusal(talk, RDMAP_ATOMIC_RESPONSE);
}

static void unaligned_code(struct talk *talk, const struct suite_case *row)
{
    /* Remote Operation Error, Catastrophic error localized to RDMAP Stream (section 8.2). */
    static const struct talk_terminate localized = {.layer = 0, .etype = 2, .codes = {0x07}, .close_open = true};

    if (say_atomic(talk, row->variant))
        talk_expect_terminate(talk, &localized);
}

/* DDP header, and no RDMA Header: R is for Read Requests (section 8.1). */
static void headers(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    (void)row;
    if (!say_atomic(talk, ATOMIC_STAG))
        return;
    heard = operation_hear_end(talk, talk_t_react(talk));
    if (!heard->is_terminate)
        talk_inconclusive(talk, "expected a Terminate; found %s", talk_describe(talk, talk_last(talk)));
    else if (!heard->terminate.d || heard->terminate.r)
        talk_failed(talk, "expected D = 1 and R = 0; found D = %d and R = %d in %s", heard->terminate.d,
                    heard->terminate.r, talk_describe(talk, heard));
    else
        talk_passed(talk, "%s, D = 1, R = 0", talk_describe(talk, heard));
}

static void response_unasked(struct talk *talk, const struct suite_case *row)
{
    const struct rdmap_atomic_response response = {.identifier = 77};
    uint8_t payload[RDMAP_ATOMIC_RESPONSE_LEN];
    struct ddp_segment segment;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    segment = talk_segment(talk, RDMAP_ATOMIC_RESPONSE);
    segment.payload = payload;
    segment.payload_len = rdmap_atomic_response_encode(&response, payload, sizeof payload);
    talk_send_segment(talk, &segment);
    talk_expect_terminate(talk, &(struct talk_terminate){.any_layer = true, .or_close = true});
}

enum wrong_immediate { LONG_IMMEDIATE, SHORT_IMMEDIATE, IMMEDIATE_QUEUE, IMMEDIATE_VERSION };

static void refuse_immediate(struct talk *talk, const struct suite_case *row)
{
    struct ddp_segment segment;

    if (!immediate_start(talk))
        return;
    segment = immediate(talk);
    if (row->variant == LONG_IMMEDIATE)
        segment.payload_len = 12;
    if (row->variant == SHORT_IMMEDIATE)
        segment.payload_len = 4;
    if (row->variant == IMMEDIATE_VERSION)
        segment.rv = 2;
    if (row->variant == IMMEDIATE_QUEUE) {
        segment = talk_segment(talk, RDMAP_READ_REQUEST);
        segment.opcode = RDMAP_IMMEDIATE;
        segment.payload = (const uint8_t *)"12345678";
        segment.payload_len = RDMAP_IMMEDIATE_LEN;
    }
    talk_send_segment(talk, &segment);
    expect_refusal(talk, RDMAP_IMMEDIATE);
}

static const struct suite_case tests[] = {
    {RULE_RDMAPX_1_1_01, NULL, DUT_ANY, NEED_REGIONS, all_operations, "a FetchAdd, then a CmpSwap", "both are answered",
     0},
    {RULE_RDMAPX_1_1_05, NULL, DUT_ANY, NEED_REGIONS, lacking, "a FetchAdd of zero to a device without atomics",
     "Terminate 0/2/06", 0},
    {RULE_RDMAPX_4_1_04, NULL, DUT_ANY, NEED_ECHO, odd_immediate,
     "Immediate Data whose Invalidate STag word is not zero", "it is accepted", 0},
    {RULE_RDMAPX_4_1_04, "atomic", DUT_ANY, NEED_REGIONS, odd_request,
     "an Atomic Request whose Invalidate STag word is not zero", "an Atomic Response", ODD_STAG},
    {RULE_RDMAPX_5_1_1_05, NULL, DUT_ANY, NEED_REGIONS, refuse_atomic,
     "a FetchAdd at an address that is a multiple of four but not of eight", "a Terminate, or a close", UNALIGNED_ADD},
    {RULE_RDMAPX_5_1_2_10, NULL, DUT_ANY, NEED_REGIONS, refuse_atomic,
     "a CmpSwap at an address that is a multiple of four but not of eight", "a Terminate, or a close", UNALIGNED_SWAP},
    {RULE_RDMAPX_5_2_1_03, NULL, DUT_ANY, NEED_REGIONS, odd_request, "an Atomic Request with all reserved bits set",
     "an Atomic Response", ODD_RESERVED},
    {RULE_RDMAPX_5_2_1_13, NULL, DUT_ANY, NEED_REGIONS, odd_request, "a FetchAdd with Compare Data",
     "an Atomic Response", ODD_COMPARE},
    {RULE_RDMAPX_5_2_1_15, NULL, DUT_ANY, NEED_REGIONS, odd_request, "a FetchAdd with a Compare Mask",
     "an Atomic Response", ODD_COMPARE_MASK},
    {RULE_RDMAPX_5_2_1_21, NULL, DUT_ANY, NEED_REGIONS, refuse_atomic, "an Atomic Request with AOpCode 9",
     "a Terminate, or a close", BAD_AOPCODE},
    {RULE_RDMAPX_5_2_2_09, NULL, DUT_RESPONDER, NEED_REGIONS | NEED_ENHANCED, depth,
     "as many Atomic Requests at once as the IRD allows", "all are answered", 0},
    {RULE_RDMAPX_5_2_2_12, NULL, DUT_ANY, 0, response_unasked, "an unsolicited Atomic Response",
     "a Terminate, or a close", RESPONSE_UNASKED},
    {RULE_RDMAPX_6_3_08, NULL, DUT_ANY, NEED_ECHO, refuse_immediate, "Immediate Data of 12 octets",
     "a Terminate, or a close", LONG_IMMEDIATE},
    {RULE_RDMAPX_6_3_08, "short", DUT_ANY, NEED_ECHO, refuse_immediate, "Immediate Data of 4 octets",
     "a Terminate, or a close", SHORT_IMMEDIATE},
    {RULE_RDMAPX_8_1_03, "long", DUT_ANY, NEED_REGIONS, refuse_atomic, "an Atomic Request of 56 octets",
     "a Terminate, or a close", LONG_REQUEST},
    {RULE_RDMAPX_8_1_03, NULL, DUT_ANY, NEED_REGIONS, refuse_atomic, "an Atomic Request of 44 octets",
     "a Terminate, or a close", SHORT_REQUEST},
    {RULE_RDMAPX_8_1_05, NULL, DUT_ANY, NEED_REGIONS, headers, "an Atomic Request to an STag that does not exist",
     "a Terminate with D = 1 and R = 0", 0},
    {RULE_RDMAPX_8_2_03, NULL, DUT_ANY, NEED_ECHO, refuse_immediate, "Immediate Data on QN 1",
     "a Terminate, or a close", IMMEDIATE_QUEUE},
    {RULE_RDMAPX_8_2_04, NULL, DUT_ANY, NEED_ECHO, refuse_immediate, "Immediate Data with RV 2",
     "a Terminate, or a close", IMMEDIATE_VERSION},
    {RULE_RDMAPX_8_2_04, "atomic", DUT_ANY, NEED_REGIONS, refuse_atomic, "an Atomic Request with RV 2",
     "a Terminate, or a close", ATOMIC_VERSION},
    {RULE_RDMAPX_8_2_07, NULL, DUT_ANY, NEED_REGIONS, unaligned_code,
     "a FetchAdd at an address that is a multiple of four but not of eight", "Terminate 0/2/07", UNALIGNED_ADD},
};

const struct suite suite_rdmapx = {"rdmapx", tests, G_N_ELEMENTS(tests)};
