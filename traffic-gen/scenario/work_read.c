// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads connections and their rounds; both sides post the work of a round at the same time. */
#include "traffic-gen/scenario/work_read.h"

#include "traffic-gen/speak/say/script.h"

#include <string.h>

struct work_reading {
    struct work *work;
    enum role last;  /* the side of the previous item */
    uint64_t octets; /* total of all messages so far */
};

void work_read_fields(struct words *words, const struct work_field *fields, size_t n, const char *suffix,
                      void *structure)
{
    for (size_t i = 0; i < n; i++) {
        const struct work_field *field = &fields[i];
        const struct words_place place = {(uint8_t *)structure + field->offset, (unsigned)field->size};
        g_autofree char *name = g_strconcat(field->name, suffix, NULL);

        if (field->max == 1 && !*suffix && words_have(words, name))
            words_set(&place, 1);
        if (words_given(words, name))
            words_set(&place, words_number_within(words, name, 0, field->min, field->max));
    }
}

void work_refuse_verb(struct words *words, const char *names)
{
    g_autofree char *why = g_strdup_printf("allowed here: %s", names);

    words_refuse_because(words, verb_name(words->statement->verb), why);
}

/* ---- connections ---- */

static struct work_connection *work_read_latest(const struct work *work)
{
    return &g_array_index(work->connections, struct work_connection, work->connections->len - 1);
}

static void work_read_begin(struct work_reading *r, struct words *words)
{
    struct work *work = r->work;
    struct work_connection connection;

    if (!words_have(words, "work"))
        words_refuse_because(words, "with", "either all connections are of real ends ('with work'), or none is");
    work_read_connection(words, work, &connection);
    connection.round = work->rounds->len;
    g_array_append_val(work->connections, connection);
}

static void work_read_with(struct work_reading *r, struct words *words)
{
    if (r->work->connections->len > 0)
        words_refuse_because(words, "with", "the connection has begun; 'next with' begins another one");
    words_number_within(words, "mtu", 0, SCRIPT_MTU_MIN, SCRIPT_MTU_MAX); /* scenario_source_mtu() */
    work_read_begin(r, words);
}

static void work_read_next(struct work_reading *r, struct words *words)
{
    struct work *work = r->work;
    bool parallel = words_have(words, "parallel");

    if (work->connections->len >= WORK_CONNECTIONS_MAX) {
        words_refuse_because(words, "next", "more than 1000 connections");
        return;
    }
    if (words_have(words, "with")) {
        work_read_begin(r, words);
    } else {
        struct work_connection connection = *work_read_latest(work);

        connection.round = work->rounds->len;
        connection.n_rounds = 0;
        g_array_append_val(work->connections, connection);
    }
    work_read_latest(work)->parallel = parallel;
}

/* ---- rounds ---- */

/* Whether the statement waits for all earlier work. */
static bool work_read_waits(const struct work_reading *r, struct words *words, int64_t *wait_ns)
{
    bool early = words_have(words, "early"), acked = words_have(words, "acked");

    return words_wait(words, wait_ns) || acked || (words->statement->role != r->last && !early);
}

static struct work_round *work_read_round(struct work_reading *r, struct words *words)
{
    struct work *work = r->work;
    struct work_connection *connection = work_read_latest(work);
    struct work_round round = {.from = {work->items[INITIATOR]->len, work->items[RESPONDER]->len}};
    /* An NFS client does its jobs one at a time. */
    bool waits = !connection->nfs.on && work_read_waits(r, words, &round.wait_ns);

    if (waits || connection->n_rounds == 0) {
        g_array_append_val(work->rounds, round);
        connection->n_rounds++;
    }
    return &g_array_index(work->rounds, struct work_round, work->rounds->len - 1);
}

static void work_read_item(struct work_reading *r, struct words *words)
{
    const struct statement *statement = words->statement;
    struct work *work = r->work;
    bool nfs = work_read_latest(work)->nfs.on;
    struct work_item item = nfs ? work_read_job(words, work) : work_read_post(words, work);
    struct work_round *round;

    r->octets += (item.post.n + item.job.octets) * statement->times;
    if (r->octets > WORK_OCTETS_MAX)
        words_refuse_because(words, verb_name(statement->verb), "all messages together have more than 256 MiB");
    if (!words_good(words))
        return;
    item.line = statement->line;
    item.number = statement->number;
    round = work_read_round(r, words);
    round->n[statement->role] += statement->times;
    for (unsigned i = 0; i < statement->times; i++)
        g_array_append_val(work->items[statement->role], item);
    r->last = statement->role;
}

/* ---- the whole script ---- */

static void work_read_regions(struct work_reading *r, struct words *words)
{
    const struct statement *statement = words->statement;

    if (statement->times > 1)
        words_refuse_because(words, "memory", "each region has a name of its own");
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        if (statement->is_of_both || statement->role == role)
            work_read_memory(words, r->work, role);
    }
}

static void work_read_statement(struct work_reading *r, struct words *words)
{
    static const struct {
        const char *verb;
        void (*read)(struct work_reading *r, struct words *words);
    } others[] = {{"with", work_read_with}, {"next", work_read_next}, {"memory", work_read_regions}};
    const char *verb = verb_name(words->statement->verb);

    if (r->work->connections->len == 0 && strcmp(verb, "with") != 0) {
        words_refuse_because(words, verb, "'with work' is before it");
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
        if (strcmp(others[i].verb, verb) == 0) {
            others[i].read(r, words);
            return;
        }
    }
    work_read_item(r, words);
}

struct work *work_read(const char *name, const GPtrArray *statements, char **error)
{
    struct work_reading r = {.work = work_new(name)};

    *error = NULL;
    if (statements->len == 0)
        *error = statement_trouble(name, 1, 1, "'with work' is missing");
    for (unsigned i = 0; i < statements->len && !*error; i++) {
        struct words words = words_of(statements->pdata[i], name, error);

        work_read_statement(&r, &words);
        words_end(&words);
    }
    if (!*error)
        return r.work;
    work_free(r.work);
    return NULL;
}
