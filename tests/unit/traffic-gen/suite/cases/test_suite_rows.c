// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the rows of the suites say can be said: to any device, in either role, with and without what is odd in it. Those
 * about RPC-over-RDMA have other words, and need a server: only what they wish can be read here.
 */
#include "tests/unit/support/support.h"
#include "traffic-gen/suite/cases/suite_rows.h"
#include "traffic-gen/suite/cases/suite_rpcrdma.h"
#include "traffic-gen/suite/talk/talk_internal.h"

#include <string.h>

static void say(const struct suite_case *row, enum suite_dut dut, enum talk_sign sign, bool odd)
{
    struct talk_run run = {.dut = dut, .sign = sign, .signs = 1u << sign, .t_react = 1000, .listener = -1};
    struct case_result *result = case_result_new();
    struct talk talk;

    nfs_run_init(&run.nfs, 1);
    talk_init(&talk, &run, row, 1, result);
    talk.advert.n = REGION_COUNT;
    for (unsigned i = 0; i < REGION_COUNT; i++)
        talk.advert.regions[i] = (struct advert_memory){.stag = 0x100 + i, .address = 0x1000, .length = 0x10000};
    talk_begin_saying(&talk);
    if (!row_say_rest(&talk, row, odd) || result->actual)
        fail_msg("%s, %s: %s", row->says, odd ? "odd" : "for comparison", result->actual ? result->actual : "unsaid");
    talk_clear(&talk);
    nfs_run_clear(&run.nfs);
    case_result_free(result);
}

static bool is_rpc(const struct suite_case *row)
{
    return row->needs & (NEED_RPC | NEED_NFS);
}

static void test_wishes(void **state)
{
    static const struct suite_case odd = {.rule = RULE_RPCR_3_3_1_08, .duts = DUT_ANY, .says = "with credit=3; file"};
    struct case_result *result = case_result_new();
    struct talk_run run = {.dut = DUT_RESPONDER, .listener = -1};
    struct rpcrdma_wish wish;
    struct talk talk;
    unsigned n = 0;

    talk_init(&talk, &run, &odd, 1, result);
    for (const struct suite *const *suite = suites; *suite; suite++) {
        for (unsigned i = 0; i < (*suite)->n; i++) {
            if (!is_rpc(&(*suite)->cases[i]))
                continue;
            assert_true(rpcrdma_wish(&talk, &(*suite)->cases[i], &wish));
            rpcrdma_wish_clear(&wish);
            n++;
        }
    }
    assert_true(n > 90);
    assert_false(rpcrdma_wish(&talk, &odd, &wish));
    rpcrdma_wish_clear(&wish);
    assert_int_equal(result->outcome, OUTCOME_INCONCLUSIVE);
    assert_non_null(strstr(result->actual, "credit=3"));
    talk_clear(&talk);
    case_result_free(result);
}

static void test_rows(void **state)
{
    unsigned n = 0;

    for (const struct suite *const *suite = suites; *suite; suite++) {
        for (unsigned i = 0; i < (*suite)->n; i++) {
            const struct suite_case *row = &(*suite)->cases[i];

            for (unsigned dut = DUT_RESPONDER; row->says && !is_rpc(row) && dut <= DUT_INITIATOR; dut++, n++) {
                say(row, (enum suite_dut)dut, SIGN_READ, true);
                say(row, (enum suite_dut)dut, SIGN_ECHO, true);
                say(row, (enum suite_dut)dut, SIGN_READ, false);
            }
        }
    }
    assert_true(n > 300);
}

/* The case has no verdict that says so, and nothing is sent. */
static void test_what_cannot_be_said(void **state)
{
    static const char *const texts[] = {"sned", "send lne=3", "with no-such-word; send", "write region=none",
                                        "segment at=4"};

    for (unsigned i = 0; i < ARRAY_LENGTH(texts); i++) {
        const struct suite_case row = {.rule = RULE_DDP_4_1_03, .duts = DUT_ANY, .says = texts[i]};
        struct talk_run run = {.dut = DUT_RESPONDER, .sign = SIGN_READ, .listener = -1};
        struct case_result *result = case_result_new();
        struct talk talk;

        talk_init(&talk, &run, &row, 1, result);
        talk_begin_saying(&talk);
        assert_false(row_say_rest(&talk, &row, true));
        assert_int_equal(result->outcome, OUTCOME_INCONCLUSIVE);
        assert_non_null(result->actual);
        talk_clear(&talk);
        case_result_free(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_what_cannot_be_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
