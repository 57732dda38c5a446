// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/options/selector.h"

#include "conformance/options/options.h"
#include "waivers/rule_hint.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *selector;
    const char *levels[4];
} level_groups[] = {
    {"must", {"MUST", "MUST NOT", "REQUIRED", "SHALL"}},
    {"should", {"SHOULD", "SHOULD NOT", "RECOMMENDED", NULL}},
    {"may", {"MAY", "OPTIONAL", NULL, NULL}},
    {"stated", {"STATED", NULL, NULL, NULL}},
};

static bool level_matches(size_t group, const struct rule *rule)
{
    for (size_t i = 0; i < G_N_ELEMENTS(level_groups[group].levels); i++)
        if (level_groups[group].levels[i] && strcmp(level_groups[group].levels[i], rule->level) == 0)
            return true;
    return false;
}

/* A selector writes "RFC 5044" as rfc5044: blanks and case do not matter. */
static size_t document_length(const char *selector, const char *document)
{
    size_t n = 0;

    for (; *document != '\0'; document++) {
        if (*document == ' ')
            continue;
        if (tolower((unsigned char)selector[n]) != tolower((unsigned char)*document))
            return 0;
        n++;
    }
    return n;
}

/* `part` names `whole` itself or something that contains it: 4.3 names 4.3.1, not 4.31. */
static bool names_or_contains(const char *part, const char *whole)
{
    size_t n = strlen(part);

    return n > 0 && strncasecmp(part, whole, n) == 0 && (whole[n] == '\0' || whole[n] == '.' || whole[n] == '-');
}

static bool document_matches(const char *selector, const struct rule *rule)
{
    size_t n = document_length(selector, rule->document);

    if (n == 0)
        return false;
    return selector[n] == '\0' || (selector[n] == '/' && names_or_contains(selector + n + 1, rule->section));
}

static bool exact_matches(const char *selector, const struct rule *rule)
{
    return strcasecmp(selector, rule->id) == 0;
}

static bool layer_matches(const char *selector, const struct rule *rule)
{
    return strcasecmp(selector, rule->layer) == 0;
}

static bool prefix_matches(const char *selector, const struct rule *rule)
{
    return names_or_contains(selector, rule->id);
}

static bool raw_prefix_matches(const char *selector, const struct rule *rule)
{
    return strncasecmp(selector, rule->id, strlen(selector)) == 0;
}

/* The first kind of selector, in this order, that names anything decides. */
static bool (*const kinds[])(const char *, const struct rule *) = {
    exact_matches, layer_matches, document_matches, prefix_matches, raw_prefix_matches,
};

static bool mark_one(const char *selector, bool marks[RULE_COUNT])
{
    for (size_t group = 0; group < G_N_ELEMENTS(level_groups); group++) {
        if (strcasecmp(selector, level_groups[group].selector) != 0)
            continue;
        for (size_t i = 0; i < RULE_COUNT; i++)
            marks[i] |= level_matches(group, &rule_catalogue[i]);
        return true;
    }
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        bool any = false;

        for (size_t i = 0; i < RULE_COUNT; i++) {
            if (!kinds[kind](selector, &rule_catalogue[i]))
                continue;
            marks[i] = true;
            any = true;
        }
        if (any)
            return true;
    }
    return false;
}

/* "mpa, ddp, ..."; g_free() it. */
static gchar *layers(void)
{
    GString *names = g_string_new(NULL);

    for (size_t i = 0; i < RULE_COUNT; i++)
        if (i == 0 || strcmp(rule_catalogue[i].layer, rule_catalogue[i - 1].layer) != 0)
            g_string_append_printf(names, "%s%s", i == 0 ? "" : ", ", rule_catalogue[i].layer);
    return g_string_free(names, FALSE);
}

static void selector_refuse(const char *selector, GError **error)
{
    g_autofree gchar *names = layers();
    g_autofree gchar *choice =
        g_strdup_printf(": give a rule id (MPA-4.3-03), an id prefix (MPA-4.3), a document (rfc5044), document/section "
                        "(rfc5044/4.3), a layer (%s) or a level (must, should); --list-rules shows all",
                        names);
    g_autofree char *hint = rule_hint(selector, choice);

    g_set_error(error, CHECK_ERROR, CHECK_ERROR_USAGE, "'%s' selects no rule%s", selector, hint);
}

bool selector_mark(const char *list, bool marks[RULE_COUNT], GError **error)
{
    /* g_strsplit() makes nothing of "", but an empty selector is a mistake. */
    gchar **selectors = g_strsplit(*list == '\0' ? "," : list, ",", -1);
    bool ok = true;

    for (size_t i = 0; ok && selectors[i]; i++) {
        const char *selector = g_strstrip(selectors[i]);

        ok = *selector != '\0' && mark_one(selector, marks);
        if (!ok)
            selector_refuse(selector, error);
    }
    g_strfreev(selectors);
    return ok;
}

bool rule_binds(const struct rule *rule, enum rule_profile profile)
{
    return profile == PROFILE_RFC5666 ||
           (strcmp(rule->document, "RFC 5666") != 0 && strcmp(rule->document, "RFC 5667") != 0);
}

void rule_selection_init(struct rule_selection *selection, const bool chosen[RULE_COUNT],
                         const bool skipped[RULE_COUNT])
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        selection->listed[i] = chosen[i] && !skipped[i];
    memset(selection->reported, 0, sizeof selection->reported);
    memcpy(selection->shown, selection->listed, sizeof selection->shown);
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_catalogue[i];

        if (!selection->listed[i])
            continue;
        selection->reported[rule->same] |= !skipped[rule->same];
        for (unsigned j = 0; j < rule->n_with; j++) {
            selection->reported[rule->with[j]] |= !skipped[rule->with[j]];
            selection->shown[rule->with[j]] |= !skipped[rule->with[j]];
        }
    }
}
