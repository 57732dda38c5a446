// SPDX-License-Identifier: GPL-2.0-or-later
/* Atomics: header, identifier, order, alignment, and the values that they leave. */
#include "rdmap_talk.h"

enum { STAG = 0xA000 };

static struct talk *talk_exclusive(void)
{
    struct rdmap_options options = {.profile = PROFILE_IETF, .exclusive = true};

    return talk_new_with(&options);
}

static void a_faultless_conversation(void **state)
{
    struct talk *t = talk_new();

    (void)state;
    talk_add(t, I, 1, 0, 5, 0);
    talk_original(t, R, 1, 10);
    talk_add(t, I, 2, 0, 1, 0x80000000); /* 10 + 5; the border of a field is not reached */
    talk_add(t, I, 3, 0, 0xFFFFFFF0, 0x80000000);
    talk_original(t, R, 2, 15);
    talk_original(t, R, 3, 16);
    talk_swap(t, I, 4, 0, 0x77, 0xF0, 0xF0, 0x0F); /* matches in the masked part only */
    talk_original(t, R, 4, 0);
    talk_swap(t, I, 5, 0, 1, UINT64_MAX, 1, UINT64_MAX); /* no match */
    talk_original(t, R, 5, 0x70);
    talk_read(t, I, 0x10, 0, 8);
    talk_add(t, I, 6, 0, 0, 0);
    talk_read(t, I, 0x11, 0, 8);
    talk_response(t, R, 0x10, 0, 8);
    talk_original(t, R, 6, 0x70);
    talk_response(t, R, 0x11, 0, 8);
    talk_close(t, I);
    talk_passed(t, RULE_RDMAPX_5_1_1_01);
    talk_passed(t, RULE_RDMAPX_5_1_1_02);
    talk_passed(t, RULE_RDMAPX_5_1_1_03);
    talk_passed(t, RULE_RDMAPX_5_1_1_04);
    talk_passed(t, RULE_RDMAPX_5_1_1_10);
    talk_passed(t, RULE_RDMAPX_5_1_2_01);
    talk_passed(t, RULE_RDMAPX_5_1_2_02);
    talk_passed(t, RULE_RDMAPX_5_1_2_03);
    talk_passed(t, RULE_RDMAPX_5_1_2_04);
    talk_passed(t, RULE_RDMAPX_5_1_2_06);
    talk_passed(t, RULE_RDMAPX_5_2_1_01);
    talk_passed(t, RULE_RDMAPX_5_2_1_02);
    talk_passed(t, RULE_RDMAPX_5_2_1_04);
    talk_passed(t, RULE_RDMAPX_5_2_1_12);
    talk_passed(t, RULE_RDMAPX_5_2_1_14);
    talk_passed(t, RULE_RDMAPX_5_2_1_25);
    talk_passed(t, RULE_RDMAPX_5_2_1_26);
    talk_passed(t, RULE_RDMAPX_5_2_2_02);
    talk_passed(t, RULE_RDMAPX_5_2_2_04);
    talk_passed(t, RULE_RDMAPX_5_2_2_13);
    talk_passed(t, RULE_RDMAPX_5_4_04);
    talk_passed(t, RULE_RDMAPX_7_08);
    talk_passed(t, RULE_RDMAPX_7_12);
    talk_expect_nothing(t);
}

static void expect_header(struct rdmap_atomic_request atomic, enum rule_id rule)
{
    struct talk *t = talk_new();
    uint32_t frame;

    atomic.identifier = 7;
    atomic.stag = STAG;
    frame = talk_atomic(t, I, atomic);
    if (rule != RULE_RDMAPX_5_2_1_04) /* to answer that would break RDMAPX-5.2.1-21 */
        talk_original(t, R, 7, 0);
    talk_close(t, I);
    talk_expect(t, rule, SEVERITY_ERROR, frame);
}

