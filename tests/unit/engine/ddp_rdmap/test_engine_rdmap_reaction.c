// SPDX-License-Identifier: GPL-2.0-or-later
/* Reactions to faults: reported rightly, wrongly, ignored, closed upon, and cut short by the capture. */
#include "tests/unit/support/rdmap_flow.h"

enum { STAG = 0x11223344 };

static const struct rdmap_read_request read_request = {0x55667788, 0x2000, 64, STAG, 0x3000};

/* ---- faults that the Initiator sends ---- */

static void untagged(struct rdmap_flow *t, uint8_t opcode, uint32_t qn, uint32_t msn, uint32_t mo, size_t n)
{
    struct ddp_segment segment = untagged_segment(opcode, qn, msn);

    segment.mo = mo;
    flow_segment(t, I, segment, NULL, n);
}

static void dv_tagged(struct rdmap_flow *t)
{
    struct ddp_segment segment = tagged_segment(RDMAP_WRITE, STAG, 0);

    segment.dv = 2;
    flow_segment(t, I, segment, NULL, 8);
}

static void dv_untagged(struct rdmap_flow *t)
{
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, 1);

    segment.dv = 0;
    flow_segment(t, I, segment, NULL, 8);
}

static void bad_qn(struct rdmap_flow *t)
{
    untagged(t, RDMAP_SEND, 7, 1, 0, 4);
}

static void send_on_qn_3(struct rdmap_flow *t)
{
    untagged(t, RDMAP_SEND, 3, 1, 0, 4);
}

static void repeated_msn(struct rdmap_flow *t)
{
    flow_send(t, I, 8);
    untagged(t, RDMAP_SEND, 0, 1, 0, 8);
}

static void far_msn(struct rdmap_flow *t)
{
    untagged(t, RDMAP_SEND, 0, 0x200000, 0, 8);
}

static void far_mo(struct rdmap_flow *t)
{
    untagged(t, RDMAP_SEND, 0, 1, 0x7FFFFFFF, 4);
}

static void to_wrap(struct rdmap_flow *t)
{
    flow_write(t, I, STAG, UINT64_MAX - 3, NULL, 8);
}

static void opcode_tagged(struct rdmap_flow *t)
{
    flow_segment(t, I, tagged_segment(13, STAG, 0), NULL, 8);
}

static void opcode_untagged(struct rdmap_flow *t)
{
    untagged(t, 12, 0, 1, 0, 8);
}

static void send_on_qn_1(struct rdmap_flow *t)
{
    untagged(t, RDMAP_SEND, 1, 1, 0, 28);
}

static void atomic_on_qn_0(struct rdmap_flow *t)
{
    untagged(t, RDMAP_ATOMIC_REQUEST, 0, 1, 0, RDMAP_ATOMIC_REQUEST_LEN);
}

static void rv_write(struct rdmap_flow *t)
{
    struct ddp_segment segment = tagged_segment(RDMAP_WRITE, STAG, 0);

    segment.rv = 2;
    flow_segment(t, I, segment, NULL, 8);
}

static void rv_send(struct rdmap_flow *t)
{
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, t->msn[I][0]++);

    segment.rv = 3;
    flow_segment(t, I, segment, NULL, 8);
}

static void rv_read(struct rdmap_flow *t)
{
    struct ddp_segment segment = untagged_segment(RDMAP_READ_REQUEST, 1, t->msn[I][1]++);
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    segment.rv = 3;
    rdmap_read_request_encode(&read_request, payload, sizeof payload);
    flow_segment(t, I, segment, payload, sizeof payload);
}

static void rv_immediate(struct rdmap_flow *t)
{
    struct ddp_segment segment = untagged_segment(RDMAP_IMMEDIATE, 0, t->msn[I][0]++);

    segment.rv = 3;
    flow_segment(t, I, segment, NULL, 8);
}

static void short_read(struct rdmap_flow *t)
{
    untagged(t, RDMAP_READ_REQUEST, 1, t->msn[I][1]++, 0, 20);
}

