// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite mpa, full operation: errors that a device must not accept, and its reaction to them (RFC 5044 section 8). */
#include "traffic-gen/tester/suite/cases/suite_look.h"

#include "traffic-gen/tester/suite/expect/expect.h"
#include "wire/rdmap.h"

/* The device announced C = 0, our side C = 1. */
void mpa_errors_damaged_by_our_wish(struct talk *talk, const struct suite_case *row)
{
    if (!talk_start(talk, &(struct talk_wish){.crc = true}) || !needs_crc(talk))
        return;
    if (talk_frame(talk, false)->flags & MPA_FLAG_C)
        talk_not_applicable(talk, "the device declares C = 1 itself");
    else if (row_say_rest(talk, row, true))
        expect_refusal(talk, row);
}

/* The device must close, not our side, and must not answer the request after the error (row->served) before. */
void mpa_errors_ends(struct talk *talk, const struct suite_case *row)
{
    if (!row_say(talk, row, true))
        return;
    if (row->served && row_await(talk, row) == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer after the error; a request after it was answered");
    else
        expect_device_close(talk, row->served ? talk_t_close(talk) : talk_t_idle(talk));
    if (row->served && talk_has_passed(talk) && talk_answer(talk))
        talk_inconclusive(talk, "closed, but after the error the device says something: %s", talk_answer(talk));
}
