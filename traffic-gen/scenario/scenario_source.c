// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_source.h"

#include "support/closest.h"
#include "traffic-gen/scenario/work_read.h"
#include "traffic-gen/speak/say/deviation.h"
#include "traffic-gen/speak/say/script.h"

#include <stdint.h>
#include <string.h>

static const char script_name[] = "script";

/* ---- text ---- */

/* The word of this name in the statement that the first connection begins with; NULL: there is none. */
static const struct word *word_of_start(const struct scenario_source *source, const char *name)
{
    const struct statement *first =
        source->statements && source->statements->len > 0 ? source->statements->pdata[0] : NULL;

    for (unsigned i = 0; first && strcmp(verb_name(first->verb), "with") == 0 && i < first->words->len; i++) {
        const struct word *word = &g_array_index(first->words, struct word, i);

        if (strcmp(word->name, name) == 0)
            return word;
    }
    return NULL;
}

static void source_read_statements(struct scenario_source *source, const char *text, unsigned count, char **error)
{
    source->statements = script_parse_counted(source->place, text, count, &source->counted, error);
    if (word_of_start(source, "work"))
        source->work = work_read(source->place, source->statements, error);
}

/* Ends the last line with a newline, so that messages about a file with a single line name that line. */
static void read_lines(struct scenario_source *source, const char *text, unsigned count, char **error)
{
    g_autofree char *lines = g_strconcat(text, "\n", NULL);

    source_read_statements(source, lines, count, error);
}

static void source_read_file(struct scenario_source *source, unsigned count, char **error)
{
    const char *path = source->place;
    g_autoptr(GError) why = NULL;
    g_autofree char *text = NULL;
    gsize n;

    source->scenario = &source->own;
    source->is_file = true;
    if (!g_file_get_contents(path, &text, &n, &why))
        *error = g_strdup(why->message);
    else if (n > SCRIPT_OCTETS_MAX)
        *error = g_strdup_printf("%s: more than %d octets", path, SCRIPT_OCTETS_MAX);
    else if (strlen(text) != n)
        *error = g_strdup_printf("%s: a null octet is no text", path);
    else
        read_lines(source, text, count, error);
}

/* Finds a built-in scenario. */
static void source_read_known(struct scenario_source *source, unsigned count, char **error)
{
    const struct scenario *scenario = source->scenario;
    g_autofree char *written = scenario->write ? scenario->write(count) : NULL;

    source->place = g_strconcat(scenario->name, scenario->script ? ".scenario" : "", NULL);
    if (scenario->script)
        source_read_statements(source, scenario->script, count, error);
    else if (written)
        source->statements = script_parse_own(source->place, written, error);
    source->counted |= scenario->write != NULL;
}

/* Reads the scenario of --script. */
static void read_script(struct scenario_source *source, const char *script, unsigned count, char **error)
{
    source->scenario = &source->own;
    source->own.script = script;
    source->place = g_strdup(script_name);
    if (script)
        source_read_statements(source, script, count, error);
    else
        *error = g_strdup("the scenario script needs --script=TEXT, what is said (see: man iwarp-scenario)");
}

bool scenario_source_load(struct scenario_source *source, const char *name, const char *script, unsigned count,
                          char **error)
{
    *error = NULL;
    *source = (struct scenario_source){.own = {.name = name}, .scenario = scenario_find(name)};
    if (strcmp(name, script_name) == 0) {
        read_script(source, script, count, error);
    } else if (source->scenario) {
        source_read_known(source, count, error);
    } else if (g_str_has_suffix(name, ".scenario")) {
        source->place = g_strdup(name);
        source_read_file(source, count, error);
    }
    return !*error;
}

void scenario_source_clear(struct scenario_source *source)
{
    g_clear_pointer(&source->work, work_free);
    g_clear_pointer(&source->statements, g_ptr_array_unref);
    g_clear_pointer(&source->place, g_free);
}

/* ---- faults and carriers ---- */

bool scenario_source_takes(const struct scenario_source *source, const struct fault *fault)
{
    if (fault->script)
        return strcmp(fault->scenario, source->scenario->name) == 0;
    return !source->work;
}