static void read_wrap(struct rdmap_flow *t)
{
    struct rdmap_read_request read = read_request;

    read.source_to = UINT64_MAX - 3;
    flow_read_request(t, I, read);
}

static void read_response(struct rdmap_flow *t)
{
    flow_send(t, R, 8); /* so that all it sent is known */
    flow_response(t, I, STAG, 0, 8, true);
}

static void immediate_length(struct rdmap_flow *t)
{
    untagged(t, RDMAP_IMMEDIATE, 0, t->msn[I][0]++, 0, 4);
}

static void atomic_length(struct rdmap_flow *t)
{
    untagged(t, RDMAP_ATOMIC_REQUEST, 1, t->msn[I][1]++, 0, 40);
}

static void atomic_opcode(struct rdmap_flow *t)
{
    flow_atomic(t, I, (struct rdmap_atomic_request){.opcode = 1, .stag = STAG});
}

static void atomic_response(struct rdmap_flow *t)
{
    flow_send(t, R, 8);
    flow_original(t, I, 1, 2);
}

static void invalidate(struct rdmap_flow *t)
{
    struct ddp_segment segment = untagged_segment(RDMAP_SEND_INVALIDATE, 0, t->msn[I][0]++);

    segment.stag = STAG;
    flow_segment(t, I, segment, NULL, 8);
}

static void invalidated_write(struct rdmap_flow *t)
{
    invalidate(t);
    flow_write(t, I, STAG, 0, NULL, 8);
}

static void invalidated_read(struct rdmap_flow *t)
{
    invalidate(t);
    flow_read_request(t, I, read_request);
}

static void no_header(struct rdmap_flow *t)
{
    flow_ulpdu(t, I, (const uint8_t[]){0x41, 0x43, 0, 0}, 4);
}

/* ---- */

struct code {
    uint8_t layer, etype, code;
};

