// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The capture point may see the two directions in another order than the ends did: ACK numbers show what each end knew.
 */
#include "tests/unit/support/mpa_line.h"

/* A Read Request is lost after the start-up; the answer to a later Read says nothing about the first FPDU. */
UNIT_TEST(first_captured_fpdu_is_not_the_first)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_plain_start(t);
    line_hole(t, I, 28);
    line_read(t, I, 0x11, 0, 64);
    line_read(t, I, 0x22, 0, 64);
    line_response(t, R, 0x22, 0, 64);
    line_close(t, I);
    line_expect(t, "");
}

/* Octets that the capture point sees late although their receiver had them: ACK numbers prove it. */
static void late_read(struct mpa_line *t, uint32_t stag, uint32_t size)
{
    uint64_t read = 2 + 18 + 28 + 4; /* the FPDU of a Read Request, without Markers */
    uint8_t ulpdu[2048];
    struct ddp_segment response = tagged_segment(RDMAP_READ_RESPONSE, stag, 0);

    line_ulpdu_acked(t, R, ulpdu, segment_octets(ulpdu, sizeof ulpdu, &response, NULL, size), t->sent[I] + read);
    line_read(t, I, stag, 0, size);
}

UNIT_TEST(response_may_be_captured_before_its_request)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_enhanced(MPA_REQUEST, 0x40, false, 0, 1, 1),
                 startup_enhanced(MPA_REPLY, 0x40, false, 0, 1, 1));
    for (uint32_t i = 1; i < 4; i++) /* with an IRD of 1 */
        late_read(t, i, 64);
    line_read(t, I, 9, 0, 64);
    line_response(t, R, 9, 0, 64);
    line_close(t, I);
    line_expect(t, "");
}

/* With an IRD of 1 the second Read is sent after the first answer; the capture has the answer after it. */
UNIT_TEST(request_may_be_captured_before_the_response_it_waited_for)
{
    uint64_t response = 2 + 14 + 64 + 4;

    for (unsigned crc = 0; crc < 2; crc++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        uint8_t flags = crc ? MPA_FLAG_C : 0, ulpdu[256], read[28] = {0};
        struct ddp_segment request = untagged_segment(RDMAP_READ_REQUEST, 1, 2);

        line_startup(t, startup_enhanced(MPA_REQUEST, flags, false, 0, 1, 1),
                     startup_enhanced(MPA_REPLY, flags, false, 0, 1, 1));
        line_read(t, I, 1, 0, 64);
        put_be32(read, 2);
        put_be32(read + 12, 64);
        line_ulpdu_acked(t, I, ulpdu, segment_octets(ulpdu, sizeof ulpdu, &request, read, sizeof read),
                         t->sent[R] + response);
        line_response(t, R, 1, 0, 64);
        line_response(t, R, 2, 0, 64);
        line_close(t, I);
        line_expect(t, "");
    }
}

/* The capture begins with the answers: their sender's knowledge then is unknown, whatever comes later. */
UNIT_TEST(begins_with_what_came_last)
{
    struct startup_frame request = startup_frame(MPA_REQUEST, 0x40, 1, NULL, 0),
                         reply = startup_frame(MPA_REPLY, 0x40, 1, NULL, 0);
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    struct mpa_options options;

    mpa_options_init(&options);
    mpa_connection_free(t->mpa); /* without its SYNs */
    t->mpa = mpa_connection_new(&options, NULL, &t->seen.verdict, NULL);
    assert_non_null(t->mpa);
    t->acked_unknown = true;
    line_say_frame(t, R, reply);
    line_framing(t, false, false, true);
    line_send(t, R, 24);
    line_say_frame(t, I, request);
    line_framing(t, false, false, true);
    line_send(t, I, 24);
    line_send(t, R, 24);
    line_close(t, I);
    line_expect(t, "");
}

UNIT_TEST(response_to_the_rtr_may_be_captured_before_it)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_enhanced(MPA_REQUEST, 0x40, true, MPA_RTR_READ, 4, 4),
                 startup_enhanced(MPA_REPLY, 0x40, true, MPA_RTR_READ, 4, 4));
    late_read(t, 0x11, 0);
    line_read(t, I, 0x22, 0, 64);
    line_response(t, R, 0x22, 0, 64);
    line_close(t, I);
    line_expect(t, "");
}
