// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cases that statements cannot express: new MSNs after a hole, segments cut by the snap length; the rest is in
 * rules/ddp.cases.
 */
#include "tests/unit/support/rdmap_flow.h"

#include <stdio.h>

enum { SEGMENTS_MAX = 6, STAG = 0x1234, OTHER = 0x5678 };
#define NONE RULE_COUNT

static void expect_one(struct rdmap_flow *t, enum rule_id rule, size_t number)
{
    if (t->seen.n != (rule != NONE) || (rule != NONE && t->seen.finding[0].rule != rule)) {
        fprintf(stderr, "case %zu: expected %s; found %u findings\n", number,
                rule == NONE ? "nothing" : rule_catalogue[rule].id, t->seen.n);
        findings_show(&t->seen, __func__);
        fail();
    }
}

/* MSNs go on at 0 after 2^32 - 1. */
UNIT_TEST(msn_wraps)
{
    static const uint32_t wrong[] = {1, 0};

    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct rdmap_flow *t = flow_new();

        flow_send(t, I, 4);
        flow_hole(t, I, 1000); /* so that MSNs are learned anew */
        t->missing[I] = 0;     /* it may hide any number */
        t->msn[I][0] = UINT32_MAX - 1;
        flow_send(t, I, 4);
        flow_send(t, I, 4);
        t->msn[I][0] = wrong[i];
        flow_send(t, I, 4);
        flow_send(t, I, 4);
        expect_one(t, wrong[i] == 0 ? NONE : RULE_DDP_4_3_14, i);
        flow_free(t);
    }
}

struct tagged_piece {
    uint8_t opcode;
    uint32_t stag;
    uint64_t to;
    bool last;
    size_t n;
};

/* A segment cut by the snap length has its header and its size, but no content. */
UNIT_TEST(segments_that_were_cut)
{
    struct rdmap_flow *t = flow_new();
    uint8_t ulpdu[18 + RDMAP_READ_REQUEST_LEN] = {0};
    struct mpa_fpdu_event event = {.direction = DIR_TO_RESPONDER, .crc = MPA_CRC_UNKNOWN, .has_ddp = true};

    for (uint32_t msn = 1; msn <= 4; msn += msn == 2 ? 2 : 1) { /* 3 is left out */
        struct ddp_segment ddp = {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_REQUEST, .qn = 1, .msn = msn};

        ddp_header_encode(&ddp, ulpdu, sizeof ulpdu);
        flow_step(t);
        event.fpdu = (struct mpa_fpdu){.offset = t->end[I],
                                       .header = t->end[I],
                                       .length = 52,
                                       .ulpdu_length = sizeof ulpdu,
                                       .ulpdu = ulpdu,
                                       .cut = 30,
                                       .lacking = 24};
        event.place = (struct place){.frame = t->frame, .first_frame = t->frame, .time_ns = t->time_ns};
        assert_true(ddp_segment_decode(&event.ddp, ulpdu, sizeof ulpdu));
        event.ddp.lacking = 24;
        rdmap_connection_fpdu(t->rdmap, &event);
        event.number++;
        t->end[I] += 52;
    }
    flow_response(t, R, STAG, 0x1000, 200, true); /* to what was asked for, whatever it was */
    flow_close(t, I);
    expect_one(t, RULE_DDP_4_3_12, 0);
    findings_passed(&t->seen, RULE_RDMAP_4_2_02);
    flow_free(t);
}
