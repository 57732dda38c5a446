// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/cases/suite_look.h"

#include <string.h>

bool look_at(struct talk *talk, unsigned place, uint8_t octets[TALK_MESSAGE])
{
    const struct talk_heard *heard;

    if (!talk_start(talk, NULL) || !talk_region(talk, REGION_SHARED) ||
        !talk_say(talk, "read region=shared srcto+%u", place))
        return false;
    heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);
    if (heard && heard->ddp.payload_len == TALK_MESSAGE) {
        memcpy(octets, heard->ddp.payload, TALK_MESSAGE);
        return true;
    }
    talk_inconclusive(talk, "expected the octets of the shared memory; found %s", talk_found(talk));
    return false;
}

bool look_prepare(struct talk *talk, unsigned place, uint8_t octets[TALK_MESSAGE])
{
    uint8_t found[TALK_MESSAGE];

    /* Different each time, so that nothing is left over from before; and no word of them is zero. */
    for (unsigned i = 0; i < TALK_MESSAGE; i++)
        octets[i] = (uint8_t)(g_random_int() | 1);
    if (!talk_start(talk, NULL) || !talk_region(talk, REGION_SHARED) || !talk_needs_reads(talk))
        return false;
    talk_say_octets(talk, octets, TALK_MESSAGE, "write region=shared to+%u", place);
    talk_say(talk, "read region=shared srcto+%u", place);
    if (!talk_hear_opcode(talk, RDMAP_READ_RESPONSE)) {
        talk_inconclusive(talk, "expected an answer to a Read after a Write; found %s", talk_found(talk));
        return false;
    }
    if (!look_at(talk, place, found))
        return false;
    if (memcmp(found, octets, TALK_MESSAGE) == 0)
        return true;
    talk_not_applicable(talk, "what is written on one connection is not read on another: they share no memory");
    return false;
}

static unsigned first_difference(const uint8_t *a, const uint8_t *b)
{
    unsigned at = 0;

    while (at < TALK_MESSAGE && a[at] == b[at])
        at++;
    return at;
}

/* Fails if another connection finds the octets changed; other cases judge whether and how the device refuses the
 * stimulus. */
void row_leaves_no_trace(struct talk *talk, const struct suite_case *row)
{
    uint8_t before[TALK_MESSAGE], after[TALK_MESSAGE];
    g_autofree char *what = NULL;
    unsigned at;

    if (!look_prepare(talk, (unsigned)row->variant, before) || !row_say(talk, row, true))
        return;
    if (hear_end(talk, talk_t_react(talk))->is_terminate)
        what = g_strdup(talk_found(talk));
    talk_hear(talk, talk_t_close(talk));
    if (!what)
        what = g_strdup(talk_found(talk));
    if (!look_at(talk, (unsigned)row->variant, after))
        return;
    at = first_difference(before, after);
    if (at < TALK_MESSAGE)
        talk_failed(talk,
                    "expected the memory as it was before; another connection finds octet %u changed from %02x to %02x "
                    "(the answer to the stimulus: %s)",
                    at, before[at], after[at], what);
    else
        talk_passed(talk, "%s; another connection finds the memory as it was before", what);
}
