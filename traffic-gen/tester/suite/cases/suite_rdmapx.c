// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmapx: RFC 7306, Atomic Operations and Immediate Data. A device that does not support them only has to say so.
 */
#include "traffic-gen/tester/suite/cases/suite_look.h"

enum { REMOTE_OPERATION = 2, UNEXPECTED_OPCODE = 0x06, DEPTH = 16 };

/* Also accepts layer and error type swapped, as some devices send them: RDMAPX-1.1-05 judges the order. */
static bool says_unexpected(const struct rdmap_terminate *terminate)
{
    return terminate->code == UNEXPECTED_OPCODE &&
           ((terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == REMOTE_OPERATION) ||
            (terminate->layer == REMOTE_OPERATION && terminate->etype == RDMAP_LAYER_RDMA));
}

/* What Immediate Data and Atomic Requests have in common: the DUT that lacks them answers 0/2/06. */
static bool has_operation(struct talk *talk, enum rdmap_opcode answer)
{
    const struct talk_heard *heard;

    if (talk_hear_opcode(talk, answer))
        return true;
    heard = talk_last(talk);
    if (heard->what == TALK_FPDU && heard->is_terminate && says_unexpected(&heard->meant))
        talk_not_applicable(talk, "the device does not support this operation: %s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "the same operation without the fault was not answered; found %s",
                          talk_describe(talk, heard));
    return false;
}

bool row_try(struct talk *talk, const struct suite_case *row)
{
    return talk_say(talk, row->served == RDMAP_IMMEDIATE ? "imm" : "fadd") &&
           has_operation(talk, (enum rdmap_opcode)row->served);
}

/* As many operations in flight as the device offers. */
void rdmapx_depth(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.enhanced = true, .data = {.ird = DEPTH, .ord = DEPTH}};
    unsigned n;

    (void)row;
    if (!talk_start(talk, &wish) || !talk_region(talk, REGION_ALL))
        return;
    n = talk_dut_ird(talk);
    if (n == 0 || n > DEPTH) {
        talk_inconclusive(talk, "the device answered with an IRD of %u to an ORD of %u", n, (unsigned)DEPTH);
        return;
    }
    for (unsigned i = 1; i <= n; i++)
        talk_say(talk, "fadd id=%u", i);
    for (unsigned i = 0; i < n; i++) {
        if (i == 0 ? has_operation(talk, RDMAP_ATOMIC_RESPONSE) : talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE) != NULL)
            continue;
        if (i > 0)
            talk_failed(talk, "expected %u Atomic Requests answered, as many as the IRD; found %u answered, then %s", n,
                        i, talk_found(talk));
        return;
    }
    talk_passed(talk, "%u Atomic Requests were answered", n);
}
