// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/pairs/model.h"

#include <string.h>

const struct pairs_model *const pairs_models[] = {&pairs_startup, &pairs_geometry, &pairs_chunks, NULL};

int pairs_value(const struct pairs_parameter *parameter, const char *text)
{
    for (unsigned i = 0; i < parameter->n; i++) {
        if (strcmp(parameter->values[i], text) == 0)
            return (int)i;
    }
    return COVERING_OPEN;
}

bool pairs_is_absent(const struct pairs_model *model, unsigned parameter, int value)
{
    return strcmp(model->parameters[parameter].values[value], PAIRS_ABSENT) == 0;
}

static bool is_there(const struct pairs_condition *condition, const int *vector)
{
    return condition->values & 1U << vector[condition->of];
}

bool pairs_fit(const struct pairs *pairs, const struct pairs_model *model, const int *vector)
{
    for (unsigned i = 0; i < model->n; i++) {
        if (vector[i] != COVERING_OPEN && pairs->left_out[i][vector[i]])
            return false;
    }
    for (const struct pairs_condition *c = model->conditions; c->values; c++) {
        if (vector[c->of] != COVERING_OPEN && vector[c->parameter] != COVERING_OPEN &&
            pairs_is_absent(model, c->parameter, vector[c->parameter]) == is_there(c, vector))
            return false;
    }
    return true;
}

void pairs_settle(const struct pairs *pairs, const struct pairs_model *model, int *vector)
{
    for (const struct pairs_condition *c = model->conditions; c->values; c++) {
        int *value = &vector[c->parameter];

        if (!is_there(c, vector))
            *value = pairs_value(&model->parameters[c->parameter], PAIRS_ABSENT);
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

void pairs_set_rule(struct case_result *result, enum rule_id rule)
{
    const struct rule *broken = &rule_catalogue[rule];
    const struct {
        char **text;
        const char *value;
    } texts[] = {{&result->rule, broken->id},
                 {&result->document, broken->document},
                 {&result->section, broken->section},
                 {&result->level, broken->level},
                 {&result->severity, rule_severity_name(broken->severity)},
                 {&result->requirement, broken->text}};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(*texts[i].text);
        *texts[i].text = g_strdup(texts[i].value);
    }
}

void pairs_failed(struct talk *talk, enum rule_id rule, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    if (talk->result->outcome == OUTCOME_FAILED)
        return;
    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    talk_failed(talk, "%s", what);
    if (talk->result->outcome == OUTCOME_FAILED)
        pairs_set_rule(talk->result, rule);
}
