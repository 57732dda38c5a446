// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/choice.h"

#include "support/closest.h"
#include "traffic-gen/tester/suite/run/run.h"
#include "traffic-gen/tester/suite/run/untested.h"
#include "waivers/shipped.h"

#include <stdint.h>
#include <string.h>

#define CHOICE_ERROR g_quark_from_static_string("iwarp-test-choice")

/* ---- address ---- */

bool choice_address(const char *text, bool listening, char **host, char **port, GError **error)
{
    const char *colon = strrchr(text, ':'), *end = colon;
    const char *begin = text;
    guint64 number;

    if (colon && *text == '[' && colon > text && colon[-1] == ']') {
        begin++;
        end--;
    }
    if (!colon || !g_ascii_string_to_unsigned(colon + 1, 10, listening ? 0 : 1, UINT16_MAX, &number, NULL) ||
        (begin == end && !listening) || (begin == text && memchr(begin, ':', (size_t)(end - begin)))) {
        g_set_error(error, CHOICE_ERROR, 0, "'%s' is not HOST:PORT%s (IPv6 addresses go in [])", text,
                    listening ? " or :PORT" : "");
        return false;
    }
    *host = g_strndup(begin, (gsize)(end - begin));
    *port = g_strdup(colon + 1);
    return true;
}

/* ---- cases ---- */

/* "rfc5044" or "rfc5044/4.3". */
static bool names_document(const struct rule *rule, const char *word)
{
    g_autofree char *name = g_strdup(rule->document);
    char *to = name;
    size_t n;

    for (const char *from = rule->document; *from; from++) {
        if (*from != ' ')
            *to++ = g_ascii_tolower(*from);
    }
    *to = '\0';
    n = strlen(name);
    if (g_ascii_strncasecmp(word, name, n) != 0)
        return false;
    return word[n] == '\0' || (word[n] == '/' && strcmp(word + n + 1, rule->section) == 0);
}

static bool rule_fits_word(const struct rule *rule, const char *word)
{
    return g_ascii_strncasecmp(rule->id, word, strlen(word)) == 0 || g_ascii_strcasecmp(rule->layer, word) == 0 ||
           g_ascii_strcasecmp(rule->level, word) == 0 || names_document(rule, word);
}

/*
 * True if the text is the id of the case, of its rule or of an equivalent rule, the beginning of an id, a document, a
 * layer or a level.
 */
static bool fits_word(const struct chosen_case *chosen, const char *word)
{
    g_autofree char *id = suite_case_id(chosen->row);

    if (strchr(word, '/') && strchr(word, '-'))
        return g_ascii_strcasecmp(id, word) == 0;
    if (rule_fits_word(&rule_catalogue[chosen->row->rule], word))
        return true;
    for (unsigned i = 0; i < RULE_COUNT; i++) {
        if (case_decides_too((enum rule_id)i, chosen->row->rule) && g_ascii_strcasecmp(rule_catalogue[i].id, word) == 0)
            return true;
    }
    return false;
}

char **choice_words_of(char *const *lists)
{
    g_autofree char *joined = lists ? g_strjoinv(",", (char **)lists) : g_strdup("");

    return g_strsplit(joined, ",", -1);
}

static bool choice_fits(const struct chosen_case *chosen, char **words)
{
    for (unsigned i = 0; words[i]; i++) {
        if (*words[i] && fits_word(chosen, words[i]))
            return true;
    }
    return false;
}

static bool choice_is_wanted(const struct suite *suite, char **names)
{
    return !names[0] || g_strv_contains((const char *const *)names, suite->name);
}

static GArray *all_tests(char **names)
{
    GArray *tests = g_array_new(FALSE, FALSE, sizeof(struct chosen_case));

    for (unsigned i = 0; suites[i]; i++) {
        for (unsigned k = 0; choice_is_wanted(suites[i], names) && k < suites[i]->n; k++) {
            struct chosen_case chosen = {suites[i], &suites[i]->cases[k]};

            g_array_append_val(tests, chosen);
        }
    }
    return tests;
}

static char *case_hint(const GArray *all, const char *word)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    struct closest closest = closest_to(word, SIZE_MAX);

    if (rule_find(word))
        return g_strdup(": the rule has none in these suites (see: iwarp-gen list untested)");
    for (guint i = 0; i < all->len; i++) {
        const struct suite_case *row = g_array_index(all, struct chosen_case, i).row;

        g_ptr_array_add(ids, suite_case_id(row));
        closest_consider(&closest, g_ptr_array_index(ids, i));
        closest_consider(&closest, rule_catalogue[row->rule].id);
    }
    return closest_hint(&closest, ": expected the id of a case or rule, the beginning of one, a document, a layer or a "
                                  "level (see: iwarp-gen list tests)");
}

