// SPDX-License-Identifier: GPL-2.0-or-later
/* Atomics: header, identifier, order, alignment, and the values that they leave. */
#include "tests/unit/support/rdmap_flow.h"

enum { STAG = 0xA000 };

static struct rdmap_flow *talk_exclusive(void)
{
    struct rdmap_options options = {.profile = PROFILE_IETF, .exclusive = true};

    return flow_new_with(&options);
}

static void a_faultless_conversation(void **state)
{
    struct rdmap_flow *t = flow_new();

    flow_add(t, I, 1, 0, 5, 0);
    flow_original(t, R, 1, 10);
    flow_add(t, I, 2, 0, 1, 0x80000000); /* 10 + 5; the border of a field is not reached */
    flow_add(t, I, 3, 0, 0xFFFFFFF0, 0x80000000);
    flow_original(t, R, 2, 15);
    flow_original(t, R, 3, 16);
    flow_swap(t, I, 4, 0, 0x77, 0xF0, 0xF0, 0x0F); /* matches in the masked part only */
    flow_original(t, R, 4, 0);
    flow_swap(t, I, 5, 0, 1, UINT64_MAX, 1, UINT64_MAX); /* no match */
    flow_original(t, R, 5, 0x70);
    flow_read(t, I, 0x10, 0, 8);
    flow_add(t, I, 6, 0, 0, 0);
    flow_read(t, I, 0x11, 0, 8);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_original(t, R, 6, 0x70);
    flow_response(t, R, 0x11, 0, 8, true);
    flow_close(t, I);
    findings_passed(&t->seen, RULE_RDMAPX_5_1_1_01, RULE_RDMAPX_5_1_1_02, RULE_RDMAPX_5_1_1_03, RULE_RDMAPX_5_1_1_04,
                    RULE_RDMAPX_5_1_1_10, RULE_RDMAPX_5_1_2_01, RULE_RDMAPX_5_1_2_02, RULE_RDMAPX_5_1_2_03,
                    RULE_RDMAPX_5_1_2_04, RULE_RDMAPX_5_1_2_06, RULE_RDMAPX_5_2_1_01, RULE_RDMAPX_5_2_1_02,
                    RULE_RDMAPX_5_2_1_04, RULE_RDMAPX_5_2_1_12, RULE_RDMAPX_5_2_1_14, RULE_RDMAPX_5_2_1_25,
                    RULE_RDMAPX_5_2_1_26, RULE_RDMAPX_5_2_2_02, RULE_RDMAPX_5_2_2_04, RULE_RDMAPX_5_2_2_13,
                    RULE_RDMAPX_5_4_04, RULE_RDMAPX_7_08, RULE_RDMAPX_7_12);
    flow_expect_nothing(t);
}

static void expect_header(struct rdmap_atomic_request atomic, enum rule_id rule)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    atomic.identifier = 7;
    atomic.stag = STAG;
    frame = flow_atomic(t, I, atomic);
    if (rule != RULE_RDMAPX_5_2_1_04) /* to answer that would break RDMAPX-5.2.1-21 */
        flow_original(t, R, 7, 0);
    flow_close(t, I);
    flow_expect_one(t, rule, SEVERITY_ERROR, frame);
}

static void header_fields(void **state)
{
    expect_header((struct rdmap_atomic_request){.reserved = 0x2000000, .compare_mask = 1}, RULE_RDMAPX_5_2_1_01);
    expect_header((struct rdmap_atomic_request){.reserved = 0x200000, .compare_mask = 1}, RULE_RDMAPX_5_2_1_01);
    expect_header((struct rdmap_atomic_request){.reserved = 1, .opcode = 2}, RULE_RDMAPX_5_2_1_02);
    expect_header((struct rdmap_atomic_request){.opcode = 1}, RULE_RDMAPX_5_2_1_04);
    expect_header((struct rdmap_atomic_request){.opcode = 15}, RULE_RDMAPX_5_2_1_04);
    expect_header((struct rdmap_atomic_request){.compare_data = 1, .compare_mask = UINT64_MAX}, RULE_RDMAPX_5_2_1_12);
    expect_header((struct rdmap_atomic_request){.compare_mask = 0}, RULE_RDMAPX_5_2_1_14);
}

