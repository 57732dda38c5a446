// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants: each is found by its case, and what their statements do to octets and to Calls. */
#include "tests/unit/support/rpc_ends.h"
#include "traffic-gen/tester/mutants/mutant.h"

UNIT_TEST(a_row_is_found_by_case_and_role)
{
    const struct misbehaviour *row = misbehave_find("MPA2-9.2-20", DUT_INITIATOR);

    assert_string_equal(row->what, "sends an RTR although A is 0");
    assert_string_equal(misbehave_find("MPA2-9.2-20", DUT_RESPONDER)->what, "wants an RTR although A is 0");
    assert_null(misbehave_find("MPA-7.1.2-17", DUT_RESPONDER));
}

UNIT_TEST(octets_and_words_end_with_the_message)
{
    static const uint8_t octets[] = {1, 2, 3, 4, 5};
    const struct scene scene = {.p = octets, .n = sizeof octets}, none = {.n = 5};

    assert_int_equal(scene_octet(&scene, 4), 5);
    assert_int_equal(scene_octet(&scene, 5), 0);
    assert_int_equal(scene_word(&scene, 1), 0x02030405);
    assert_int_equal(scene_word(&scene, 2), 0);
    assert_int_equal(scene_octet(&none, 0), 0);
    assert_int_equal(scene_word(&none, 0), 0);
    assert_true(scene_key_is(&scene, "\x01*\x05"));
    assert_false(scene_key_is(&none, "?*"));
}

/* In place, or in a copy. What is past the end is changed nowhere. */
UNIT_TEST(what_is_sent_can_be_changed)
{
    g_autoptr(GByteArray) send = g_byte_array_new_take(g_memdup2("abcde", 5), 5);
    struct mutant mutant = {0};
    struct qp_work work = {.kind = QP_SEND, .p = (const uint8_t *)"fghij", .n = 5};
    struct scene sends = {.mutant = &mutant, .send = send}, works = {.mutant = &mutant, .work = &work};

    *scene_sent(&sends, -1, 1) = 'E';
    put_be32(scene_sent(&sends, 0, 4), 0x41424344);
    put_be32(scene_sent(&sends, 2, 4), 0);
    *scene_sent(&sends, -6, 1) = 0;
    *scene_sent(&sends, 5, 1) = 0;
    assert_memory_equal(send->data, "ABCDE", 5);
    *scene_sent(&works, 0, 1) = 'F';
    *scene_sent(&works, -1, 1) = 'J';
    assert_memory_equal(work.p, "FghiJ", 5);
}

static void reset_at_reply(struct scene *scene)
{
    if (scene->event == ON_MESSAGE && scene->sound && !scene->call)
        mutant_reset(scene);
}

static void reset_at_call(struct scene *scene)
{
    if (scene->event == ON_MESSAGE && scene->sound && scene->call)
        mutant_reset(scene);
}

static void reset_when_chunks_are_there(struct scene *scene)
{
    if (scene->event == ON_MESSAGE && scene->call && !scene->sent)
        mutant_reset(scene);
}

/* For either side and any message: the Call is lost, but only once. */
UNIT_TEST(a_reset_ends_a_call_once)
{
    static const struct {
        struct misbehaviour how;
        unsigned side;
    } rows[] = {{{.events = 1 << ON_MESSAGE, .play = reset_at_reply}, CLIENT},
                {{.events = 1 << ON_MESSAGE, .play = reset_at_call}, SERVER},
                {{.events = 1 << ON_MESSAGE, .play = reset_when_chunks_are_there}, SERVER}};
    const struct rpc_end_options options = ends_options(4096, 4);
    const struct rpc_sample sample = {.procedure = "nfs3.write", .fields = "len=3000"};

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct rpc_ends_call *call;
        struct rpc_ends ends;
        struct mutant mutant;

        ends_open(&ends, &options, &options);
        mutant_attach_rpc(&mutant, &rows[i].how, ends.side[rows[i].side].end);
        call = ends_call(&ends, CLIENT, &sample, &(struct rpc_end_how){.reduce = true});
        ends_run(&ends);
        assert_int_equal(call->replied, 1);
        assert_int_equal(call->result, RPC_END_LOST);
        ends_close(&ends);
    }
}
