// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/scenario_source.h"

#include "support/closest.h"
#include "traffic-gen/say/deviation.h"
#include "traffic-gen/say/script.h"
#include "traffic-gen/scenario/work.h"

#include <stdint.h>
#include <string.h>

static bool names_file(const char *name)
{
    return g_str_has_suffix(name, ".yaml") || g_str_has_suffix(name, ".yml");
}

bool scenario_source_load(struct scenario_source *source, const char *name, const char *script, unsigned count,
                          char **error)
{
    static const char script_name[] = "script";

    *error = NULL;
    *source = (struct scenario_source){.own = {.name = name}};
    if (script && strcmp(name, script_name) == 0) {
        source->own.script = script;
        source->scenario = &source->own;
        return true;
    }
    if (strcmp(name, script_name) == 0) {
        *error = g_strdup("the scenario script needs --script=TEXT, what is said (see: man iwarp-gen-script)");
        return false;
    }
    source->scenario = scenario_find(name);
    if (!source->scenario && names_file(name)) {
        source->yaml = scenario_file_load(name, count, error);
        source->scenario = &source->own;
    } else if (source->scenario && source->scenario->yaml) {
        g_autofree char *place = g_strdup_printf("%s.yaml", name);

        source->yaml = scenario_file_parse(place, source->scenario->yaml, strlen(source->scenario->yaml), count, error);
    }
    return !*error;
}

void scenario_source_clear(struct scenario_source *source)
{
    scenario_file_free(source->yaml);
    source->yaml = NULL;
}

bool scenario_source_works(const struct scenario_source *source)
{
    return source->yaml && scenario_file_work(source->yaml);
}

bool scenario_source_takes(const struct scenario_source *source, const struct fault *fault)
{
    if (fault->script)
        return strcmp(fault->scenario, source->scenario->name) == 0;
    return !scenario_source_works(source);
}

char *scenario_source_refusal(const struct scenario_source *source, const struct fault *fault)
{
    const char *why = "has no place for it";

    if (scenario_source_works(source))
        why = "is played by two real ends, which keep all rules";
    return g_strdup_printf("--inject: fault %s is made for scenario %s, and %s %s; try: iwarp-gen play %s --inject=%s",
                           fault->id, fault->scenario, source->scenario->name, why, fault->scenario, fault->id);
}

/* It speaks RPC-over-RDMA from its first connection on. */
static bool speaks_rpc(const GPtrArray *statements)
{
    const struct statement *first = statements && statements->len > 0 ? statements->pdata[0] : NULL;

    for (unsigned i = 0; first && strcmp(verb_name(first->verb), "with") == 0 && i < first->words->len; i++) {
        const char *name = g_array_index(first->words, struct word, i).name;

        if (strcmp(name, "rpcrdma") == 0 || strcmp(name, "nfs") == 0)
            return true;
    }
    return false;
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
    g_autoptr(GPtrArray) statements = NULL;
    g_autofree char *error = NULL;

    if (scenario_source_works(source))
        return is_work_of_nfs(scenario_file_work(source->yaml));
    if (source->yaml)
        return speaks_rpc(scenario_file_statements(source->yaml));
    if (source->scenario->play)
        return source->scenario->rpc;
    if (source->scenario->script)
        statements = script_parse(source->scenario->name, source->scenario->script, &error);
    return error || speaks_rpc(statements); /* what cannot be read is reported when it is played */
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

bool scenario_source_is_counted(const struct scenario_source *source)
{
    return source->yaml ? scenario_file_is_counted(source->yaml) : source->scenario && source->scenario->write;
}

unsigned scenario_source_mtu(const struct scenario_source *source)
{
    if (source->yaml && scenario_file_mtu(source->yaml))
        return scenario_file_mtu(source->yaml);
    return source->scenario->mtu ? source->scenario->mtu : 1500;
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
    g_autofree char *written = NULL;

    if (fault && fault->deviation)
        return play_deviation(source, fault, stage, error);
    stage->deviated |= fault != NULL;
    if (fault && fault->script)
        return script_play(stage, fault->id, fault->script, error);
    if (scenario_source_works(source))
        return work_play(scenario_file_work(source->yaml), stage, error);
    if (source->yaml)
        return scenario_file_play(source->yaml, stage, error);
    if (source->scenario->play) {
        source->scenario->play(stage);
        return true;
    }
    if (source->scenario->write)
        written = source->scenario->write(stage->count);
    return script_play(stage, source->scenario->name, written ? written : source->scenario->script, error);
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
