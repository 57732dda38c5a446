// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields that receivers ignore: a wrong one is a finding of its own, and leaves every other rule in force. */
#include "rdmap_complaint.h"

enum { STAG = 0x11223344, SINK = 0x55667788 };

static const struct rdmap_read_request read_request = {SINK, 0x2000, 64, STAG, 0x3000};

/* A Read Request with one of Rsvd, Rsv and the reserved word not zero. */
static void odd_read(struct complaint *t, uint8_t rsvd, uint8_t rsv, uint32_t word)
{
    struct ddp_segment segment = complaint_untagged(RDMAP_READ_REQUEST, 1, t->msn[I][1]++);
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    segment.rsvd = rsvd;
    segment.rdmap_rsv = rsv;
    segment.stag = word;
    rdmap_read_request_encode(&read_request, payload, sizeof payload);
    complaint_segment(t, I, segment, payload, sizeof payload);
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

static struct complaint *begin(unsigned i)
{
    struct complaint *t = complaint_new();

    complaint_send(t, I, 8);
    complaint_send(t, R, 8);
    odd_read(t, fields[i].rsvd, fields[i].rsv, fields[i].word);
    return t;
}

static void served(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIELDS; i++) {
        struct complaint *t = begin(i);

        complaint_response(t, R, SINK, 0x2000, 64, true);
        complaint_send(t, R, 8);
        complaint_close(t);
        complaint_expect(t, I, fields[i].sent, "sent");
        complaint_expect(t, R, "", "served");
        complaint_expect_passed(t, fields[i].ignored, "served");
        complaint_free(t);
    }
}

static void served_wrongly(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIELDS; i++) {
        struct complaint *t = begin(i);

        complaint_response(t, R, SINK, 0x2000, 63, true);
        complaint_close(t);
        complaint_expect(t, R, "RDMAP-4.4-08", "short");
        complaint_free(t);

        t = begin(i);
        complaint_response(t, R, SINK, 0x2008, 64, true);
        complaint_close(t);
        complaint_expect(t, R, "RDMAP-4.4-03", "elsewhere");
        complaint_free(t);

        t = begin(i);
        complaint_response(t, R, SINK, 0x2000, 64, true);
        complaint_response(t, R, SINK, 0x2000, 64, true);
        complaint_close(t);
        complaint_expect(t, R, "RDMAP-5.2-01", "twice");
        complaint_free(t);
    }
}

static void dropped(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FIELDS; i++) {
        struct complaint *t = begin(i);

        complaint_send(t, R, 8);
        complaint_end(t, R, false);
        complaint_end(t, I, false);
        complaint_finish(t);
        assert_int_equal(t->n_findings, 2);
        assert_string_equal(rule_catalogue[t->findings[1].rule].id, "RDMAP-5.2.1-14");
        assert_int_equal(t->findings[1].severity, SEVERITY_ERROR);
        complaint_free(t);

        t = begin(i); /* its answer may lie in the hole */
        complaint_hole(t, R, 200);
        complaint_send(t, R, 8);
        complaint_end(t, R, false);
        complaint_end(t, I, false);
        complaint_finish(t);
        complaint_expect(t, I, fields[i].sent, "hole");
        complaint_free(t);
    }
}

static void refused(void **state)
{
    static const uint8_t codes[][3] = {{0, 2, 0x05}, {0, 2, 0x06}, {0, 2, 0xFF}, {1, 2, 0x06}};

    (void)state;
    for (unsigned i = 0; i < FIELDS; i++) {
        for (unsigned code = 0; code < sizeof codes / sizeof codes[0]; code++) {
            struct complaint *t = begin(i);

            complaint_complain(t, R, codes[code][0], codes[code][1], codes[code][2]);
            complaint_close(t);
            complaint_expect(t, R, fields[i].ignored, "refused");
            complaint_free(t);
        }
    }
}

/* What cannot be said of the field alone: the STag may be wrong indeed. */
static void refused_for_another_reason(void **state)
{
    struct complaint *t = begin(1);

    (void)state;
    complaint_complain(t, R, 0, 1, 0);
    complaint_close(t);
    complaint_expect(t, R, "", "STag");
    complaint_free(t);
}

static void in_one_segment_of_many(void **state)
{
    struct complaint *t = complaint_new();
    struct ddp_segment segment = complaint_untagged(RDMAP_SEND, 0, 1);

    (void)state;
    segment.last = false;
    complaint_segment(t, I, segment, NULL, 100);
    segment.mo = 100;
    segment.rdmap_rsv = 1;
    segment.last = true;
    complaint_segment(t, I, segment, NULL, 100);
    complaint_close(t);
    complaint_expect(t, I, "RDMAP-4.1-26", "second");
    complaint_free(t);

    t = complaint_new();
    segment = complaint_tagged(RDMAP_WRITE, STAG, 0);
    segment.rdmap_rsv = 1;
    segment.last = false;
    complaint_segment(t, I, segment, NULL, 100);
    segment.rdmap_rsv = 0;
    segment.to = 100;
    segment.last = true;
    complaint_segment(t, I, segment, NULL, 100);
    complaint_close(t);
    complaint_expect(t, I, "RDMAP-4.1-26", "first");
    complaint_free(t);
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

    (void)state;
    for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct complaint *t = complaint_new();

        complaint_atomic(t, I, odd[i].request); /* computed with the field */
        complaint_atomic_response(t, R, 1, 7);
        complaint_atomic(t, I, plain);
        complaint_atomic_response(t, R, 2, 7);
        complaint_close(t);
        complaint_expect(t, R, odd[i].ignored, "computed");
        complaint_free(t);

        t = complaint_new(); /* without it */
        complaint_atomic(t, I, odd[i].request);
        complaint_atomic_response(t, R, 1, 7);
        complaint_atomic(t, I, plain);
        complaint_atomic_response(t, R, 2, 8);
        complaint_close(t);
        complaint_expect(t, R, "", "ignored");
        complaint_free(t);

        t = complaint_new(); /* a Responder that knows Atomics */
        complaint_atomic(t, I, plain);
        complaint_atomic_response(t, R, 2, 7);
        complaint_atomic(t, I, odd[i].request);
        complaint_complain(t, R, 0, 2, 6);
        complaint_close(t);
        complaint_expect(t, R, odd[i].ignored, "refused");
        complaint_free(t);

        t = complaint_new(); /* one that perhaps does not */
        complaint_atomic(t, I, odd[i].request);
        complaint_complain(t, R, 0, 2, 6);
        complaint_close(t);
        complaint_expect(t, R, "", "not supported");
        complaint_free(t);
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