char *scenario_source_refusal(const struct scenario_source *source, const struct fault *fault)
{
    const char *why = "has no place for it";

    if (source->work)
        why = "is played by two real ends, which keep all rules";
    return g_strdup_printf("--inject: fault %s is made for scenario %s, and %s %s; try: iwarp-gen play %s --inject=%s",
                           fault->id, fault->scenario, source->scenario->name, why, fault->scenario, fault->id);
}

/* Whether it speaks RPC-over-RDMA from its first connection on. */
static bool speaks_rpc(const struct scenario_source *source)
{
    return word_of_start(source, "rpcrdma") || word_of_start(source, "nfs");
}

static bool is_work_of_nfs(const struct work *work)
{
    for (unsigned i = 0; i < work->connections->len; i++) {
        if (!g_array_index(work->connections, struct work_connection, i).nfs.on)
            return false;
    }
    return true;
}

static bool is_for_roce(const struct scenario_source *source)
{
    if (source->work)
        return is_work_of_nfs(source->work);
    return source->statements ? speaks_rpc(source) : source->scenario->rpc;
}

char *scenario_source_roce_refusal(const struct scenario_source *source, const struct fault *fault)
{
    if (fault) {
        const char *layer = fault_layer_below(fault), *why = fault->not_on_roce;

        if (layer)
            return g_strdup_printf("--inject: %s is a fault of %s; it does not exist on RoCE", fault->id, layer);
        if (why)
            return g_strdup_printf("--inject: %s cannot be shown on RoCE: %s", fault->id, why);
        if (fault->script)
            return NULL;
    }
    if (is_for_roce(source))
        return NULL;
    return g_strdup_printf("--transport=roce: %s is not about RPC-over-RDMA; what it shows does not exist on RoCE",
                           source->scenario->name);
}

unsigned scenario_source_mtu(const struct scenario_source *source)
{
    const struct word *said = word_of_start(source, "mtu");

    /* Others are refused when they are played. */
    if (said && said->is_number && said->number >= SCRIPT_MTU_MIN && said->number <= SCRIPT_MTU_MAX)
        return (unsigned)said->number;
    return 1500;
}

static bool play_script(struct stage *stage, const char *name, const char *script, char **error)
{
    g_autoptr(GPtrArray) statements = script_parse(name, script, error);

    return statements && script_play(stage, name, statements, error);
}

static bool play_deviation(const struct scenario_source *source, const struct fault *fault, struct stage *stage,
                           char **error)
{
    struct deviation *deviation = deviation_parse(fault->id, fault->deviation, error);
    bool good;

    if (!deviation)
        return false;
    stage->deviation = deviation;
    good = scenario_source_play(source, NULL, stage, error);
    stage->deviation = NULL;
    deviation_free(deviation);
    return good;
}

bool scenario_source_play(const struct scenario_source *source, const struct fault *fault, struct stage *stage,
                          char **error)
{
    if (fault && fault->deviation)
        return play_deviation(source, fault, stage, error);
    stage->deviated |= fault != NULL;
    if (fault && fault->script)
        return play_script(stage, fault->id, fault->script, error);
    if (source->work)
        return work_play(source->work, stage, error);
    if (source->statements)
        return script_play(stage, source->place, source->statements, error);
    source->scenario->play(stage);
    return true;
}

static char *fault_hint(const char *id)
{
    struct closest closest = closest_to(id, SIZE_MAX);
    const struct fault *fault;

    for (unsigned i = 0; (fault = fault_at(i)); i++)
        closest_consider(&closest, fault->id);
    return closest_hint(&closest, " (see: iwarp-gen list faults)");
}

GPtrArray *faults_of_list(const char *ids, char **error)
{
    g_auto(GStrv) parts = g_strsplit(ids, ",", -1);
    GPtrArray *faults = g_ptr_array_new();

    if (!parts[0])
        *error = g_strdup("--inject: no fault is named (see: iwarp-gen list faults)");
    for (unsigned i = 0; parts[i]; i++) {
        const struct fault *fault = fault_find(g_strstrip(parts[i]));

        if (!fault) {
            g_autofree char *hint = fault_hint(parts[i]);

            *error = g_strdup_printf("no fault '%s'%s", parts[i], hint);
            g_ptr_array_unref(faults);
            return NULL;
        }
        g_ptr_array_add(faults, (gpointer)fault);
    }
    if (faults->len > 0)
        return faults;
    g_ptr_array_unref(faults);
    return NULL;
}
