// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of mutants: those of the program can be read, and what cannot is refused with the word and its line. */
#include "tests/unit/support/rpc_ends.h"
#include "traffic-gen/mutants/mutant.h"

#include <string.h>

extern const char rule_mutants[], pairs_mutants[];

/* What is said about it, "" if nothing is. For g_free(). */
static char *refusal_of(const char *text)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(mutant_row_free);
    char *error = NULL;

    bool good = mutants_parse(rows, "rows", text, &error);

    assert_int_equal(good, !error);
    return error ? error : g_strdup("");
}

static void the_programs_rows_can_be_read(void **state)
{
    const char *const texts[] = {rule_mutants, pairs_mutants};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *error = refusal_of(texts[i]);

        assert_string_equal(error, "");
    }
}

static void what_cannot_be_read_is_refused(void **state)
{
    static const struct {
        const char *text, *word, *line;
    } rows[] = {
        {"MPA-1 nobody says no", "'nobody'", ":1:"},
        {"MPA-1 both says no\n    when rain do drop", "'rain'", ":2:"},
        {"MPA-1 both says no\n    when send hue=3 do drop", "'hue=3'", ":2:"},
        {"MPA-1 both says no\n    when send len=much do drop", "'len=much'", ":2:"},
        {"MPA-1 both says no\n    when send len<=>1 do drop", "'len<=>1'", ":2:"},
        {"MPA-1 both says no\n\n    when send len=3", "the end of the line", ":3:"},
        {"MPA-1 both says no\n    when send do", "the end of the line", ":2:"},
        {"MPA-1 both says no\n    when send do dance", "'dance'", ":2:"},
        {"MPA-1 both says no\n    when send do drop and", "the end of the line", ":2:"},
        {"MPA-1 both says no\n    when send do drop len=3", "'len=3'", ":2:"},
        {"MPA-1 both says no\n    when send do code=hue", "'code=hue'", ":2:"},
        {"MPA-1 both says no\n    with luck", "'luck'", ":2:"},
        {"    when send do drop", "'when'", ":1:"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *error = refusal_of(rows[i].text);

        assert_non_null(strstr(error, rows[i].word));
        assert_non_null(strstr(error, rows[i].line));
    }
}

static void a_row_is_found_by_case_and_role(void **state)
{
    const struct misbehaviour *row = misbehave_find("MPA2-9.2-20", DUT_INITIATOR);

    assert_string_equal(row->what, "sends an RTR although A is 0");
    assert_string_equal(misbehave_find("MPA2-9.2-20", DUT_RESPONDER)->what, "wants an RTR although A is 0");
    assert_null(misbehave_find("MPA-7.1.2-17", DUT_RESPONDER));
}

/* At either side, whatever the message is: the Call is lost, and so once. */
static void a_reset_ends_a_call_once(void **state)
{
    static const struct {
        const char *row;
        unsigned side;
    } rows[] = {{"MPA-1 both resets\n    when reply do rst", CLIENT},
                {"MPA-1 both resets\n    when call do rst", SERVER},
                {"MPA-1 both resets\n    when message call !sent do rst", SERVER}};
    const struct rpc_end_options options = ends_options(4096, 4);
    const struct rpc_sample sample = {.procedure = "nfs3.write", .fields = "len=3000"};

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GPtrArray) parsed = g_ptr_array_new_with_free_func(mutant_row_free);
        g_autofree char *error = NULL;
        struct rpc_ends_call *call;
        struct rpc_ends ends;
        struct mutant mutant;

        assert_true(mutants_parse(parsed, "rows", rows[i].row, &error));
        ends_open(&ends, &options, &options);
        mutant_attach_rpc(&mutant, parsed->pdata[0], ends.side[rows[i].side].end);
        call = ends_call(&ends, CLIENT, &sample, &(struct rpc_end_how){.reduce = true});
        ends_run(&ends);
        assert_int_equal(call->replied, 1);
        assert_int_equal(call->result, RPC_END_LOST);
        ends_close(&ends);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_programs_rows_can_be_read),
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(a_row_is_found_by_case_and_role),
        cmocka_unit_test(a_reset_ends_a_call_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