static void header_fields(void **state)
{
    (void)state;
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
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_add(t, I, 1, 0, 5, 0);
    frame = talk_original(t, R, 2, 10);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_2_2_02, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_add(t, I, 1, 0, 5, 0);
    talk_add(t, I, 2, 8, 5, 0);
    frame = talk_original(t, R, 2, 10);
    talk_original(t, R, 1, 10);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_2_2_13, SEVERITY_ERROR, frame);

    t = talk_new(); /* repeated identifiers tell nothing */
    talk_add(t, I, 1, 0, 5, 0);
    talk_add(t, I, 1, 8, 5, 0);
    talk_original(t, R, 1, 10);
    talk_original(t, R, 1, 10);
    talk_close(t, I);
    talk_expect_nothing(t);

    t = talk_new();
    talk_add(t, I, 1, 0, 5, 0);
    talk_read(t, I, 0x10, 0, 8);
    frame = talk_response(t, R, 0x10, 0, 8);
    talk_original(t, R, 1, 10);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_7_08, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_read(t, I, 0x10, 0, 8);
    talk_add(t, I, 1, 0, 5, 0);
    frame = talk_original(t, R, 1, 10);
    talk_response(t, R, 0x10, 0, 8);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_7_12, SEVERITY_ERROR, frame);
}

static void answers_without_requests(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_send(t, I);
    frame = talk_original(t, R, 1, 10);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_2_2_04, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_send(t, R);
    talk_add(t, I, 1, 0, 5, 0);
    frame = talk_original(t, I, 1, 10);
    talk_original(t, R, 1, 10);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_2_2_04, SEVERITY_ERROR, frame);

    t = talk_new();
    talk_send(t, I);
    frame = talk_original(t, R, 1, 10);
    talk_add(t, I, 1, 0, 5, 0);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAPX_5_4_04, SEVERITY_ERROR, frame);
}

static void requests_without_answers(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    frame = talk_add(t, I, 1, 0, 5, 0);
    talk_send(t, R);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAPX_5_2_1_26, SEVERITY_ERROR, frame);

    t = talk_new();
    frame = talk_add(t, I, 1, 0, 5, 0);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_2_1_26, SEVERITY_NOTE, frame);
}

static void alignment(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    frame = talk_add(t, I, 1, 0x1004, 5, 0); /* refused */
    talk_terminate(t, R);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAPX_5_1_1_04, SEVERITY_WARNING, frame);

    t = talk_new(); /* a buffer may begin anywhere */
    frame = talk_add(t, I, 1, 0x1004, 5, 0);
    talk_original(t, R, 1, 10);
    talk_add(t, I, 2, 0x100C, 5, 0);
    talk_original(t, R, 2, 10);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAPX_5_1_1_04, SEVERITY_NOTE, frame);

    t = talk_new(); /* but then other remainders are not aligned */
    talk_add(t, I, 1, 0x1000, 5, 0);
    talk_original(t, R, 1, 10);
    frame = talk_add(t, I, 2, 0x1004, 5, 0);
    talk_original(t, R, 2, 10);
    talk_close(t, R);
    talk_expect(t, RULE_RDMAPX_5_1_1_04, SEVERITY_WARNING, frame);
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

static uint32_t play(struct talk *t, const struct values *values)
{
    struct rdmap_atomic_request first = values->first, second = values->second;

    first.identifier = 1;
    second.identifier = 2;
    first.stag = second.stag = STAG;
    talk_atomic(t, I, first);
    if (values->pipelined)
        talk_atomic(t, I, second);
    talk_original(t, R, 1, values->original[0]);
    if (!values->pipelined)
        talk_atomic(t, I, second);
    return talk_original(t, R, 2, values->original[1]);
}

/* Others may write the memory: a note, unless nobody does. */
static void values_that_contradict(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(contradictions); i++) {
        struct talk *t = talk_new();
        uint32_t frame = play(t, &contradictions[i]);

        talk_close(t, I);
        talk_expect(t, contradictions[i].rule, SEVERITY_NOTE, frame);

        t = talk_exclusive();
        frame = play(t, &contradictions[i]);
        talk_close(t, I);
        talk_expect(t, contradictions[i].rule, SEVERITY_ERROR, frame);
    }
}