static void identifiers_and_order(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_add(t, I, 1, 0, 5, 0);
    frame = flow_original(t, R, 2, 10);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_5_2_2_02, SEVERITY_ERROR, frame);

    t = flow_new();
    flow_add(t, I, 1, 0, 5, 0);
    flow_add(t, I, 2, 8, 5, 0);
    frame = flow_original(t, R, 2, 10);
    flow_original(t, R, 1, 10);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_5_2_2_13, SEVERITY_ERROR, frame);

    t = flow_new(); /* repeated identifiers prove nothing */
    flow_add(t, I, 1, 0, 5, 0);
    flow_add(t, I, 1, 8, 5, 0);
    flow_original(t, R, 1, 10);
    flow_original(t, R, 1, 10);
    flow_close(t, I);
    flow_expect_nothing(t);

    t = flow_new();
    flow_add(t, I, 1, 0, 5, 0);
    flow_read(t, I, 0x10, 0, 8);
    frame = flow_response(t, R, 0x10, 0, 8, true);
    flow_original(t, R, 1, 10);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_7_08, SEVERITY_ERROR, frame);

    t = flow_new();
    flow_read(t, I, 0x10, 0, 8);
    flow_add(t, I, 1, 0, 5, 0);
    frame = flow_original(t, R, 1, 10);
    flow_response(t, R, 0x10, 0, 8, true);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_7_12, SEVERITY_ERROR, frame);
}

static void answers_without_requests(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_send(t, I, 4);
    frame = flow_original(t, R, 1, 10);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_5_2_2_04, SEVERITY_ERROR, frame);

    t = flow_new();
    flow_send(t, R, 4);
    flow_add(t, I, 1, 0, 5, 0);
    frame = flow_original(t, I, 1, 10);
    flow_original(t, R, 1, 10);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_5_2_2_04, SEVERITY_ERROR, frame);

    t = flow_new();
    flow_send(t, I, 4);
    frame = flow_original(t, R, 1, 10);
    flow_add(t, I, 1, 0, 5, 0);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAPX_5_4_04, SEVERITY_ERROR, frame);
}

static void requests_without_answers(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    frame = flow_add(t, I, 1, 0, 5, 0);
    flow_send(t, R, 4);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAPX_5_2_1_26, SEVERITY_ERROR, frame);

    t = flow_new();
    frame = flow_add(t, I, 1, 0, 5, 0);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_5_2_1_26, SEVERITY_NOTE, frame);
}

static void alignment(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    frame = flow_add(t, I, 1, 0x1004, 5, 0); /* refused */
    flow_terminate(t, R);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAPX_5_1_1_04, SEVERITY_WARNING, frame);

    t = flow_new(); /* a buffer may begin anywhere */
    frame = flow_add(t, I, 1, 0x1004, 5, 0);
    flow_original(t, R, 1, 10);
    flow_add(t, I, 2, 0x100C, 5, 0);
    flow_original(t, R, 2, 10);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAPX_5_1_1_04, SEVERITY_NOTE, frame);

    t = flow_new(); /* but then other remainders are not aligned */
    flow_add(t, I, 1, 0x1000, 5, 0);
    flow_original(t, R, 1, 10);
    frame = flow_add(t, I, 2, 0x1004, 5, 0);
    flow_original(t, R, 2, 10);
    flow_close(t, R);
    flow_expect_one(t, RULE_RDMAPX_5_1_1_04, SEVERITY_WARNING, frame);
}

/* Two operations whose originals contradict each other. */
struct values {
    struct rdmap_atomic_request first, second;
    uint64_t original[2];
    bool pipelined;
    enum rule_id rule;
};

#define ADD(add, fields)                                                                                               \
    {                                                                                                                  \
        .data = (add), .mask = (fields), .compare_mask = UINT64_MAX                                                    \
    }
#define SWAP(swap, bits, with, of)                                                                                     \
    {                                                                                                                  \
        .opcode = RDMAP_ATOMIC_CMP_SWAP, .data = (swap), .mask = (bits), .compare_data = (with), .compare_mask = (of)  \
    }