static const struct fault_case {
    const char *name;
    void (*send)(struct rdmap_flow *t);
    struct code right, wrong; /* wrong: layer 0xFF where no code is */
    const char *ignored, *wrong_rule;
} faults[] = {
    {"DV, Tagged", dv_tagged, {1, 1, 4}, {1, 1, 0}, "DDP-7.2-07", "DDP-7.2-07"},
    {"DV, Untagged", dv_untagged, {1, 2, 6}, {1, 2, 1}, "DDP-7.2-13", "DDP-7.2-13"},
    {"QN 7", bad_qn, {1, 2, 1}, {1, 2, 2}, "DDP-7.1-01", "DDP-7.1-01"},
    {"QN 3", send_on_qn_3, {1, 2, 1}, {1, 2, 6}, "DDP-7.1-01", "DDP-7.1-01"},
    {"MSN repeated", repeated_msn, {1, 2, 3}, {1, 2, 5}, "DDP-7.1-09", "DDP-7.1-09"},
    {"MSN far", far_msn, {1, 2, 3}, {1, 2, 1}, "DDP-7.1-09", "DDP-7.1-09"},
    {"MO far", far_mo, {1, 2, 4}, {1, 2, 1}, "DDP-7.1-07", "DDP-7.1-07"},
    {"TO wrap", to_wrap, {1, 1, 3}, {1, 1, 4}, "DDP-7.1-15", "DDP-7.1-15"},
    {"TO wrap as bounds", to_wrap, {1, 1, 3}, {1, 1, 1}, "DDP-7.1-15", "DDP-7.1-15"}, /* a warning */
    {"TO wrap as RDMAP's", to_wrap, {1, 1, 0}, {0, 1, 4}, "DDP-7.1-15", "RDMAP-4.8-46"},
    {"opcode 13", opcode_tagged, {0, 2, 6}, {0, 2, 5}, "RDMAP-7.2-02", "RDMAP-4.8-15"},
    {"opcode 12", opcode_untagged, {0, 2, 6}, {0, 2, 7}, "RDMAP-7.2-02", "RDMAP-4.8-15"},
    {"Send on QN 1", send_on_qn_1, {1, 2, 1}, {0, 2, 8}, "RDMAP-7.2-07", "RDMAP-4.8-15"},
    {"Atomic on QN 0", atomic_on_qn_0, {0, 2, 6}, {0, 2, 5}, "RDMAPX-8.2-03", "RDMAP-4.8-15"},
    {"RV of a Write", rv_write, {0, 2, 5}, {0, 2, 7}, "RDMAP-7.2-03", "RDMAP-4.8-14"},
    {"RV of a Send", rv_send, {0, 2, 5}, {0, 2, 6}, "RDMAP-7.2-03", "RDMAP-4.8-14"},
    {"RV of a Read", rv_read, {0, 2, 5}, {0, 1, 0}, "RDMAP-7.2-08", "RDMAP-4.8-14"},
    {"RV of Immediate Data", rv_immediate, {0, 2, 5}, {0, 2, 7}, "RDMAPX-8.2-04", "RDMAP-4.8-14"},
    {"Read of 20 octets", short_read, {0, 2, 7}, {0xFF, 0, 0}, "RDMAP-5.2.1-06", ""},
    {"Read wrap", read_wrap, {0, 1, 4}, {0, 2, 7}, "RDMAP-4.8-11", "RDMAP-4.8-11"},
    {"Read wrap as bounds", read_wrap, {0, 1, 0}, {0, 1, 1}, "RDMAP-4.8-11", "RDMAP-4.8-11"}, /* a warning */
    {"Read Response", read_response, {0, 2, 6}, {0, 2, 5}, "RDMAP-5.2.2-06", "RDMAP-5.2.2-06"},
    {"Immediate Data", immediate_length, {0, 2, 7}, {1, 2, 6}, "RDMAPX-6.3-08", "RDMAPX-6.3-08"},
    {"Atomic of 40 octets", atomic_length, {0, 2, 7}, {0xFF, 0, 0}, "RDMAPX-8.1-03", ""},
    {"AOpCode", atomic_opcode, {0, 2, 6}, {1, 2, 6}, "RDMAPX-5.2.1-21", "RDMAPX-5.2.1-21"},
    {"Atomic Response", atomic_response, {1, 2, 2}, {1, 2, 6}, "RDMAPX-5.2.2-12", "RDMAPX-5.2.2-12"},
    {"invalidated Write", invalidated_write, {1, 1, 0}, {1, 1, 4}, "RDMAP-1.2-02", "RDMAP-1.2-02"},
    {"invalidated Read", invalidated_read, {0, 1, 0}, {0, 2, 6}, "RDMAP-1.2-02", "RDMAP-1.2-02"},
};

static void reported_rightly(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        struct rdmap_flow *t = flow_new_reacting();

        faults[i].send(t);
        flow_complain(t, R, faults[i].right.layer, faults[i].right.etype, faults[i].right.code);
        flow_close(t, R);
        findings_expect(&t->seen, R, "", faults[i].name);
        findings_expect_passed(&t->seen, faults[i].ignored, faults[i].name);
        findings_expect_passed(&t->seen, "RDMAP-6.2.1-01 RDMAP-7.1-05", faults[i].name);
        flow_free(t);
    }
}

static void reported_wrongly(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        struct rdmap_flow *t;

        if (faults[i].wrong.layer == 0xFF)
            continue;
        t = flow_new_reacting();
        faults[i].send(t);
        flow_complain(t, R, faults[i].wrong.layer, faults[i].wrong.etype, faults[i].wrong.code);
        flow_close(t, R);
        flow_expect(t, R, faults[i].wrong_rule, faults[i].name);
    }
}

static void ignored(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        struct rdmap_flow *t = flow_new_reacting();

        faults[i].send(t);
        flow_wait(t, 5);
        flow_send(t, R, 8);
        flow_close(t, R);
        flow_expect(t, R, faults[i].ignored, faults[i].name);
    }
}

static void silence(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        struct rdmap_flow *t = flow_new_reacting();

        faults[i].send(t);
        flow_wait(t, 10);
        flow_end(t, I, false);
        flow_end(t, R, false);
        flow_finish(t);
        flow_expect(t, R, faults[i].ignored, faults[i].name);
    }
}

