// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields that receivers ignore: a wrong one is a finding of its own, and leaves every other rule in force. */
#include "tests/unit/support/rdmap_flow.h"

enum { STAG = 0x11223344, SINK = 0x55667788 };

static const struct rdmap_read_request read_request = {SINK, 0x2000, 64, STAG, 0x3000};

/* A Read Request with one of Rsvd, Rsv and the reserved word not zero. */
static void odd_read(struct rdmap_flow *t, uint8_t rsvd, uint8_t rsv, uint32_t word)
{
    struct ddp_segment segment = untagged_segment(RDMAP_READ_REQUEST, 1, t->msn[I][1]++);
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    segment.rsvd = rsvd;
    segment.rdmap_rsv = rsv;
    segment.stag = word;
    rdmap_read_request_encode(&read_request, payload, sizeof payload);
    flow_segment(t, I, segment, payload, sizeof payload);
}

static const struct {
    uint8_t rsvd, rsv;
    uint32_t word;
    const char *sent, *ignored; /* the rules of both ends */
} fields[] = {
    {1, 0, 0, "DDP-4.1-10", "DDP-4.1-11"},
    {0, 3, 0, "RDMAP-4.1-26", "RDMAP-4.1-27"},
    {0, 0, 1, "RDMAP-4.1-29", "RDMAP-4.1-30"},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static struct rdmap_flow *begin(unsigned i)
{
    struct rdmap_flow *t = flow_new_reacting();

    flow_send(t, I, 8);
    flow_send(t, R, 8);
    odd_read(t, fields[i].rsvd, fields[i].rsv, fields[i].word);
    return t;
}

static void served(void **state)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        struct rdmap_flow *t = begin(i);

        flow_response(t, R, SINK, 0x2000, 64, true);
        flow_send(t, R, 8);
        flow_close(t, R);
        findings_expect(&t->seen, I, fields[i].sent, "sent");
        findings_expect(&t->seen, R, "", "served");
        findings_expect_passed(&t->seen, fields[i].ignored, "served");
        flow_free(t);
    }
}

static void served_wrongly(void **state)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        struct rdmap_flow *t = begin(i);

        flow_response(t, R, SINK, 0x2000, 63, true);
        flow_close(t, R);
        flow_expect(t, R, "RDMAP-4.4-08", "short");

        t = begin(i);
        flow_response(t, R, SINK, 0x2008, 64, true);
        flow_close(t, R);
        flow_expect(t, R, "RDMAP-4.4-03", "elsewhere");

        t = begin(i);
        flow_response(t, R, SINK, 0x2000, 64, true);
        flow_response(t, R, SINK, 0x2000, 64, true);
        flow_close(t, R);
        flow_expect(t, R, "RDMAP-5.2-01", "twice");
    }
}

static void dropped(void **state)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        struct rdmap_flow *t = begin(i);

        flow_send(t, R, 8);
        flow_end(t, R, false);
        flow_end(t, I, false);
        flow_finish(t);
        assert_int_equal(t->seen.n, 2);
        assert_string_equal(rule_catalogue[t->seen.finding[1].rule].id, "RDMAP-5.2.1-14");
        assert_int_equal(t->seen.finding[1].severity, SEVERITY_ERROR);
        flow_free(t);

        t = begin(i); /* its answer may be in the hole */
        flow_hole(t, R, 200);
        flow_send(t, R, 8);
        flow_end(t, R, false);
        flow_end(t, I, false);
        flow_finish(t);
        flow_expect(t, I, fields[i].sent, "hole");
    }
}

static void refused(void **state)
{
    static const uint8_t codes[][3] = {{0, 2, 0x05}, {0, 2, 0x06}, {0, 2, 0xFF}, {1, 2, 0x06}};

    for (unsigned i = 0; i < FIELDS; i++) {
        for (unsigned code = 0; code < sizeof codes / sizeof codes[0]; code++) {
            struct rdmap_flow *t = begin(i);

            flow_complain(t, R, codes[code][0], codes[code][1], codes[code][2]);
            flow_close(t, R);
            flow_expect(t, R, fields[i].ignored, "refused");
        }
    }
}

/* What cannot be said of the field alone: the STag may be wrong indeed. */
static void refused_for_another_reason(void **state)
{
    struct rdmap_flow *t = begin(1);

    flow_complain(t, R, 0, 1, 0);
    flow_close(t, R);
    flow_expect(t, R, "", "STag");
}

static void in_one_segment_of_many(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, 1);

    segment.last = false;
    flow_segment(t, I, segment, NULL, 100);
    segment.mo = 100;
    segment.rdmap_rsv = 1;
    segment.last = true;
    flow_segment(t, I, segment, NULL, 100);
    flow_close(t, R);
    flow_expect(t, I, "RDMAP-4.1-26", "second");

    t = flow_new_reacting();
    segment = tagged_segment(RDMAP_WRITE, STAG, 0);
    segment.rdmap_rsv = 1;
    segment.last = false;
    flow_segment(t, I, segment, NULL, 100);
    segment.rdmap_rsv = 0;
    segment.to = 100;
    segment.last = true;
    flow_segment(t, I, segment, NULL, 100);
    flow_close(t, R);
    flow_expect(t, I, "RDMAP-4.1-26", "first");
}

static void atomics(void **state)
{
    static const struct {
        struct rdmap_atomic_request request;
        const char *ignored;
    } odd[] = {
        {{.identifier = 1, .stag = STAG, .data = 1, .compare_mask = UINT64_MAX, .reserved = 1}, "RDMAPX-5.2.1-03"},
        {{.identifier = 1, .stag = STAG, .data = 1, .compare_mask = UINT64_MAX, .compare_data = 3}, "RDMAPX-5.2.1-13"},
        {{.identifier = 1, .stag = STAG, .data = 1, .compare_mask = 0xFF}, "RDMAPX-5.2.1-15"},
    };
    static const struct rdmap_atomic_request plain = {
        .identifier = 2, .stag = STAG, .data = 1, .compare_mask = UINT64_MAX};

    for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct rdmap_flow *t = flow_new_reacting();

        flow_atomic(t, I, odd[i].request); /* computed with the field */
        flow_original(t, R, 1, 7);
        flow_atomic(t, I, plain);
        flow_original(t, R, 2, 7);
        flow_close(t, R);
        flow_expect(t, R, odd[i].ignored, "computed");

        t = flow_new_reacting(); /* without it */
        flow_atomic(t, I, odd[i].request);
        flow_original(t, R, 1, 7);
        flow_atomic(t, I, plain);
        flow_original(t, R, 2, 8);
        flow_close(t, R);
        flow_expect(t, R, "", "ignored");

        t = flow_new_reacting(); /* a Responder that knows Atomics */
        flow_atomic(t, I, plain);
        flow_original(t, R, 2, 7);
        flow_atomic(t, I, odd[i].request);
        flow_complain(t, R, 0, 2, 6);
        flow_close(t, R);
        flow_expect(t, R, odd[i].ignored, "refused");

        t = flow_new_reacting(); /* one that perhaps does not */
        flow_atomic(t, I, odd[i].request);
        flow_complain(t, R, 0, 2, 6);
        flow_close(t, R);
        flow_expect(t, R, "", "not supported");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(served),
        cmocka_unit_test(served_wrongly),
        cmocka_unit_test(dropped),
        cmocka_unit_test(refused),
        cmocka_unit_test(refused_for_another_reason),
        cmocka_unit_test(in_one_segment_of_many),
        cmocka_unit_test(atomics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
