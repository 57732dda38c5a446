// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/options/catalogue.h"

#include <json-glib/json-glib.h>
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

static void catalogue_add(JsonBuilder *builder, const char *name, const char *value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_string_value(builder, value);
}

/* The true equivalents of a rule, first the one that carries the findings. */
static void add_same(JsonBuilder *builder, const struct rule *rule)
{
    json_builder_set_member_name(builder, "same_as");
    json_builder_begin_array(builder);
    if (rule->judged == RULE_SAME)
        json_builder_add_string_value(builder, rule_catalogue[rule->same].id);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rule_catalogue[i].judged == RULE_SAME && rule_catalogue[i].same == rule->same && &rule_catalogue[i] != rule)
            json_builder_add_string_value(builder, rule_catalogue[i].id);
    json_builder_end_array(builder);
}

void catalogue_list_json(FILE *out, const bool listed[RULE_COUNT])
{
    JsonBuilder *builder = json_builder_new();
    JsonGenerator *generator = json_generator_new();
    JsonNode *root;
    gchar *text;

    json_builder_begin_array(builder);
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_catalogue[i];

        if (!listed[i])
            continue;
        json_builder_begin_object(builder);
        catalogue_add(builder, "id", rule->id);
        catalogue_add(builder, "document", rule->document);
        catalogue_add(builder, "section", rule->section);
        catalogue_add(builder, "level", rule->level);
        catalogue_add(builder, "verification", rule_verification(rule));
        catalogue_add(builder, "severity", rule_severity_name(rule->severity));
        catalogue_add(builder, "title", rule->text);
        catalogue_add(builder, "layer", rule->layer);
        catalogue_add(builder, "party", rule->party);
        json_builder_set_member_name(builder, "transports");
        json_builder_begin_array(builder);
        if (rule_binds_on(rule, RULE_ON_IWARP))
            json_builder_add_string_value(builder, "iwarp");
        if (rule_binds_on(rule, RULE_ON_IB))
            json_builder_add_string_value(builder, "ib");
        json_builder_end_array(builder);
        catalogue_add(builder, "observe", rule_observe_name(rule->observe));
        catalogue_add(builder, "judged", judged_name(rule->judged));
        add_same(builder, rule);
        /* the rules that this rule is judged along with */
        json_builder_set_member_name(builder, "judged_with");
        json_builder_begin_array(builder);
        for (unsigned k = 0; k < rule->n_with; k++)
            json_builder_add_string_value(builder, rule_catalogue[rule->with[k]].id);
        json_builder_end_array(builder);
        catalogue_add(builder, "how", rule->how);
        catalogue_add(builder, "cause", rule->cause);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    root = json_builder_get_root(builder);
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    json_generator_set_indent(generator, 1);
    text = json_generator_to_data(generator, NULL);
    fputs(text, out);
    fputc('\n', out);
    g_free(text);
    json_node_unref(root);
    g_object_unref(generator);
    g_object_unref(builder);
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
        return "with other rules: its violations are reported under one of their ids";
    case RULE_PERMISSION:
        return "never: it is a permission";
    case RULE_NOT_JUDGED:
        return rule->observe == OBSERVE_REACTION ? "only by the suites of iwarp-gen test"
                                                 : "no: it is not visible from outside";
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