static void closed_without_terminate(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        for (unsigned reset = 0; reset < 2; reset++) {
            struct rdmap_flow *t = flow_new_reacting();

            faults[i].send(t);
            flow_end(t, R, reset);
            flow_finish(t);
            flow_expect(t, R, "RDMAP-6.2.1-01", faults[i].name);
        }
    }
}

/* Whoever receives a Terminate may close at once, though it came on another queue; not after messages of its own. */
static void misplaced_terminate(void **state)
{
    for (unsigned messages = 0; messages < 2; messages++) {
        struct rdmap_flow *t = flow_new_reacting();

        flow_send(t, I, 8);
        untagged(t, RDMAP_TERMINATE, DDP_QN_SEND, 2, 0, 4);
        for (unsigned i = 0; i < messages; i++)
            flow_send(t, R, 8);
        flow_ack(t, R);
        flow_close(t, R);
        flow_expect(t, R, messages > 0 ? "RDMAP-6.2.1-01" : "", "a Terminate on QN 0");
    }
}

/* Messages in between excuse nothing; when each side has answered the other, the fault was passed over. */
static void closed_after_messages(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        struct rdmap_flow *t = flow_new_reacting();

        faults[i].send(t);
        flow_send(t, R, 8);
        flow_close(t, R);
        flow_expect(t, R, "RDMAP-6.2.1-01", faults[i].name);

        t = flow_new_reacting();
        faults[i].send(t);
        flow_send(t, R, 8);
        flow_write(t, I, 0x99, 0, NULL, 8);
        flow_send(t, R, 8);
        flow_end(t, I, false);
        flow_end(t, R, false);
        flow_finish(t);
        flow_expect(t, R, faults[i].ignored, faults[i].name);

        t = flow_new_reacting(); /* what was sent before the other side's answer came proves less */
        faults[i].send(t);
        flow_send(t, R, 8);
        flow_write(t, I, 0x99, 0, NULL, 8);
        flow_segment_acked(t, R, untagged_segment(RDMAP_SEND, 0, t->msn[R][0]++), NULL, 8, FLOW_START);
        flow_end(t, R, false);
        flow_finish(t);
        flow_expect(t, R, "RDMAP-6.2.1-01", faults[i].name);
    }
}

/* The capture ends, or the peer closes, before anything can be said; or something is missing. */
static void cut_short(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        struct rdmap_flow *t = flow_new_reacting();

        faults[i].send(t);
        flow_finish(t);
        flow_expect(t, R, "", faults[i].name);

        t = flow_new_reacting();
        faults[i].send(t);
        flow_end(t, I, false);
        flow_end(t, R, false);
        flow_finish(t);
        flow_expect(t, R, "", faults[i].name);

        t = flow_new_reacting();
        faults[i].send(t);
        flow_hole(t, R, 100);
        flow_send(t, R, 8);
        flow_close(t, R);
        flow_expect(t, R, "", faults[i].name);

        /* Sent before there was time for a reaction, and no end of the connection that should have had one. */
        t = flow_new_reacting();
        faults[i].send(t);
        flow_send(t, R, 8);
        flow_send(t, I, 8);
        flow_send(t, R, 8);
        flow_finish(t);
        flow_expect(t, R, "", faults[i].name);

        /* Never acknowledged. */
        t = flow_new_reacting();
        faults[i].send(t);
        flow_segment_acked(t, R, untagged_segment(RDMAP_SEND, 0, t->msn[R][0]), NULL, 8, FLOW_START);
        flow_wait(t, 10);
        flow_finish(t);
        flow_expect(t, R, "", faults[i].name);
    }
}

static void short_ulpdu(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();

    no_header(t);
    flow_terminate_as(t, R, (struct rdmap_terminate){.layer = 0, .etype = 2, .code = 7});
    flow_close(t, R);
    flow_expect(t, R, "+DDP-6.2.2-03", "reported");

    t = flow_new_reacting();
    no_header(t);
    flow_wait(t, 5);
    flow_send(t, R, 8);
    flow_close(t, R);
    flow_expect(t, R, "DDP-6.2.2-03", "ignored");
}