static void octets_in_reverse(void **state)
{
    struct values values = {
        ADD(1, 0), ADD(1, 0), {0x0200000000000000, 0x0300000000000000}, false, RULE_RDMAPX_5_1_1_10};
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    frame = play(t, &values);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_1_1_10, SEVERITY_ERROR, frame);
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

static void between(struct talk *t, enum between what)
{
    struct rdmap_atomic_request atomic = {.identifier = 9, .stag = STAG + 1, .compare_mask = UINT64_MAX};
    uint64_t octets = 0;

    switch (what) {
    case WRITE_THERE:
    case LATE_WRITE:
        talk_write(t, I, STAG, 0, &octets, 8);
        break;
    case WRITE_ELSEWHERE:
        talk_write(t, I, 0x77, 0, &octets, 8);
        break;
    case SEND:
        talk_send(t, I);
        break;
    case SEND_BACK:
        talk_send(t, R);
        break;
    case RESPONSE:
        talk_read(t, R, 0x20, 0, 8);
        talk_response(t, I, 0x20, 0, 8);
        break;
    case OTHER_STAG:
        talk_atomic(t, I, atomic);
        talk_original(t, R, 9, 0);
        break;
    case OVERLAP:
        atomic.stag = STAG;
        atomic.to = 4;
        talk_atomic(t, I, atomic);
        talk_original(t, R, 9, 0);
        break;
    case HOLE:
        talk_hole(t, I);
        break;
    case HOLE_BACK:
        talk_hole(t, R);
        break;
    }
}

static void whatever_may_explain_it(void **state)
{
    (void)state;
    for (enum between what = WRITE_THERE; what <= LATE_WRITE; what++) {
        struct talk *t = talk_exclusive();

        talk_send(t, R);
        talk_add(t, I, 1, 0, 3, 0);
        talk_original(t, R, 1, 10);
        if (what != LATE_WRITE)
            between(t, what);
        talk_add(t, I, 2, 0, 3, 0);
        if (what == LATE_WRITE)
            between(t, what);
        talk_original(t, R, 2, 99);
        for (unsigned i = 0; i < t->n_findings && i < TALK_FINDINGS_MAX; i++)
            if (t->findings[i].rule != RULE_RDMAPX_5_1_1_04 && t->findings[i].rule != RULE_RDMAPX_7_11)
                talk_show(t), fail();
        talk_free(t);
    }
}

static void once_per_address(void **state)
{
    struct talk *t = talk_new();
    uint32_t frame = 0;

    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        talk_add(t, I, i, 0, 1, 0);
        talk_original(t, R, i, 3 * i);
        frame = i == 1 ? t->frame : frame;
    }
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_5_1_1_01, SEVERITY_NOTE, frame);
}

static void a_write_before(void **state)
{
    static const uint8_t octets[16] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5};
    struct talk *t = talk_new();
    uint32_t frame;

    (void)state;
    talk_write(t, I, STAG, 0, octets, sizeof octets);
    talk_add(t, I, 1, 8, 1, 0);
    frame = talk_original(t, R, 1, 4);
    talk_close(t, I);
    talk_expect(t, RULE_RDMAPX_7_11, SEVERITY_NOTE, frame);

    t = talk_new(); /* in either octet order */
    talk_write(t, I, STAG, 0, octets, sizeof octets);
    talk_add(t, I, 1, 8, 1, 0);
    talk_original(t, R, 1, 0x0500000000000000);
    talk_write(t, I, STAG, 0, octets, sizeof octets);
    talk_add(t, I, 1, 8, 1, 0);
    talk_original(t, R, 1, 5);
    talk_close(t, I);
    talk_passed(t, RULE_RDMAPX_7_11);
    talk_expect_nothing(t);

    t = talk_new(); /* an Atomic under way may come behind the Write */
    talk_add(t, I, 1, 0, 1, 0);
    talk_write(t, I, STAG, 0, octets, sizeof octets);
    talk_add(t, I, 2, 0, 1, 0);
    talk_original(t, R, 1, 1);
    talk_original(t, R, 2, 2);
    talk_close(t, I);
    talk_expect_nothing(t);
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
