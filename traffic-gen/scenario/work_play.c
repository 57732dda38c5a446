// SPDX-License-Identifier: GPL-2.0-or-later
/* Connects both ends in memory first, and then plays them in the simulated network. */
#include "traffic-gen/ends/stack/pair_roce.h"
#include "traffic-gen/scenario/work.h"

enum { STEPS_MAX = 10000000, PORT = 40001, TICK_NS = 100000000, TICKS_MAX = 3000 };

static const int64_t start_ns = INT64_C(1700000000) * 1000000000;

static struct conversation *connect(struct stage *stage, const struct work_connection *connection,
                                    struct conversation *before)
{
    struct conversation_setup setup = {
        .responder_opens = connection->responder_opens,
        .mss = {connection->mss, connection->mss},
        .service_port = connection->port,
    };

    for (unsigned role = 0; role < 2; role++)
        setup.isn[(role == RESPONDER) != setup.responder_opens] = connection->isn[role];
    if (before && !connection->parallel) {
        setup.after = before;
        setup.port = PORT;
    }
    return conversation_new(stage, &setup);
}

static bool scenario_work_play_run(struct pair *pair, const struct work *work, char **error)
{
    if (pair_run(pair, STEPS_MAX))
        return true;
    *error = g_strdup_printf("%s:1: the ends do not come to rest", work->name);
    return false;
}

static bool scenario_work_play_trouble(struct work_end *const ends[2], char **error)
{
    for (unsigned role = 0; role < 2 && !*error; role++)
        *error = g_strdup(work_end_trouble(ends[role]));
    return *error;
}

static bool scenario_work_play(const struct work *work, unsigned number, struct pair *pair,
                               struct work_end *const ends[2], char **error)
{
    const struct work_connection *connection = &g_array_index(work->connections, struct work_connection, number);

    work_end_start(ends[RESPONDER]);
    work_end_start(ends[INITIATOR]);
    if (!scenario_work_play_run(pair, work, error))
        return false;
    for (unsigned i = 0; i < connection->n_rounds; i++) {
        const struct work_round *round = &g_array_index(work->rounds, struct work_round, connection->round + i);

        if (round->wait_ns > 0)
            pair_wait(pair, round->wait_ns);
        work_end_next(ends[INITIATOR]);
        work_end_next(ends[RESPONDER]);
        if (!scenario_work_play_run(pair, work, error) || scenario_work_play_trouble(ends, error))
            return false;
    }
    for (unsigned i = 0; i < TICKS_MAX && work_end_busy(ends[INITIATOR]); i++) {
        pair_wait(pair, TICK_NS);
        if (!scenario_work_play_run(pair, work, error))
            return false;
    }
    if (work_end_busy(ends[INITIATOR])) {
        *error = g_strdup_printf("%s:1: the client does not come to an end", work->name);
        return false;
    }
    work_end_next(ends[INITIATOR]);
    return scenario_work_play_run(pair, work, error) && !scenario_work_play_trouble(ends, error);
}

/* CONNECTION-SIDE-REGION */
static bool scenario_work_play_write_memory(const struct work *work, unsigned number, struct work_end *const ends[2],
                                            const char *folder, char **error)
{
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        for (unsigned i = 0; i < work->regions[role]->len; i++) {
            const struct work_region *region = &g_array_index(work->regions[role], struct work_region, i);
            g_autofree char *name = g_strdup_printf("%s/%u-%s-%s", folder, number + 1,
                                                    role == INITIATOR ? "initiator" : "responder", region->name);
            g_autoptr(GError) why = NULL;

            if (!g_file_set_contents(name, (const char *)work_end_region(ends[role], i), (gssize)region->octets,
                                     &why)) {
                *error = g_strdup(why->message);
                return false;
            }
        }
    }
    return true;
}

/* Plays the ends' messages on the conversation's carrier. */
static bool say_pair(const struct work *work, const struct pair *pair, const struct conversation *c, char **error)
{
    const char *impossible = c->rc ? pair_play_roce(pair, c->rc) : NULL;

    if (c->tcp)
        pair_play(pair, c->tcp, c->side[INITIATOR]);
    if (impossible)
        *error = g_strdup_printf("%s:1: %s", work->name, impossible);
    return !impossible;
}

bool work_play(const struct work *work, struct stage *stage, char **error)
{
    struct conversation *before = NULL;
    bool good = true;

    *error = NULL;
    for (unsigned i = 0; i < work->connections->len && good; i++) {
        struct conversation *c = connect(stage, &g_array_index(work->connections, struct work_connection, i), before);
        struct pair *pair = pair_new((uint16_t)c->emss, start_ns);
        struct work_end *ends[2];

        for (enum role role = INITIATOR; role <= RESPONDER; role++) {
            ends[role] = work_end_new(work, i, role, pair_stream(pair, role), NULL);
            work_end_lead(ends[role]);
            work_end_attach(ends[role], pair, role);
        }
        good = scenario_work_play(work, i, pair, ends, error) &&
               (!stage->memory_folder || scenario_work_play_write_memory(work, i, ends, stage->memory_folder, error));
        good = good && say_pair(work, pair, c, error);
        work_end_free(ends[INITIATOR]);
        work_end_free(ends[RESPONDER]);
        pair_free(pair);
        before = c;
    }
    return good;
}