static bool words_are_good(const GArray *all, char **words, const char *option, GError **error)
{
    for (unsigned i = 0; words[i]; i++) {
        char *word[] = {words[i], NULL};
        bool known = !*words[i];

        for (guint k = 0; k < all->len && !known; k++)
            known = choice_fits(&g_array_index(all, struct chosen_case, k), word);
        if (!known) {
            g_autofree char *hint = case_hint(all, words[i]);

            g_set_error(error, CHOICE_ERROR, 0, "--%s: '%s' matches no case%s", option, words[i], hint);
            return false;
        }
    }
    return true;
}

static char *suite_hint(const char *name)
{
    struct closest closest = closest_to(name, SIZE_MAX);

    for (unsigned i = 0; suites[i]; i++)
        closest_consider(&closest, suites[i]->name);
    return closest_hint(&closest, "");
}

static bool suites_are_good(char **names, GError **error)
{
    GString *known = g_string_new(NULL);
    bool good = true;

    for (unsigned k = 0; suites[k]; k++)
        g_string_append_printf(known, "%s%s", k ? ", " : "", suites[k]->name);
    for (unsigned i = 0; names[i] && good; i++) {
        good = false;
        for (unsigned k = 0; suites[k] && !good; k++)
            good = strcmp(suites[k]->name, names[i]) == 0;
        if (!good) {
            g_autofree char *hint = suite_hint(names[i]);

            g_set_error(error, CHOICE_ERROR, 0, "--suite: '%s' is not one of %s%s", names[i], known->str, hint);
        }
    }
    g_string_free(known, TRUE);
    return good;
}

GArray *choice_cases(char *const *suites_wanted, char *const *rules, char *const *skip, enum suite_dut dut,
                     GError **error)
{
    g_auto(GStrv) names = choice_words_of(suites_wanted), some = choice_words_of(rules),
                  without = choice_words_of(skip);
    g_autoptr(GArray) all = NULL;
    GArray *chosen;

    if (!suites_are_good(names, error))
        return NULL;
    all = all_tests(names);
    if (!words_are_good(all, some, "rules", error) || !words_are_good(all, without, "skip", error))
        return NULL;
    chosen = g_array_new(FALSE, FALSE, sizeof(struct chosen_case));
    for (guint i = 0; i < all->len; i++) {
        const struct chosen_case *row = &g_array_index(all, struct chosen_case, i);

        if (row->row->duts & dut && (!some[0] || choice_fits(row, some)) && !choice_fits(row, without))
            g_array_append_vals(chosen, row, 1);
    }
    if (chosen->len > 0)
        return chosen;
    g_array_unref(chosen);
    g_set_error(error, CHOICE_ERROR, 0, "no case is left for a device that is %s",
                dut == DUT_RESPONDER ? "Responder" : "Initiator (--listen)");
    return NULL;
}

/* Suites that run on a connection of verbs. */
static const char *const of_messages[] = {"rpcrdma", "nfs", NULL};

bool choice_without_octets(GArray *chosen, char *const *suites_wanted, GError **error)
{
    g_auto(GStrv) names = choice_words_of(suites_wanted);

    for (unsigned i = 0; names[i]; i++) {
        if (!g_strv_contains(of_messages, names[i])) {
            g_set_error(error, CHOICE_ERROR, 0,
                        "--suite: '%s' needs octets that an RDMA device makes by itself: of a device at rdma:HOST:PORT "
                        "rpcrdma and nfs can be tested",
                        names[i]);
            return false;
        }
    }
    for (guint i = chosen->len; i-- > 0;) {
        if (!g_strv_contains(of_messages, g_array_index(chosen, struct chosen_case, i).suite->name))
            g_array_remove_index(chosen, i);
    }
    if (chosen->len == 0)
        g_set_error(error, CHOICE_ERROR, 0,
                    "--rules: these cases need octets that an RDMA device makes by itself: of a device at "
                    "rdma:HOST:PORT those of --suite=rpcrdma,nfs can be tested");
    return chosen->len > 0;
}

static bool any_fits(const struct rule *rule, char **words)
{
    for (unsigned i = 0; words[i]; i++) {
        if (*words[i] && rule_fits_word(rule, words[i]))
            return true;
    }
    return false;
}

bool choice_takes(char *const *rules, char *const *skip, const char *id)
{
    g_auto(GStrv) some = choice_words_of(rules), without = choice_words_of(skip);
    const struct rule *rule = rule_find(id);

    return rule && (!some[0] || any_fits(rule, some)) && !any_fits(rule, without);
}

/* ---- waivers ---- */

/* A waiver for one finding of a rule does not cover the cases of the rule. */
static bool waives_cases(const struct waiver *waiver)
{
    return !waiver->expired && !waiver_of_findings(waiver);
}

