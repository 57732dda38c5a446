// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/options/catalogue.h"

#include "support/json_writer.h"

#include <glib.h>
#include <string.h>

static const char *judged_name(enum rule_judged judged)
{
    static const char *const names[] = {"yes", "same", "with", "permission", "no"};
    return names[judged];
}

void catalogue_list_text(FILE *out, const bool listed[RULE_COUNT])
{
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_catalogue[i];

        if (listed[i])
            fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", rule->id, rule->document, rule->section, rule->level,
                    rule_verification(rule), rule_severity_name(rule->severity), rule->text);
    }
}

/* Rules with the same requirement, starting with the rule that carries the findings. */
static void list_same(struct json_writer *writer, const struct rule *rule)
{
    json_begin_array(writer, "same_as");
    if (rule->judged == RULE_SAME)
        json_string(writer, NULL, rule_catalogue[rule->same].id);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rule_catalogue[i].judged == RULE_SAME && rule_catalogue[i].same == rule->same && &rule_catalogue[i] != rule)
            json_string(writer, NULL, rule_catalogue[i].id);
    json_end_array(writer);
}

/* The rules with which this rule is judged. */
static void list_with(struct json_writer *writer, const struct rule *rule)
{
    json_begin_array(writer, "judged_with");
    for (unsigned i = 0; i < rule->n_with; i++)
        json_string(writer, NULL, rule_catalogue[rule->with[i]].id);
    json_end_array(writer);
}

static void list_transports(struct json_writer *writer, const struct rule *rule)
{
    json_begin_array(writer, "transports");
    if (rule_binds_on(rule, RULE_ON_IWARP))
        json_string(writer, NULL, "iwarp");
    if (rule_binds_on(rule, RULE_ON_IB))
        json_string(writer, NULL, "ib");
    json_end_array(writer);
}

static void list_rule(struct json_writer *writer, const struct rule *rule)
{
    json_begin_object(writer, NULL);
    json_string(writer, "id", rule->id);
    json_string(writer, "document", rule->document);
    json_string(writer, "section", rule->section);
    json_string(writer, "level", rule->level);
    json_string(writer, "verification", rule_verification(rule));
    json_string(writer, "severity", rule_severity_name(rule->severity));
    json_string(writer, "title", rule->text);
    json_string(writer, "layer", rule->layer);
    json_string(writer, "party", rule->party);
    list_transports(writer, rule);
    json_string(writer, "observe", rule_observe_name(rule->observe));
    json_string(writer, "judged", judged_name(rule->judged));
    list_same(writer, rule);
    list_with(writer, rule);
    json_string(writer, "how", rule->how);
    json_string(writer, "cause", rule->cause);
    json_end_object(writer);
}

void catalogue_list_json(FILE *out, const bool listed[RULE_COUNT])
{
    struct json_writer writer;

    json_writer_begin(&writer, out, 1);
    json_begin_array(&writer, NULL);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (listed[i])
            list_rule(&writer, &rule_catalogue[i]);
    json_end_array(&writer);
    json_writer_end(&writer);
}

/* Breaks a paragraph at 80 columns, with a label before its first line. */
static void paragraph(FILE *out, const char *label, const char *text)
{
    enum { WIDTH = 80, INDENT = 14 };
    gchar **words = g_strsplit(text, " ", -1);
    int column = fprintf(out, "%-*s", INDENT, label);
    bool first = true;

    for (size_t i = 0; words[i]; i++) {
        int length = (int)g_utf8_strlen(words[i], -1);

        if (!first && column + 1 + length > WIDTH) {
            column = fprintf(out, "\n%*s", INDENT, "") - 1;
            first = true;
        }
        column += fprintf(out, "%s%s", first ? "" : " ", words[i]) - (int)strlen(words[i]) + length;
        first = false;
    }
    fputc('\n', out);
    g_strfreev(words);
}

static const char *judgement(const struct rule *rule)
{
    switch (rule->judged) {
    case RULE_JUDGED:
        return rule->observe == OBSERVE_REACTION
                   ? "in captures that contain the stimulus, and by the suites of iwarp-gen test"
                   : "in captures";
    case RULE_SAME:
        return "together with the rule that states the same requirement";
    case RULE_WITH:
        return "with other rules, under whose ids its violations are reported";
    case RULE_PERMISSION:
        return "never: it is a permission";
    case RULE_NOT_JUDGED:
        return rule->observe == OBSERVE_REACTION ? "only by the suites of iwarp-gen test"
                                                 : "no: it cannot be observed from outside";
    }
    return "";
}

void catalogue_explain(FILE *out, const struct rule *rule)
{
    static const char *const transports[] = {
        [RULE_ON_ANY] = "iWARP, RoCE, InfiniBand", [RULE_ON_IWARP] = "iWARP", [RULE_ON_IB] = "RoCE, InfiniBand"};
    gchar *source = g_strdup_printf("%s section %s", rule->document, rule->section);
    gchar *binds = g_strdup_printf("%s, binds: %s", rule->level, rule->party);

    fprintf(out, "%s\n\n", rule->id);
    paragraph(out, "Rule", rule->text);
    paragraph(out, "Source", source);
    paragraph(out, "Level", binds);
    paragraph(out, "Transport", transports[rule->transport]);
    paragraph(out, "Severity", rule_severity_name(rule->severity));
    paragraph(out, "Judged", judgement(rule));
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rule_catalogue[i].same == rule->same && &rule_catalogue[i] != rule)
            paragraph(out, "Same as", rule_catalogue[i].id);
    for (unsigned i = 0; i < rule->n_with; i++)
        paragraph(out, "Judged with", rule_catalogue[rule->with[i]].id);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rule_judged_with(&rule_catalogue[i], rule_number(rule)))
            paragraph(out, "Also judges", rule_catalogue[i].id);
    paragraph(out, rule->judged == RULE_NOT_JUDGED ? "Why not" : "How", rule->how);
    paragraph(out, "Violation", rule->cause);
    g_free(source);
    g_free(binds);
}