/* The faulty request itself is answered: at once. */
static void answered(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();

    rv_read(t);
    flow_response(t, R, 0x55667788, 0x2000, 64, true);
    flow_finish(t);
    flow_expect(t, R, "RDMAP-7.2-08", "RV");
}

/* A request after the fault is answered, and then the fault reported. */
static void served_after(void **state)
{
    static const struct {
        void (*send)(struct rdmap_flow *t);
        struct code code;
        const char *rule, *ignored;
    } cases[] = {{dv_untagged, {1, 2, 6}, "DDP-7.1-20", "DDP-7.2-13"},
                 {rv_send, {0, 2, 5}, "RDMAP-7-01", "RDMAP-7.2-03"}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rdmap_flow *t = flow_new_reacting();
        struct rdmap_terminate terminate;

        cases[i].send(t);
        terminate =
            flow_blame(t->last[I], t->last_len[I], cases[i].code.layer, cases[i].code.etype, cases[i].code.code);
        flow_read_request(t, I, read_request);
        flow_response(t, R, 0x55667788, 0x2000, 64, true);
        flow_terminate_as(t, R, terminate);
        flow_close(t, R);
        flow_expect(t, R, cases[i].rule, cases[i].rule);

        t = flow_new_reacting();
        flow_read_request(t, I, read_request);
        cases[i].send(t);
        flow_read_request(t, I, read_request);
        flow_response(t, R, 0x55667788, 0x2000, 64, true); /* to the one before */
        flow_terminate_as(t, R, terminate);
        flow_close(t, R);
        findings_expect(&t->seen, R, "", cases[i].rule);
        findings_expect_passed(&t->seen, cases[i].rule, cases[i].rule);
        flow_free(t);

        for (unsigned ends = 0; ends < 2; ends++) { /* and never reported; a capture that ends here may lack that */
            t = flow_new_reacting();
            cases[i].send(t);
            flow_read_request(t, I, read_request);
            flow_response(t, R, 0x55667788, 0x2000, 64, true);
            if (ends)
                flow_end(t, R, false);
            flow_finish(t);
            flow_expect(t, R, ends ? cases[i].ignored : "", cases[i].rule);
        }
    }
}

static void late(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();
    struct rdmap_terminate terminate;

    rv_send(t);
    terminate = flow_blame(t->last[I], t->last_len[I], 0, 2, 5);
    flow_send(t, R, 8);
    flow_wait(t, 5);
    flow_send(t, R, 8);
    flow_terminate_as(t, R, terminate);
    flow_close(t, R);
    flow_expect(t, R, "RDMAP-7.1-05", "late");
}

static void second_error_reported(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();
    struct rdmap_terminate first;

    dv_tagged(t);
    first = flow_blame(t->last[I], t->last_len[I], 1, 1, 4);
    bad_qn(t);
    flow_terminate_as(t, R, first);
    flow_close(t, R);
    flow_expect(t, R, "+RDMAP-7.1-10", "first");
}

/* The receiver advertised something in between: perhaps the STag anew. */
static void advertised_anew(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();

    invalidate(t);
    flow_send(t, R, 8);
    flow_write(t, I, STAG, 0, NULL, 8);
    flow_wait(t, 5);
    flow_send(t, R, 8);
    flow_close(t, R);
    flow_expect(t, R, "", "anew");
}

/* ---- odd, but to be accepted ---- */

