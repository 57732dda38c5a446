// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmapx: RFC 7306, Atomic Operations and Immediate Data. A device that does not support them must say so, and is
 * done.
 */
#include "traffic-gen/suite/cases/suite_look.h"

enum { UNEXPECTED_OPCODE = 0x06, DEPTH = 16 };

/* Also with layer and error type swapped, as some devices do: RDMAPX-1.1-05 is about that. */
static bool says_unexpected(const struct rdmap_terminate *terminate)
{
    return terminate->code == UNEXPECTED_OPCODE && ((terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 2) ||
                                                    (terminate->layer == 2 && terminate->etype == RDMAP_LAYER_RDMA));
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

/* Starts, and tries the operation, which is answered with row->served. False: verdict is set. */
static bool try_operation(struct talk *talk, const struct suite_case *row)
{
    return talk_start(talk, NULL) && talk_say(talk, row->served == RDMAP_IMMEDIATE ? "imm" : "fadd") &&
           has_operation(talk, (enum rdmap_opcode)row->served);
}

/* ---- what must be supported ---- */

static void all_operations(struct talk *talk, const struct suite_case *row)
{
    if (!try_operation(talk, row) || !row_say_rest(talk, row, true))
        return;
    if (talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE))
        talk_passed(talk, "FetchAdd and CmpSwap were answered");
    else
        talk_failed(talk, "expected an answer to a CmpSwap as to a FetchAdd; found %s",
                    talk_describe(talk, talk_last(talk)));
}

/* A device without the operation. */
static void lacking(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!row_say(talk, row, true))
        return;
    heard = talk_hear(talk, talk_t_react(talk));
    if (heard->what != TALK_FPDU)
        talk_inconclusive(talk, "%s", talk_describe(talk, heard));
    else if (!heard->is_terminate)
        talk_not_applicable(talk, "the device supports Atomic Operations");
    else if (heard->meant.layer == 0 && heard->meant.etype == 2 && heard->meant.code == UNEXPECTED_OPCODE)
        talk_passed(talk, "%s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected Terminate layer 0 type 2 code 6; found %s", talk_describe(talk, heard));
}

static bool say_odd(struct talk *talk, const struct suite_case *row, bool odd)
{
    return try_operation(talk, row) && row_say_rest(talk, row, odd);
}

static void odd_operation(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_odd, row_await);
}

/* As many in flight as the device offers. */
static void depth(struct talk *talk, const struct suite_case *row)
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
                        i, talk_describe(talk, talk_last(talk)));
        return;
    }
    talk_passed(talk, "%u Atomic Requests were answered", n);
}

/* ---- what must be refused ---- */

static void operation_refused(struct talk *talk, const struct suite_case *row)
{
    if (say_odd(talk, row, true))
        expect_refusal(talk, row);
}

static void operation_refused_with_code(struct talk *talk, const struct suite_case *row)
{
    if (say_odd(talk, row, true))
        expect_code(talk, row);
}

static void no_trace(struct talk *talk, const struct suite_case *row)
{
    if (try_operation(talk, row))
        row_leaves_no_trace(talk, row);
}

/* DDP header, and no RDMA Header: R is for Read Requests (section 8.1). */
static void headers(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!say_odd(talk, row, true))
        return;
    heard = hear_end(talk, talk_t_react(talk));
    if (!heard->is_terminate)
        talk_inconclusive(talk, "expected a Terminate; found %s", talk_describe(talk, talk_last(talk)));
    else if (!heard->meant.d || heard->meant.r)
        talk_failed(talk, "expected D = 1 and R = 0; found D = %d and R = %d in %s", heard->meant.d, heard->meant.r,
                    talk_describe(talk, heard));
    else
        talk_passed(talk, "%s, D = 1, R = 0", talk_describe(talk, heard));
}

