// SPDX-License-Identifier: GPL-2.0-or-later
/* Reasons not to compare octets that were read with those that were written; the rest is in rules/rdmap.cases. */
#include "tests/unit/support/rdmap_flow.h"

enum { STAG = 0x11223344, OTHER_STAG = 0x99887766, SINK = 0x55667788, OCTETS = 200 };

static uint8_t written[OCTETS], stale[OCTETS];

static struct rdmap_flow *begin(bool exclusive)
{
    struct rdmap_options options = {.profile = PROFILE_IETF, .exclusive = exclusive};
    struct rdmap_flow *t = flow_new_reacting_with(&options, 2, 16, 16);

    for (unsigned i = 0; i < OCTETS; i++) {
        written[i] = (uint8_t)(i + 1);
        stale[i] = 0xEE;
    }
    flow_send(t, I, 8);
    flow_send(t, R, 8);
    return t;
}

static void write_octets(struct rdmap_flow *t, uint32_t stag, uint64_t to, size_t n)
{
    flow_segment(t, I, tagged_segment(RDMAP_WRITE, stag, to), written, n);
}

static void ask(struct rdmap_flow *t, uint64_t from, uint32_t size)
{
    flow_read_request(t, I, (struct rdmap_read_request){SINK, 0x2000, size, STAG, from});
}

static void answer(struct rdmap_flow *t, const uint8_t *octets, size_t n)
{
    flow_segment(t, R, tagged_segment(RDMAP_READ_RESPONSE, SINK, 0x2000), octets, n);
}

static void finish(struct rdmap_flow *t, const char *ids, enum rule_severity severity, const char *what)
{
    flow_close(t, R);
    findings_expect(&t->seen, R, ids, what);
    if (t->seen.n > 0)
        assert_int_equal(t->seen.finding[0].severity, severity);
    else
        assert_string_equal(ids, "");
    flow_free(t);
}

UNIT_TEST(not_compared)
{
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
        struct rdmap_flow *t = begin(exclusive);

        write_octets(t, OTHER_STAG, 0x1000, 64);
        ask(t, 0x1000, 64);
        answer(t, stale, 64);
        finish(t, "", SEVERITY_NOTE, "other STag");

        t = begin(exclusive);
        write_octets(t, STAG, 0x1000, 64);
        ask(t, 0x1040, 64);
        answer(t, stale, 64);
        finish(t, "", SEVERITY_NOTE, "after it");

        t = begin(exclusive); /* it may be placed before the answer */
        write_octets(t, STAG, 0x1000, 64);
        ask(t, 0x1000, 64);
        write_octets(t, STAG, 0x1000, 64);
        answer(t, stale, 64);
        finish(t, "", SEVERITY_NOTE, "Write after the request");

        t = begin(exclusive);
        write_octets(t, STAG, 0x1000, 64);
        flow_hole(t, I, 100);
        flow_send(t, I, 8);
        ask(t, 0x1000, 64);
        answer(t, stale, 64);
        finish(t, "", SEVERITY_NOTE, "hole");

        t = begin(exclusive); /* contains an Atomic */
        write_octets(t, STAG, 0x1000, 64);
        flow_atomic(t, I,
                    (struct rdmap_atomic_request){
                        .identifier = 1, .stag = STAG, .to = 0x1008, .data = 1, .compare_mask = UINT64_MAX});
        flow_original(t, R, 1, 0x090A0B0C0D0E0F10);
        ask(t, 0x1000, 64);
        answer(t, stale, 64);
        finish(t, exclusive ? "RDMAP-5.5-13" : "", SEVERITY_ERROR, "Atomic, and octets beside it");

        t = begin(exclusive); /* its owner placed a Read there */
        write_octets(t, STAG, 0x1000, 64);
        flow_read_request(t, R, (struct rdmap_read_request){STAG, 0x1000, 64, OTHER_STAG, 0});
        flow_response(t, I, STAG, 0x1000, 64, true);
        ask(t, 0x1000, 64);
        answer(t, stale, 64);
        finish(t, "", SEVERITY_NOTE, "sink");

        t = begin(exclusive); /* the STag may now name other memory */
        write_octets(t, STAG, 0x1000, 64);
        flow_segment(
            t, I,
            (struct ddp_segment){
                .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND_INVALIDATE, .stag = STAG, .msn = t->msn[I][0]++},
            NULL, 8);
        flow_send(t, R, 8);
        ask(t, 0x1000, 64);
        answer(t, stale, 64);
        finish(t, "", SEVERITY_NOTE, "invalidated");
    }
}

/* More Writes than are kept: the oldest are forgotten, without false findings. */
UNIT_TEST(many)
{
    for (unsigned exclusive = 0; exclusive < 2; exclusive++) {
        struct rdmap_flow *t = begin(exclusive);

        for (unsigned i = 0; i < 5000; i++)
            write_octets(t, STAG, 0x1000 + (uint64_t)i * OCTETS, OCTETS);
        ask(t, 0x1000, 64);
        answer(t, stale, 64);
        ask(t, 0x1000 + (uint64_t)4999 * OCTETS, OCTETS);
        answer(t, written, OCTETS);
        findings_expect_passed(&t->seen, "RDMAP-5.5-13", "last");
        finish(t, "", SEVERITY_NOTE, "many");
    }
}