static const struct values contradictions[] = {
    {ADD(3, 0), ADD(1, 0), {10, 11}, false, RULE_RDMAPX_5_1_1_01}, /* the value after the addition */
    {ADD(3, 0), ADD(1, 0), {10, 20}, false, RULE_RDMAPX_5_1_1_01}, /* any other */
    {ADD(1, 0x80000000), ADD(0, 0), {0xFFFFFFFF, 0x100000000}, false, RULE_RDMAPX_5_1_1_02},
    {ADD(3, 0), ADD(0, 0), {10, 10}, false, RULE_RDMAPX_5_1_1_03}, /* mask 0 adds nothing */
    {ADD(3, 0), ADD(0, 0), {10, 9}, false, RULE_RDMAPX_5_1_1_03},  /* mask 0: bits by themselves */
    {SWAP(5, UINT64_MAX, 0x12, 0x0F), ADD(0, 0), {0x32, 0x32}, false, RULE_RDMAPX_5_1_2_01},
    {SWAP(0xFFFF, 0xFF, 0, 0), ADD(0, 0), {0x1111, 0xFFFF}, false, RULE_RDMAPX_5_1_2_02},
    {SWAP(5, UINT64_MAX, 4, UINT64_MAX), ADD(0, 0), {3, 5}, false, RULE_RDMAPX_5_1_2_03},
    {SWAP(5, UINT64_MAX, 3, UINT64_MAX), SWAP(9, UINT64_MAX, 5, UINT64_MAX), {3, 9}, false, RULE_RDMAPX_5_1_2_04},
    {SWAP(5, UINT64_MAX, 3, UINT64_MAX), SWAP(9, UINT64_MAX, 5, UINT64_MAX), {3, 1}, false, RULE_RDMAPX_5_1_2_04},
    {SWAP(5, UINT64_MAX, 3, UINT64_MAX), ADD(0, 0), {3, 3}, false, RULE_RDMAPX_5_1_2_06}, /* nothing stored */
    {ADD(1, 0), ADD(1, 0), {1, 0}, true, RULE_RDMAPX_5_2_1_25},
};

static uint32_t play(struct rdmap_flow *t, const struct values *values)
{
    struct rdmap_atomic_request first = values->first, second = values->second;

    first.identifier = 1;
    second.identifier = 2;
    first.stag = second.stag = STAG;
    flow_atomic(t, I, first);
    if (values->pipelined)
        flow_atomic(t, I, second);
    flow_original(t, R, 1, values->original[0]);
    if (!values->pipelined)
        flow_atomic(t, I, second);
    return flow_original(t, R, 2, values->original[1]);
}

/* Others may write the memory: a note, unless nobody does. */
static void values_that_contradict(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(contradictions); i++) {
        struct rdmap_flow *t = flow_new();
        uint32_t frame = play(t, &contradictions[i]);

        flow_close(t, I);
        flow_expect_one(t, contradictions[i].rule, SEVERITY_NOTE, frame);

        t = talk_exclusive();
        frame = play(t, &contradictions[i]);
        flow_close(t, I);
        flow_expect_one(t, contradictions[i].rule, SEVERITY_ERROR, frame);
    }
}

static void octets_in_reverse(void **state)
{
    struct values values = {
        ADD(1, 0), ADD(1, 0), {0x0200000000000000, 0x0300000000000000}, false, RULE_RDMAPX_5_1_1_10};
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    frame = play(t, &values);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_5_1_1_10, SEVERITY_ERROR, frame);
}

enum between {
    WRITE_THERE,
    WRITE_ELSEWHERE,
    SEND,
    SEND_BACK,
    RESPONSE,
    OTHER_STAG,
    OVERLAP,
    HOLE,
    HOLE_BACK,
    LATE_WRITE
};

