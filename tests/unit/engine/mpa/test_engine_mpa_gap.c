// SPDX-License-Identifier: GPL-2.0-or-later
/* Holes within a message, and a count that is judged after any hole: RDMA Reads in flight. */
#include "tests/unit/support/mpa_line.h"

enum { SEGMENT = 2 + 14 + 100 + 4, EMPTY_SEND = 2 + 18 + 4 };

static struct mpa_line *with_ird(uint16_t ird)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_enhanced(MPA_REQUEST, MPA_FLAG_C, false, 0, ird, ird),
                 startup_enhanced(MPA_REPLY, MPA_FLAG_C, false, 0, ird, ird));
    line_send(t, I, 24);
    line_send(t, R, 24);
    return t;
}

static void tagged(struct mpa_line *t, unsigned side, uint8_t opcode, uint64_t to, bool last)
{
    struct ddp_segment segment = tagged_segment(opcode, 0x77, to);

    segment.last = last;
    line_message(t, side, segment, NULL, 100);
}

static void hole_in(struct mpa_line *t, unsigned side, uint8_t opcode, uint64_t octets, uint64_t payload)
{
    tagged(t, side, opcode, 0, false);
    line_hole(t, side, octets);
    tagged(t, side, opcode, 100 + payload, true);
}

/* The Response is not in the hole if a Write fills it. */
UNIT_TEST(a_hole_hides_a_response_or_not)
{
    static const struct {
        uint64_t octets, payload;
        const char *found;
    } cases[] = {
        {SEGMENT, 100, "MPA2-9.1-15"},       /* a segment */
        {3 * SEGMENT, 300, "MPA2-9.1-15"},   /* three */
        {SEGMENT + 24, 100, ""},             /* a segment and something else */
        {3 * SEGMENT + EMPTY_SEND, 300, ""}, /* the same with three */
        {SEGMENT, 0, ""},                    /* the message continues before the hole */
        {SEGMENT, 104, ""},                  /* more payload than the hole has room for */
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = with_ird(1);

        line_read(t, I, 1, 0, 64);
        hole_in(t, R, RDMAP_WRITE, cases[i].octets, cases[i].payload);
        line_read(t, I, 2, 0, 64);
        line_expect_case(t, cases[i].found, i);
    }
}

/* The first FPDU of the responder is missing. */
UNIT_TEST(a_hole_behind_the_startup)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_enhanced(MPA_REQUEST, MPA_FLAG_C, false, 0, 2, 2),
                 startup_enhanced(MPA_REPLY, MPA_FLAG_C, false, 0, 2, 2));
    line_read(t, I, 1, 0, 64);
    line_read(t, I, 2, 0, 64);
    line_hole(t, R, 84);
    line_response(t, R, 2, 0, 64);
    line_read(t, I, 3, 0, 64);
    line_read(t, I, 4, 0, 64);
    line_expect(t, "");
}

/* The end of Read Responses is unknown. */
UNIT_TEST(a_hole_in_a_response)
{
    struct mpa_line *t = with_ird(1);

    line_read(t, I, 0x77, 0, 300);
    hole_in(t, R, RDMAP_READ_RESPONSE, SEGMENT, 100);
    line_read(t, I, 2, 0, 64);
    line_expect(t, "");
}

/* For any missing requests, the captured ones are too many. */
UNIT_TEST(a_hole_among_the_requests)
{
    struct mpa_line *t = with_ird(2);

    line_read(t, I, 1, 0, 64);
    line_hole(t, I, 52);
    for (uint32_t i = 2; i < 5; i++)
        line_read(t, I, i, 0, 64);
    line_expect(t, "MPA2-9.1-15");

    t = with_ird(2); /* the Response answers the missing request */
    line_read(t, I, 1, 0, 64);
    line_response(t, R, 1, 0, 64);
    line_hole(t, I, 52);
    line_read(t, I, 2, 0, 64);
    line_response(t, R, 9, 0, 64);
    line_read(t, I, 3, 0, 64);
    line_response(t, R, 2, 0, 64);
    line_response(t, R, 3, 0, 64);
    line_expect(t, "");
}

/* A hole has room for some Responses; when all open ones are answered, the count is right again. */
UNIT_TEST(behind_a_hole_among_the_responses)
{
    struct mpa_line *t = with_ird(2);

    line_read(t, I, 1, 0, 64);
    line_read(t, I, 2, 0, 64);
    line_hole(t, R, 84); /* one of them, or none */
    line_send(t, R, 24);
    line_read(t, I, 3, 0, 64);
    line_response(t, R, 2, 0, 64);
    line_response(t, R, 3, 0, 64);
    for (uint32_t i = 4; i < 7; i++)
        line_read(t, I, i, 0, 64);
    line_expect(t, "MPA2-9.1-15");
}

/* No octet of a ULPDU was captured; rules that need more than its length are not judged. */
UNIT_TEST(three_reserved_fields_are_no_other_protocol)
{
    struct mpa_line *t = with_ird(1);
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, 2);

    segment.rsvd = 2;
    segment.rdmap_rsv = 2;
    segment.stag = 0x77;
    line_message(t, I, segment, NULL, 40);
    line_expect(t, "");

    t = with_ird(1); /* and an opcode of no message of this queue */
    segment.opcode = RDMAP_READ_REQUEST;
    line_message(t, I, segment, NULL, 40);
    line_expect(t, "MPA-3-01");
}
