// SPDX-License-Identifier: GPL-2.0-or-later
/* The learner on known machines: random, with reliable answers or without. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/learn/learner.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

enum { INPUTS = 5, OUTPUTS = 3, MACHINES = 40, SLOW_AT = 30 };

static const char *const names[INPUTS] = {"a", "b", "c", "d", "e"};

/* A device, and its misbehaviour. */
struct subject {
    struct machine machine;
    GRand *random;
    unsigned wrong_in;  /* one answer in this many is wrong; 0: none */
    unsigned impatient; /* if the patience is less, it answers nothing, and late */
    bool overlooked;    /* in haste its answer to the first input is missed */
    unsigned asked, alone;
};

/* The last state is the end of the connection. */
static void draw(struct subject *subject, unsigned seed, unsigned n_states)
{
    static const char *const outputs[OUTPUTS] = {"x", "y", "z"};
    struct machine *machine = &subject->machine;

    *subject = (struct subject){.random = g_rand_new_with_seed(seed)};
    machine->n_inputs = INPUTS;
    machine->n_states = n_states;
    for (unsigned i = 0; i < INPUTS; i++)
        machine->inputs[i] = g_intern_static_string(names[i]);
    for (unsigned state = 0; state < n_states; state++)
        for (unsigned i = 0; i < INPUTS; i++) {
            struct machine_edge *edge = &machine->edges[state][i];

            edge->next = (unsigned)g_rand_int_range(subject->random, 0, (gint32)n_states);
            edge->output = g_intern_static_string(outputs[g_rand_int_range(subject->random, 0, OUTPUTS)]);
            if (state + 1 == n_states)
                *edge = (struct machine_edge){state, answers_over()};
        }
}

static void answer(struct subject *subject, const struct word *word, struct answer *out, unsigned patience)
{
    const struct machine *machine = &subject->machine;
    unsigned state = 0;

    for (unsigned i = 0; i < word->n && !out->over; i++) {
        const struct machine_edge *edge = &machine->edges[state][word->input[i]];

        out->output[out->n++] = edge->output;
        state = edge->next;
        out->over = state + 1 == machine->n_states;
        if (patience < subject->impatient) {
            out->output[i] = g_intern_static_string("-");
            out->slow |= subject->asked > SLOW_AT;
        }
    }
    if (subject->wrong_in > 0 && out->n > 0 && g_rand_int_range(subject->random, 0, (gint32)subject->wrong_in) == 0)
        out->output[g_rand_int_range(subject->random, 0, (gint32)out->n)] = g_intern_static_string("wrong");
}

/* Something can still be learned, and the connection is not over before. */
static void assert_known_part(const struct subject *subject, const struct question *question)
{
    const char *outputs[WORD_MAX];
    struct word part = question->word;

    assert_true(question->n_known < question->word.n);
    if (subject->wrong_in > 0 || subject->impatient > 0 || subject->overlooked)
        return;
    part.n = question->n_known;
    assert_true(machine_run(&subject->machine, &part, outputs) + 1 < subject->machine.n_states || part.n == 0);
    assert_memory_equal(outputs, question->known, part.n * sizeof *outputs);
}

static void overlook(const struct subject *subject, const struct question *question, struct answer *out)
{
    for (unsigned i = question->n_known; subject->overlooked && i < out->n; i++)
        if (question->word.input[i] == 0)
            out->output[i] = g_intern_static_string("-");
}

static bool ask(void *ctx, const struct question *questions, struct answer *answers, unsigned n,
                const struct manner *manner, char **why)
{
    struct subject *subject = ctx;

    for (unsigned i = 0; i < n; i++) {
        answer(subject, &questions[i].word, &answers[i], manner->patience);
        if (manner->patience == IN_HASTE) {
            assert_known_part(subject, &questions[i]);
            overlook(subject, &questions[i], &answers[i]);
        }
        subject->asked++;
        subject->alone += manner->alone;
    }
    return true;
}

static bool learn(struct subject *subject, struct machine *found, char **why)
{
    const struct asker asker = {ask, subject};
    const struct learner_options options = {.checks = 500, .seed = 1};
    struct answers *answers;
    bool good;

    *found = (struct machine){.n_inputs = INPUTS, .device = "it"};
    memcpy(found->inputs, subject->machine.inputs, sizeof found->inputs);
    answers = answers_new(INPUTS, found->inputs, &asker);
    good = learner_infer(found, answers, &options, why);
    answers_free(answers);
    g_rand_free(subject->random);
    return good;
}

static void assert_learnt(struct subject *subject)
{
    g_autofree struct machine *found = g_new0(struct machine, 1);
    g_autofree char *why = NULL;
    struct word word;

    assert_true(learn(subject, found, &why));
    assert_false(machine_differ(found, &subject->machine, &word));
    assert_false(machine_differ(&subject->machine, found, &word));
    assert_true(found->n_states <= subject->machine.n_states);
}

UNIT_TEST(test_random_machines)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);

    for (unsigned seed = 0; seed < MACHINES; seed++) {
        draw(subject, seed, 2 + seed % 9);
        assert_learnt(subject);
    }
}

/* States that differ only after inputs with equal outputs. */
UNIT_TEST(test_deep_difference)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);
    struct machine *machine = &subject->machine;

    draw(subject, 7, 4);
    for (unsigned at = 0; at < 3; at++)
        for (unsigned i = 0; i < INPUTS; i++)
            machine->edges[at][i] = (struct machine_edge){i == 0 ? (at + 1) % 3 : 0, g_intern_static_string("x")};
    machine->edges[2][1].output = g_intern_static_string("y");
    assert_learnt(subject);
}

