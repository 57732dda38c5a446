// SPDX-License-Identifier: GPL-2.0-or-later
/* Segments that should have been refused and are answered like requests: the acceptance is the fault, not the answer.
 */
#include "tests/unit/support/rdmap_flow.h"

enum { STAG = 0x11223344, SINK = 0x55667788, IDENTIFIER = 77 };

static const struct rdmap_read_request read_request = {SINK, 0x2000, 64, STAG, 0x3000};
static const struct rdmap_atomic_request atomic_request = {
    .identifier = IDENTIFIER, .stag = STAG, .data = 1, .compare_mask = UINT64_MAX};

static struct rdmap_flow *begin(void)
{
    struct rdmap_flow *t = flow_new_reacting();

    flow_send(t, I, 8);
    flow_send(t, R, 8);
    return t;
}

static void send_read(struct rdmap_flow *t, struct ddp_segment segment)
{
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&read_request, payload, sizeof payload);
    flow_segment(t, I, segment, payload, sizeof payload);
}

static void send_atomic(struct rdmap_flow *t, struct ddp_segment segment)
{
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN];

    rdmap_atomic_request_encode(&atomic_request, payload, sizeof payload);
    flow_segment(t, I, segment, payload, sizeof payload);
}

static void serve(struct rdmap_flow *t, bool atomic)
{
    if (atomic)
        flow_original(t, R, IDENTIFIER, 5);
    else
        flow_response(t, R, SINK, 0x2000, 64, true);
}

static const struct {
    const char *name, *rule;
    uint8_t opcode;
    bool tagged, atomic;
    uint32_t qn, msn, mo;
    uint8_t rv;
} requests[] = {
    {"gap", "DDP-7.1-09", RDMAP_READ_REQUEST, false, false, 1, 3, 0, 1},
    {"first octets missing", "DDP-7.1-07", RDMAP_READ_REQUEST, false, false, 1, 1, 4, 1},
    {"QN 0", "RDMAP-7.2-02", RDMAP_READ_REQUEST, false, false, 0, 2, 0, 1},
    {"QN 2", "RDMAP-7.2-02", RDMAP_READ_REQUEST, false, false, 2, 1, 0, 1},
    {"QN 9", "DDP-7.1-01", RDMAP_READ_REQUEST, false, false, 9, 1, 0, 1},
    {"T = 1", "RDMAP-7.2-02", RDMAP_READ_REQUEST, true, false, 0, 0, 0, 1},
    {"RV 2", "RDMAP-7.2-08", RDMAP_READ_REQUEST, false, false, 1, 1, 0, 2},
    {"Send on QN 1", "RDMAP-7.2-07", RDMAP_SEND, false, false, 1, 1, 0, 1},
    {"opcode 12 on QN 1", "RDMAP-7.2-07", 12, false, false, 1, 1, 0, 1},
    {"Atomic, gap", "DDP-7.1-09", RDMAP_ATOMIC_REQUEST, false, true, 1, 2, 0, 1},
    {"Atomic, QN 0", "RDMAPX-8.2-03", RDMAP_ATOMIC_REQUEST, false, true, 0, 2, 0, 1},
    {"Atomic, RV 0", "RDMAPX-8.2-04", RDMAP_ATOMIC_REQUEST, false, true, 1, 1, 0, 0},
};

enum { REQUESTS = sizeof requests / sizeof requests[0] };

static void send_request(struct rdmap_flow *t, unsigned i)
{
    struct ddp_segment segment = untagged_segment(requests[i].opcode, requests[i].qn, requests[i].msn);

    if (requests[i].tagged)
        segment = tagged_segment(requests[i].opcode, STAG, 0);
    segment.mo = requests[i].mo;
    segment.rv = requests[i].rv;
    if (requests[i].atomic)
        send_atomic(t, segment);
    else
        send_read(t, segment);
}

static void served(void **state)
{
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct rdmap_flow *t = begin();

        send_request(t, i);
        serve(t, requests[i].atomic);
        flow_send(t, R, 8);
        flow_close(t, R);
        flow_expect(t, R, requests[i].rule, requests[i].name);

        if (requests[i].rv != 1) /* nothing else shows what it is */
            continue;
        t = begin(); /* octets of the requester's are missing: it may have asked for it in another way */
        flow_hole(t, I, 100);
        flow_send(t, I, 8);
        send_request(t, i);
        serve(t, requests[i].atomic);
        flow_finish(t);
        flow_expect(t, R, "", requests[i].name);
    }
}

/* Another request asked for the same answer. */
static void asked_for(void **state)
{
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct rdmap_flow *t;

        if (requests[i].atomic || (requests[i].qn == 1 && !requests[i].tagged))
            continue;
        t = begin();
        flow_read_request(t, I, read_request);
        send_request(t, i);
        serve(t, false);
        flow_finish(t);
        flow_expect(t, R, "", requests[i].name);
    }
}

static void gaps(void **state)
{
    struct rdmap_flow *t = begin();

    send_read(t, untagged_segment(RDMAP_READ_REQUEST, 1, 2)); /* waits for what is missing */
    send_atomic(t, untagged_segment(RDMAP_ATOMIC_REQUEST, 1, 1));
    serve(t, true);
    serve(t, false);
    flow_close(t, R);
    flow_expect(t, R, "", "filled");

    t = begin(); /* nothing obliges the receiver to say anything */
    send_read(t, untagged_segment(RDMAP_READ_REQUEST, 1, 3));
    flow_send(t, R, 8);
    flow_send(t, I, 8);
    flow_send(t, R, 8);
    flow_close(t, R);
    flow_expect(t, R, "", "waiting");

    t = begin();
    send_read(t, untagged_segment(RDMAP_READ_REQUEST, 1, 3));
    flow_complain(t, R, 1, 2, 3);
    flow_close(t, R);
    flow_expect(t, R, "", "refused");

    t = begin(); /* a real fault after it counts */
    send_read(t, untagged_segment(RDMAP_READ_REQUEST, 1, 3));
    send_request(t, 6);
    flow_send(t, R, 8);
    flow_close(t, R);
    flow_expect(t, R, "RDMAP-6.2.1-01", "fault after it");
}

/* The MSN of a request that was answered, and of one that is not yet. */
static void repeated(void **state)
{
    for (unsigned open = 0; open < 2; open++) {
        struct rdmap_flow *t = begin();

        send_read(t, untagged_segment(RDMAP_READ_REQUEST, 1, 1));
        if (!open)
            serve(t, false);
        send_read(t, untagged_segment(RDMAP_READ_REQUEST, 1, 1));
        if (open)
            serve(t, false);
        serve(t, false);
        flow_close(t, R);
        flow_expect(t, R, "DDP-7.1-09", open ? "open" : "answered");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(served),
        cmocka_unit_test(asked_for),
        cmocka_unit_test(gaps),
        cmocka_unit_test(repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
