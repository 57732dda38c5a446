// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/model.h"

#include "traffic-gen/tester/suite/run/case.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <stdlib.h>
#include <string.h>

const struct pairs_model *const pairs_models[] = {&pairs_startup, &pairs_reply, &pairs_geometry, &pairs_chunks, NULL};

const struct pairs_model *pairs_model_named(const char *name)
{
    for (unsigned i = 0; pairs_models[i]; i++) {
        if (strcmp(pairs_models[i]->name, name) == 0)
            return pairs_models[i];
    }
    return NULL;
}

int pairs_value(const struct pairs_model *model, unsigned parameter, const char *text)
{
    for (unsigned i = 0; i < model->parameters[parameter].n; i++) {
        if (strcmp(model->parameters[parameter].values[i], text) == 0)
            return (int)i;
    }
    return COVERING_OPEN;
}

bool pairs_is(const struct pairs_model *model, const int *vector, unsigned parameter, const char *text)
{
    return vector[parameter] == pairs_value(model, parameter, text);
}

unsigned pairs_number(const struct pairs_model *model, const int *vector, unsigned parameter)
{
    return (unsigned)strtoul(model->parameters[parameter].values[vector[parameter]], NULL, 10);
}

bool pairs_is_absent(const struct pairs_model *model, unsigned parameter, int value)
{
    return strcmp(model->parameters[parameter].values[value], PAIRS_ABSENT) == 0;
}

static bool model_is_there(const struct pairs_condition *condition, const int *vector)
{
    return condition->values & 1U << vector[condition->of];
}

bool pairs_has(const struct pairs_values *some, const int *vector)
{
    for (unsigned i = 0; i < COVERING_PARAMETERS_MAX; i++) {
        if (some->parameters & UINT32_C(1) << i && some->values[i] != vector[i])
            return false;
    }
    return true;
}

bool pairs_allowed(const void *ctx, const int *vector)
{
    const struct pairs *pairs = ctx;
    const struct pairs_model *model = pairs->model;

    for (unsigned i = 0; i < pairs->n_avoided; i++) {
        if (pairs_has(&pairs->avoided[i], vector))
            return false;
    }
    for (unsigned i = 0; i < model->n; i++) {
        if (vector[i] != COVERING_OPEN && pairs->left_out[i][vector[i]])
            return false;
    }
    for (const struct pairs_condition *c = model->conditions; c->values; c++) {
        if (vector[c->of] != COVERING_OPEN && vector[c->parameter] != COVERING_OPEN &&
            pairs_is_absent(model, c->parameter, vector[c->parameter]) == model_is_there(c, vector))
            return false;
    }
    return true;
}

void pairs_settle(const struct pairs *pairs, int *vector)
{
    const struct pairs_model *model = pairs->model;

    for (const struct pairs_condition *c = model->conditions; c->values; c++) {
        int *value = &vector[c->parameter];

        if (!model_is_there(c, vector))
            *value = pairs_value(model, c->parameter, PAIRS_ABSENT);
        else if (pairs_is_absent(model, c->parameter, *value))
            *value = pairs->usual[c->parameter];
    }
}

char *pairs_text(const struct pairs_model *model, const int *vector, uint32_t parameters)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < model->n; i++) {
        if (parameters & UINT32_C(1) << i && !pairs_is_absent(model, i, vector[i]))
            g_string_append_printf(text, "%s%s=%s", text->len > 0 ? "," : "", model->parameters[i].name,
                                   model->parameters[i].values[vector[i]]);
    }
    return g_string_free(text, FALSE);
}

static int find_parameter(const struct pairs_model *model, const char *name)
{
    for (unsigned i = 0; i < model->n; i++) {
        if (strcmp(model->parameters[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

static bool parse_value(const struct pairs_model *model, const char *word, struct pairs_values *out, char **why)
{
    g_auto(GStrv) parts = g_strsplit(word, "=", 2);
    const int parameter = find_parameter(model, parts[0] ? parts[0] : "");
    const int value = parameter >= 0 && parts[1] ? pairs_value(model, (unsigned)parameter, parts[1]) : COVERING_OPEN;

    if (value == COVERING_OPEN || pairs_is_absent(model, (unsigned)parameter, value)) {
        *why = g_strdup_printf("%s has no '%s' (iwarp-gen list pairs has the values)", model->name, word);
        return false;
    }
    out->parameters |= UINT32_C(1) << parameter;
    out->values[parameter] = value;
    return true;
}

bool pairs_parse(const char *text, const struct pairs_model **model, struct pairs_values *out, char **why)
{
    g_auto(GStrv) parts = g_strsplit(text, "/", 2), words = g_strsplit(parts[0] && parts[1] ? parts[1] : "", ",", -1);

    *out = (struct pairs_values){0};
    *model = parts[0] ? pairs_model_named(parts[0]) : NULL;
    if (!*model || !words[0]) {
        *why = g_strdup_printf("'%s' is not SUBJECT/PARAMETER=VALUE,... (iwarp-gen list pairs)", text);
        return false;
    }
    for (unsigned i = 0; words[i]; i++) {
        if (!parse_value(*model, words[i], out, why))
            return false;
    }
    return true;
}

bool pairs_waives(const struct pairs *pairs, enum rule_id rule)
{
    return pairs->waives && pairs->waives(pairs->ctx, rule);
}

void pairs_failed(struct talk *talk, enum rule_id rule, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    if (talk_has_failed(talk))
        return;
    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    talk_failed(talk, "%s", what);
    if (talk_has_failed(talk))
        case_set_rule(talk_job(talk)->result, rule);
}

bool pairs_goes_on(struct talk *talk, const struct pairs *pairs, enum rule_id rule, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    if (pairs_waives(pairs, rule)) {
        talk_observe(talk, rule, what);
        return true;
    }
    pairs_failed(talk, rule, "%s", what);
    return false;
}
