// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Work of real ends. Either a one-line message names the mistake and its place, or there is work with valid references.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/scenario/work_read.h"

static void check_work(const struct work *work)
{
    unsigned rounds = 0;

    HOLDS(work->connections->len > 0 && work->connections->len <= WORK_CONNECTIONS_MAX);
    HOLDS(work->rounds->len <= SCRIPT_STATEMENTS_MAX);
    for (unsigned i = 0; i < work->connections->len; i++) {
        const struct work_connection *c = &g_array_index(work->connections, struct work_connection, i);

        HOLDS(c->round == rounds);
        rounds += c->n_rounds;
    }
    HOLDS(rounds == work->rounds->len);
    for (unsigned i = 0; i < work->rounds->len; i++) {
        const struct work_round *round = &g_array_index(work->rounds, struct work_round, i);

        for (unsigned role = 0; role < 2; role++)
            HOLDS(round->n[role] == 0 || round->from[role] + round->n[role] <= work->items[role]->len);
    }
    for (unsigned role = 0; role < 2; role++) {
        for (unsigned i = 0; i < work->items[role]->len; i++) {
            const struct work_item *item = &g_array_index(work->items[role], struct work_item, i);
            const struct work_region *region = NULL;

            HOLDS(item->number > 0);
            HOLDS((item->kind != WORK_JOB && item->kind != WORK_CHANGE) || item->job.kind < NFS_JOBS);
            if (item->kind == WORK_POST && item->from >= 0) {
                HOLDS((unsigned)item->from < work->regions[role]->len);
                region = &g_array_index(work->regions[role], struct work_region, item->from);
                HOLDS(item->from_offset <= region->octets && item->post.n <= region->octets - item->from_offset);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL;
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GPtrArray) statements = script_parse("x.scenario", text, &error);
    struct work *work = statements ? work_read("x.scenario", statements, &error) : NULL;

    HOLDS((work == NULL) == (error != NULL));
    if (work) {
        check_work(work);
        work_free(work);
    } else {
        HOLDS(strncmp(error, "x.scenario:", 11) == 0 || strncmp(error, "x.scenario, statement ", 22) == 0);
        HOLDS(!strchr(error, '\n'));
        g_free(error);
    }
    return 0;
}