static void odd_accepted(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, t->msn[I][0]++);
    struct rdmap_atomic_request atomic = {.reserved = 5, .identifier = 7, .stag = STAG, .compare_data = 1};

    segment.rsvd = 15;
    segment.rdmap_rsv = 3;
    segment.stag = 1;
    flow_segment(t, I, segment, NULL, 8);
    segment = untagged_segment(RDMAP_IMMEDIATE, 0, t->msn[I][0]++);
    segment.stag = 1;
    flow_segment(t, I, segment, NULL, 8);
    flow_write(t, I, 0, UINT64_MAX, NULL, 0);
    flow_atomic(t, I, atomic);
    flow_original(t, R, 7, 0);
    flow_close(t, R);
    findings_expect(&t->seen, R, "", "accepted");
    findings_expect_passed(&t->seen,
                           "DDP-4.1-11 RDMAP-4.1-27 RDMAP-4.1-30 RDMAPX-4.1-04 DDP-5.2-16 RDMAPX-5.2.1-03 "
                           "RDMAPX-5.2.1-13 RDMAPX-5.2.1-15",
                           "accepted");
    flow_free(t);
}

static void terminate_accepted(void **state)
{
    static const uint8_t odd[] = {0, 0, 0x1F, 0xFF};
    struct rdmap_flow *t = flow_new_reacting();

    flow_terminate_octets(t, I, odd, sizeof odd);
    flow_end(t, R, false);
    flow_finish(t);
    flow_expect(t, R, "+RDMAP-4.8-29 +RDMAP-5.4-05", "closed");

    t = flow_new_reacting();
    flow_terminate_octets(t, I, odd, sizeof odd);
    flow_complain(t, R, 0, 2, 7);
    flow_close(t, R);
    flow_expect(t, R, "RDMAP-4.8-29", "reserved");

    t = flow_new_reacting();
    flow_terminate_octets(t, I, (const uint8_t[4]){0}, 4);
    flow_complain(t, R, 1, 2, 2);
    flow_close(t, R);
    flow_expect(t, R, "RDMAP-5.4-05", "no buffer");
}

/* ---- limits ---- */

static void depth(void **state)
{
    struct rdmap_flow *t = flow_new_depth(2, 2, 2);

    flow_read_request(t, I, read_request);
    flow_atomic(t, I, (struct rdmap_atomic_request){.identifier = 7, .stag = STAG, .compare_mask = UINT64_MAX});
    flow_response(t, R, 0x55667788, 0x2000, 64, true);
    flow_original(t, R, 7, 0);
    flow_close(t, R);
    flow_expect(t, R, "+RDMAPX-5.2.2-09", "answered");

    t = flow_new_depth(2, 2, 2);
    flow_read_request(t, I, read_request);
    flow_read_request(t, I, read_request);
    flow_complain(t, R, 1, 2, 2);
    flow_close(t, R);
    flow_expect(t, R, "", "refused: MPA2-9.1-03");

    t = flow_new_depth(2, 2, 2);
    flow_atomic(t, I, (struct rdmap_atomic_request){.stag = STAG, .compare_mask = UINT64_MAX});
    flow_complain(t, R, 1, 2, 2);
    flow_close(t, R);
    flow_expect(t, R, "RDMAPX-5.2.2-09", "Atomic refused");

    t = flow_new_depth(2, 1, 1);
    flow_read_request(t, I, read_request);
    flow_read_request(t, I, read_request);
    flow_complain(t, R, 1, 2, 2);
    flow_close(t, R);
    flow_expect(t, R, "", "one too many");

    t = flow_new_depth(1, 0, 0);
    flow_read_request(t, I, read_request);
    flow_complain(t, R, 1, 2, 2);
    flow_close(t, R);
    flow_expect(t, R, "", "not negotiated");
}

static void atomic_response_refused(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();

    flow_atomic(t, R, (struct rdmap_atomic_request){.identifier = 1, .stag = STAG, .compare_mask = UINT64_MAX});
    flow_original(t, I, 1, 0);
    flow_complain(t, R, 1, 2, 2);
    flow_close(t, R);
    flow_expect(t, R, "RDMAPX-5.2.2-10", "refused");
}