static const struct suite_case tests[] = {
    {RULE_RDMAPX_1_1_01, NULL, DUT_ANY, NEED_REGIONS, all_operations, "a FetchAdd, then a CmpSwap", "both are answered",
     .says = "cswap id=2", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_1_1_05, NULL, DUT_ANY, NEED_REGIONS, lacking, "a FetchAdd of zero to a device without atomics",
     "Terminate 0/2/06", .says = "fadd"},
    {RULE_RDMAPX_4_1_04, NULL, DUT_ANY, NEED_ECHO, odd_operation,
     "Immediate Data whose Invalidate STag word is not zero", "it is accepted", .says = "imm (stag=0x12345678)",
     .served = RDMAP_IMMEDIATE},
    {RULE_RDMAPX_4_1_04, "atomic", DUT_ANY, NEED_REGIONS, odd_operation,
     "an Atomic Request whose Invalidate STag word is not zero", "an Atomic Response",
     .says = "fadd id=2 (stag=0x12345678)", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_1_1_05, NULL, DUT_ANY, NEED_REGIONS, operation_refused,
     "a FetchAdd at an address that is a multiple of four but not of eight", "a Terminate, or a close",
     .says = "fadd id=2 ato+4", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_1_1_06, NULL, DUT_ANY, NEED_REGIONS, no_trace,
     "a FetchAdd of 1 at an address that is a multiple of four but not of eight, then, on another connection, a Read "
     "of "
     "that memory",
     "the memory is as it was before", .says = "fadd region=shared id=2 ato+1028 data=1", .variant = LOOK_FETCH_ADD,
     .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_1_2_09, NULL, DUT_ANY, NEED_REGIONS, no_trace,
     "a CmpSwap of all octets, whatever they are, at an address that is a multiple of four but not of eight, then, on "
     "another connection, a Read of that memory",
     "the memory is as it was before",
     .says = "cswap region=shared id=2 ato+1540 cmask=0 data=0 mask=0xFFFFFFFFFFFFFFFF", .variant = LOOK_CMP_SWAP,
     .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_1_2_10, NULL, DUT_ANY, NEED_REGIONS, operation_refused,
     "a CmpSwap at an address that is a multiple of four but not of eight", "a Terminate, or a close",
     .says = "cswap id=2 ato+4", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_2_1_03, NULL, DUT_ANY, NEED_REGIONS, odd_operation, "an Atomic Request with all reserved bits set",
     "an Atomic Response", .says = "fadd id=2 (word0=0x0FFFFFFF)", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_2_1_13, NULL, DUT_ANY, NEED_REGIONS, odd_operation, "a FetchAdd with Compare Data",
     "an Atomic Response", .says = "fadd id=2 (cdata=0x1122334455667788)", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_2_1_15, NULL, DUT_ANY, NEED_REGIONS, odd_operation, "a FetchAdd with a Compare Mask",
     "an Atomic Response", .says = "fadd id=2 (cmask=0x00FF00FF00FF00FF)", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_2_1_21, NULL, DUT_ANY, NEED_REGIONS, operation_refused, "an Atomic Request with AOpCode 9",
     "a Terminate, or a close", .says = "fadd id=2 aop=9", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_5_2_2_09, NULL, DUT_RESPONDER, NEED_REGIONS | NEED_ENHANCED, depth,
     "as many Atomic Requests at once as the IRD allows", "all are answered", .variant = 0},
    {RULE_RDMAPX_5_2_2_12, NULL, DUT_ANY, NEED_REGIONS, operation_refused, "an unsolicited Atomic Response",
     "a Terminate, or a close", .says = "result id=77", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_6_3_08, NULL, DUT_ANY, NEED_ECHO, operation_refused, "Immediate Data of 12 octets",
     "a Terminate, or a close", .says = "imm grow=4 @26=0x65", .served = RDMAP_IMMEDIATE},
    {RULE_RDMAPX_6_3_08, "short", DUT_ANY, NEED_ECHO, operation_refused, "Immediate Data of 4 octets",
     "a Terminate, or a close", .says = "imm cut=22", .served = RDMAP_IMMEDIATE},
    {RULE_RDMAPX_8_1_03, "long", DUT_ANY, NEED_REGIONS, operation_refused, "an Atomic Request of 56 octets",
     "a Terminate, or a close", .says = "fadd id=2 grow=4", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_8_1_03, NULL, DUT_ANY, NEED_REGIONS, operation_refused, "an Atomic Request of 44 octets",
     "a Terminate, or a close", .says = "fadd id=2 cut=62", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_8_1_05, NULL, DUT_ANY, NEED_REGIONS, headers, "an Atomic Request to an STag that does not exist",
     "a Terminate with D = 1 and R = 0", .says = "fadd id=2 astag^0x5A5A5A00", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_8_2_03, NULL, DUT_ANY, NEED_ECHO, operation_refused, "Immediate Data on QN 1",
     "a Terminate, or a close", .says = "read op=8 sink=0x31323334 sinkto=0x3536373800000000 cut=26",
     .served = RDMAP_IMMEDIATE},
    {RULE_RDMAPX_8_2_04, NULL, DUT_ANY, NEED_ECHO, operation_refused, "Immediate Data with RV 2",
     "a Terminate, or a close", .says = "imm rv=2", .served = RDMAP_IMMEDIATE},
    {RULE_RDMAPX_8_2_04, "atomic", DUT_ANY, NEED_REGIONS, operation_refused, "an Atomic Request with RV 2",
     "a Terminate, or a close", .says = "fadd id=2 rv=2", .served = RDMAP_ATOMIC_RESPONSE},
    {RULE_RDMAPX_8_2_07, NULL, DUT_ANY, NEED_REGIONS, operation_refused_with_code,
     "a FetchAdd at an address that is a multiple of four but not of eight", "Terminate 0/2/07",
     .says = "fadd id=2 ato+4", .served = RDMAP_ATOMIC_RESPONSE},
};

const struct suite suite_rdmapx = {"rdmapx", tests, G_N_ELEMENTS(tests)};