UNIT_TEST(test_some_answers_are_wrong)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);

    for (unsigned seed = 0; seed < MACHINES; seed++) {
        draw(subject, seed, 5);
        subject->wrong_in = 200;
        assert_learnt(subject);
    }
}

UNIT_TEST(test_slow_device_is_asked_again)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);

    draw(subject, 3, 5);
    subject->impatient = 4;
    assert_learnt(subject);
}

/* Haste makes no states and no answers. */
UNIT_TEST(test_what_is_overlooked_in_haste_is_found)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);

    for (unsigned seed = 0; seed < MACHINES; seed++) {
        draw(subject, seed, 2 + seed % 5);
        subject->overlooked = true;
        assert_learnt(subject);
    }
}

/*
 * Like a device whose connections mostly end: nothing is asked after an end, and every output of the machine once
 * alone.
 */
UNIT_TEST(test_questions_are_few)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);
    struct machine *machine = &subject->machine;

    draw(subject, 1, 3);
    for (unsigned i = 1; i < INPUTS; i++) {
        machine->edges[0][i].next = 2;
        machine->edges[1][i].next = 2;
    }
    machine->edges[0][0] = (struct machine_edge){1, g_intern_static_string("w")};
    machine->edges[1][0] = (struct machine_edge){1, g_intern_static_string("v")};
    assert_learnt(subject);
    assert_true(subject->alone >= 2 * INPUTS - 1 && subject->alone <= 2 * INPUTS);
    assert_true(subject->asked <= 60);
}

UNIT_TEST(test_no_machine_explains_it)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);
    g_autofree struct machine *found = g_new0(struct machine, 1);
    g_autofree char *why = NULL;

    draw(subject, 3, 5);
    subject->wrong_in = 2;
    assert_false(learn(subject, found, &why));
    assert_non_null(strstr(why, "the device's answers vary: to \""));
}

UNIT_TEST(test_difference_is_a_shortest_one)
{
    g_autofree struct subject *a = g_new0(struct subject, 1), *b = g_new0(struct subject, 1);
    g_autoptr(GString) text = g_string_new(NULL);
    struct word word;

    draw(a, 5, 4);
    a->machine.edges[0][2] = (struct machine_edge){1, g_intern_static_string("x")};
    a->machine.edges[1][3].output = g_intern_static_string("y");
    *b = *a;
    b->machine.edges[1][3].output = g_intern_static_string("z");
    for (unsigned i = 0; i < INPUTS; i++)
        if (i != 2)
            a->machine.edges[0][i].next = b->machine.edges[0][i].next = 0;
    assert_true(machine_differ(&a->machine, &b->machine, &word));
    word_text(&word, names, text);
    assert_string_equal(text->str, "c, d");
    g_rand_free(a->random);
}

/* ---- files ---- */

static void write_to(const char *path, const struct machine *machine)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    machine_json(machine, out);
    assert_int_equal(fclose(out), 0);
}

UNIT_TEST(test_file)
{
    g_autofree struct subject *subject = g_new0(struct subject, 1);
    g_autofree struct machine *found = g_new0(struct machine, 1), *loaded = NULL;
    g_autofree char *why = NULL, *path = g_build_filename(g_get_tmp_dir(), "iwarp-learner-XXXXXX", NULL);
    g_autoptr(GError) error = NULL;
    int fd = g_mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    draw(subject, 11, 6);
    assert_true(learn(subject, found, &why));
    write_to(path, found);
    loaded = machine_load(path, &error);
    assert_non_null(loaded);
    assert_int_equal(loaded->n_states, found->n_states);
    assert_memory_equal(loaded->access, found->access, sizeof found->access);
    for (unsigned i = 0; i < found->n_states; i++)
        assert_memory_equal(loaded->edges[i], found->edges[i], INPUTS * sizeof(struct machine_edge));
    g_unlink(path);
}

UNIT_TEST(test_other_files)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"format\":\"iwarp-gen learn 1\",\"device\":\"d\",\"inputs\":[],\"states\":[]}",
        "{\"format\":\"iwarp-gen learn 1\",\"device\":\"d\",\"inputs\":[\"a\"],"
        "\"states\":[{\"after\":[],\"edges\":[{\"output\":\"x\",\"next\":1}]}]}",
        "{\"format\":\"iwarp-gen learn 1\",\"device\":\"d\",\"inputs\":[\"a\"],"
        "\"states\":[{\"after\":[\"b\"],\"edges\":[{\"output\":\"x\",\"next\":0}]}]}",
        "{\"format\":\"iwarp-gen learn 1\",\"device\":\"d\",\"inputs\":[3],"
        "\"states\":[{\"after\":[],\"edges\":[{\"output\":\"x\",\"next\":0}]}]}",
        "{\"format\":\"iwarp-gen learn 2\",\"device\":\"d\",\"inputs\":[\"a\"],"
        "\"states\":[{\"after\":[],\"edges\":[{\"output\":\"x\",\"next\":0}]}]}",
    };
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "iwarp-learner-XXXXXX", NULL);
    int fd = g_mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;

        assert_true(g_file_set_contents(path, texts[i], -1, NULL));
        assert_null(machine_load(path, &error));
        assert_non_null(strstr(error->message, "not a machine of 'iwarp-gen learn --format=json'"));
    }
    g_unlink(path);
}