static void atomics(void **state)
{
    struct rdmap_atomic_request add = {.identifier = 1, .stag = STAG, .to = 0x1000, .compare_mask = UINT64_MAX};
    struct rdmap_atomic_request swap = {.opcode = RDMAP_ATOMIC_CMP_SWAP, .identifier = 2, .stag = STAG, .to = 0x1000};
    struct rdmap_flow *t = flow_new_reacting();

    flow_atomic(t, I, add);
    flow_original(t, R, 1, 0);
    flow_atomic(t, I, swap);
    flow_original(t, R, 2, 0);
    flow_atomic(t, I, add);
    flow_original(t, R, 1, 0);
    flow_close(t, R);
    flow_expect(t, R, "+RDMAPX-1.1-01", "both");

    t = flow_new_reacting();
    flow_atomic(t, I, add);
    flow_original(t, R, 1, 0);
    flow_atomic(t, I, swap);
    flow_complain(t, R, 0, 2, 6);
    flow_close(t, R);
    flow_expect(t, R, "RDMAPX-1.1-01", "one of two");
}

/* ---- security ---- */

static void sink_stags(struct rdmap_flow *t, uint32_t first, uint32_t step, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct rdmap_read_request read = read_request;

        read.sink_stag = first + step * i + (step == 0 ? i * i * 0x500 : 0);
        flow_read_request(t, I, read);
        flow_response(t, R, read.sink_stag, 0x2000, 64, true);
    }
    flow_close(t, R);
}

static void predictable_stags(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();

    sink_stags(t, 0x4400, 0x100, 20);
    flow_expect(t, I, "RDMAP-8.1.1-08", "regular");

    t = flow_new_reacting();
    sink_stags(t, 0x44000000, 1, 100); /* a key that counts registrations */
    flow_expect(t, I, "", "key");

    t = flow_new_reacting();
    sink_stags(t, 0x100, 0, 16); /* below 0x50000 */
    flow_expect(t, I, "+RDMAP-8.1.1-08 +RDMAP-8.1.1-09", "spread");
}

static void tls(void **state)
{
    static const uint8_t hello[64] = {22, 3, 1, 0, 59, 1, 0, 0, 55, 3, 3};
    struct rdmap_flow *t = flow_new_reacting();

    flow_segment(t, I, untagged_segment(RDMAP_SEND, 0, 1), hello, sizeof hello);
    flow_close(t, R);
    flow_expect(t, I, "SEC-5.4.2-01", "TLS");
}

static void wraps(void **state)
{
    struct rdmap_read_request read = read_request;
    struct rdmap_flow *t = flow_new_reacting();

    flow_write(t, I, STAG, UINT64_MAX - 7, NULL, 8); /* a note: 2^64 exactly */
    flow_finish(t);
    findings_expect(&t->seen, I, "DDP-7.1-16", "boundary");
    assert_int_equal(t->seen.finding[0].severity, SEVERITY_NOTE);
    flow_free(t);

    t = flow_new_reacting();
    read.sink_to = UINT64_MAX - 3;
    flow_read_request(t, I, read);
    flow_finish(t);
    flow_expect(t, I, "DDP-7.1-16", "SinkTO");

    t = flow_new_reacting();
    flow_write(t, I, STAG, UINT64_MAX - 8, NULL, 8);
    flow_finish(t);
    flow_expect(t, I, "+DDP-7.1-16", "below");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reported_rightly),
        cmocka_unit_test(reported_wrongly),
        cmocka_unit_test(ignored),
        cmocka_unit_test(silence),
        cmocka_unit_test(closed_without_terminate),
        cmocka_unit_test(closed_after_messages),
        cmocka_unit_test(misplaced_terminate),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(short_ulpdu),
        cmocka_unit_test(answered),
        cmocka_unit_test(served_after),
        cmocka_unit_test(late),
        cmocka_unit_test(second_error_reported),
        cmocka_unit_test(advertised_anew),
        cmocka_unit_test(odd_accepted),
        cmocka_unit_test(terminate_accepted),
        cmocka_unit_test(depth),
        cmocka_unit_test(atomic_response_refused),
        cmocka_unit_test(atomics),
        cmocka_unit_test(predictable_stags),
        cmocka_unit_test(tls),
        cmocka_unit_test(wraps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