static enum waiver_role choice_role_of(enum suite_dut dut)
{
    return dut == DUT_RESPONDER ? WAIVER_RESPONDER : WAIVER_INITIATOR;
}

/* Whether a failed vector was reduced to these values, in any order. */
static bool choice_names_values(const struct waiver *waiver, const struct case_result *result)
{
    size_t n;
    g_auto(GStrv) waived = NULL, reduced = NULL;
    bool same;

    if (!result->reduced || !result->suite)
        return false;
    n = strlen(result->suite);
    if (strncmp(waiver->id, result->suite, n) != 0 || waiver->id[n] != '/')
        return false;
    waived = g_strsplit(waiver->id + n + 1, ",", -1);
    reduced = g_strsplit(result->reduced, ",", -1);
    same = g_strv_length(waived) == g_strv_length(reduced);
    for (unsigned i = 0; waived[i] && same; i++)
        same = g_strv_contains((const char *const *)reduced, waived[i]);
    return same;
}

static bool choice_names(const struct waiver *waiver, const struct case_result *result)
{
    const char *rule = rule_catalogue[waiver->rule].id;

    if (waiver->of_values)
        return choice_names_values(waiver, result);
    if (waiver->one_case)
        return g_ascii_strcasecmp(waiver->id, result->id) == 0;
    if (strcmp(rule, result->rule) == 0)
        return true;
    for (guint i = 0; i < result->aliases->len; i++) {
        if (strcmp(rule, g_ptr_array_index(result->aliases, i)) == 0)
            return true;
    }
    return false;
}

bool choice_waives(const GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device, enum rule_id rule)
{
    for (guint i = 0; i < waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(waivers, i);

        if (!strchr(waiver->id, '/') && waives_cases(waiver) && waiver_in_scope(waiver, device, choice_role_of(dut)) &&
            (waiver->rule == rule || case_decides_too(waiver->rule, rule)))
            return true;
    }
    return false;
}

char **choice_known_values(const GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device)
{
    GPtrArray *ids = g_ptr_array_new();

    for (guint i = 0; i < waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(waivers, i);

        if (waiver->of_values && waives_cases(waiver) && waiver_in_scope(waiver, device, choice_role_of(dut)))
            g_ptr_array_add(ids, g_strdup(waiver->id));
    }
    g_ptr_array_add(ids, NULL);
    return (char **)g_ptr_array_free(ids, FALSE);
}

void choice_waive(GPtrArray *waivers, enum suite_dut dut, const struct endpoint *device, struct case_result *result)
{
    enum waiver_role role = choice_role_of(dut);

    if (!case_result_failed(result))
        return;
    for (guint i = 0; i < waivers->len; i++) {
        struct waiver *waiver = g_ptr_array_index(waivers, i);

        if (!waives_cases(waiver) || !choice_names(waiver, result) || !waiver_in_scope(waiver, device, role))
            continue;
        waiver->used = 1;
        if (!result->waived)
            result->waived = g_strdup(waiver->why);
    }
}

/* For a device that failed. */
struct failure {
    const struct case_result *result;
    const struct endpoint *device;
    enum waiver_role role;
};

static bool choice_explains(const struct waiver *waiver, const void *finding)
{
    const struct failure *failure = finding;

    return waives_cases(waiver) && choice_names(waiver, failure->result) &&
           waiver_in_scope(waiver, failure->device, failure->role);
}

void choice_known(enum suite_dut dut, const struct endpoint *device, struct suite_report *report)
{
    g_autoptr(GPtrArray) failures = g_ptr_array_new_with_free_func(g_free);
    g_autofree uint64_t *times = g_new(uint64_t, report->results->len + 1);
    struct failure failure = {.device = device, .role = choice_role_of(dut)};
    struct shipped_match match;

    for (guint i = 0; i < report->results->len; i++) {
        failure.result = g_ptr_array_index(report->results, i);
        if (!case_result_failed(failure.result) || failure.result->waived)
            continue;
        times[failures->len] = 1;
        g_ptr_array_add(failures, g_memdup2(&failure, sizeof failure));
    }
    match = shipped_explain(
        &(struct shipped_findings){(const void *const *)failures->pdata, times, failures->len, choice_explains});
    report->known = shipped_text(&match, failures->len, "failure");
    shipped_match_clear(&match);
}

void choice_unused(const GPtrArray *waivers, bool of_values, struct suite_report *report)
{
    for (guint i = 0; i < waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(waivers, i);

        if (!waiver->used && !waiver->shipped && waives_cases(waiver) &&
            (!waiver->one_case || waiver->of_values == of_values))
            g_ptr_array_add(report->unused_waivers, g_strdup(waiver->id));
    }
}