static void between(struct rdmap_flow *t, enum between what)
{
    struct rdmap_atomic_request atomic = {.identifier = 9, .stag = STAG + 1, .compare_mask = UINT64_MAX};
    uint64_t octets = 0;

    switch (what) {
    case WRITE_THERE:
    case LATE_WRITE:
        flow_write(t, I, STAG, 0, &octets, 8);
        break;
    case WRITE_ELSEWHERE:
        flow_write(t, I, 0x77, 0, &octets, 8);
        break;
    case SEND:
        flow_send(t, I, 4);
        break;
    case SEND_BACK:
        flow_send(t, R, 4);
        break;
    case RESPONSE:
        flow_read(t, R, 0x20, 0, 8);
        flow_response(t, I, 0x20, 0, 8, true);
        break;
    case OTHER_STAG:
        flow_atomic(t, I, atomic);
        flow_original(t, R, 9, 0);
        break;
    case OVERLAP:
        atomic.stag = STAG;
        atomic.to = 4;
        flow_atomic(t, I, atomic);
        flow_original(t, R, 9, 0);
        break;
    case HOLE:
        flow_hole(t, I, 1000);
        break;
    case HOLE_BACK:
        flow_hole(t, R, 1000);
        break;
    }
}

static void whatever_may_explain_it(void **state)
{
    for (enum between what = WRITE_THERE; what <= LATE_WRITE; what++) {
        struct rdmap_flow *t = talk_exclusive();

        flow_send(t, R, 4);
        flow_add(t, I, 1, 0, 3, 0);
        flow_original(t, R, 1, 10);
        if (what != LATE_WRITE)
            between(t, what);
        flow_add(t, I, 2, 0, 3, 0);
        if (what == LATE_WRITE)
            between(t, what);
        flow_original(t, R, 2, 99);
        for (unsigned i = 0; i < t->seen.n && i < FINDINGS_MAX; i++)
            if (t->seen.finding[i].rule != RULE_RDMAPX_5_1_1_04 && t->seen.finding[i].rule != RULE_RDMAPX_7_11)
                findings_show(&t->seen, __func__), fail();
        flow_free(t);
    }
}

static void once_per_address(void **state)
{
    struct rdmap_flow *t = flow_new();
    uint32_t frame = 0;

    for (uint32_t i = 0; i < 10; i++) {
        flow_add(t, I, i, 0, 1, 0);
        flow_original(t, R, i, 3 * i);
        frame = i == 1 ? t->frame : frame;
    }
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_5_1_1_01, SEVERITY_NOTE, frame);
}

static void a_write_before(void **state)
{
    static const uint8_t octets[16] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5};
    struct rdmap_flow *t = flow_new();
    uint32_t frame;

    flow_write(t, I, STAG, 0, octets, sizeof octets);
    flow_add(t, I, 1, 8, 1, 0);
    frame = flow_original(t, R, 1, 4);
    flow_close(t, I);
    flow_expect_one(t, RULE_RDMAPX_7_11, SEVERITY_NOTE, frame);

    t = flow_new(); /* in either octet order */
    flow_write(t, I, STAG, 0, octets, sizeof octets);
    flow_add(t, I, 1, 8, 1, 0);
    flow_original(t, R, 1, 0x0500000000000000);
    flow_write(t, I, STAG, 0, octets, sizeof octets);
    flow_add(t, I, 1, 8, 1, 0);
    flow_original(t, R, 1, 5);
    flow_close(t, I);
    findings_passed(&t->seen, RULE_RDMAPX_7_11);
    flow_expect_nothing(t);

    t = flow_new(); /* an Atomic under way may come after the Write */
    flow_add(t, I, 1, 0, 1, 0);
    flow_write(t, I, STAG, 0, octets, sizeof octets);
    flow_add(t, I, 2, 0, 1, 0);
    flow_original(t, R, 1, 1);
    flow_original(t, R, 2, 2);
    flow_close(t, I);
    flow_expect_nothing(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faultless_conversation), cmocka_unit_test(header_fields),
        cmocka_unit_test(identifiers_and_order),    cmocka_unit_test(answers_without_requests),
        cmocka_unit_test(requests_without_answers), cmocka_unit_test(alignment),
        cmocka_unit_test(values_that_contradict),   cmocka_unit_test(octets_in_reverse),
        cmocka_unit_test(whatever_may_explain_it),  cmocka_unit_test(once_per_address),
        cmocka_unit_test(a_write_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
