// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every case of rules/LAYER.cases: the generator writes its conversation, and the whole of iwarp-check judges it within
 * this process. An argument picks cases by the beginning of their ids: test_rules MPA-4.1-05
 */
#define _GNU_SOURCE /* memfd_create */
#include "conformance/check/check.h"
#include "conformance/options/options.h"
#include "tests/unit/rules/rule_case.h"
#include "tests/unit/support/support.h"
#include "traffic-gen/scenario/scenario_source.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SEED = 1 };

/* The capture of a case, in memory. */
struct memory_file {
    int fd;
    char path[32];
};

static struct memory_file memory_file(void)
{
    struct memory_file file = {.fd = memfd_create("capture", MFD_CLOEXEC)};

    assert_true(file.fd >= 0);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

struct frames {
    const char *lacking;
    unsigned n;
};

static bool captured(void *ctx, const uint8_t *p, size_t n)
{
    struct frames *frames = ctx;
    char *end = (char *)frames->lacking;

    frames->n++;
    while (*end) {
        unsigned long first = strtoul(end, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        if (frames->n >= first && frames->n <= last)
            return false;
        end += strspn(end, ", ");
    }
    return true;
}

static void play(const struct rule_case *rule_case, const char *path)
{
    struct capture_file *file = capture_file_open(path, CAPTURE_PCAPNG, rule_case->snap);
    struct frames frames = {.lacking = rule_case->lacks};
    struct scenario_source source;
    struct sim_trouble trouble = {0};
    struct stage_place place = {0};
    g_autofree char *error = NULL;
    const char *why = NULL;
    struct stage *stage;

    assert_non_null(file);
    if (frames.lacking)
        capture_file_set_filter(file, captured, &frames);
    if (!scenario_source_load(&source, rule_case->said.scenario, NULL, 0, &error))
        fail_msg("%s: %s", rule_case->where, error);
    stage = stage_new(file, SEED, &trouble, &place);
    stage->mtu = scenario_source_mtu(&source);
    if (!scenario_source_play(&source, &rule_case->said, stage, &error))
        fail_msg("%s: %s", rule_case->where, error);
    if (rule_case->said.deviation && !stage->deviated)
        fail_msg("%s: the scenario has no place for this change", rule_case->where);
    if (!sim_run(stage->sim, &why))
        fail_msg("%s: %s", rule_case->where, why);
    stage_free(stage);
    scenario_source_clear(&source);
    assert_true(capture_file_close(file));
}

/* By the words of a command line; each combination is read once. */
static const struct check_options *options_for(const char *words)
{
    static GHashTable *read;
    struct check_options *options;

    if (!read)
        read = g_hash_table_new(g_str_hash, g_str_equal);
    options = g_hash_table_lookup(read, words);
    if (!options) {
        g_autofree char *line = g_strconcat("iwarp-check --verbose ", words, " -", NULL);
        g_auto(GStrv) arguments = g_strsplit(line, " ", -1);
        g_autoptr(GError) error = NULL;

        options = g_new0(struct check_options, 1);
        if (!options_parse(options, (int)g_strv_length(arguments), arguments, &error))
            fail_msg("%s: %s", words, error->message);
        g_hash_table_insert(read, (gpointer)words, options);
    }
    return options;
}

static void judge(const char *path, const struct check_options *options, struct report *report)
{
    const struct check_setup setup = {.options = options, .threads = 1};
    struct report_capture *capture = report_capture_new(path);
    struct capture_error error = {""};
    struct capture *source = capture_open(path, &error);

    if (!source)
        fail_msg("%s", error.text);
    report_init(report, options);
    g_ptr_array_add(report->captures, capture);
    check_capture(&setup, source, capture);
    capture_close(source);
    report_conclude(report);
}

static bool listed(const enum rule_id *rules, enum rule_id rule)
{
    while (*rules != RULE_COUNT && *rules != rule)
        rules++;
    return *rules == rule;
}

/* With another severity if the case has none with this one; NULL: the rule is not listed. */
static const struct rule_case_finding *expected(const struct rule_case *rule_case, const struct report_finding *finding)
{
    const struct rule_case_finding *other = NULL;

    for (const struct rule_case_finding *due = rule_case->found; due->rule != RULE_COUNT; due++) {
        if (due->rule == finding->rule && due->severity == finding->severity)
            return due;
        if (due->rule == finding->rule)
            other = due;
    }
    return other;
}

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};

/* Unexpected findings, one a line. Counts findings by rule and severity. */
static void compare_findings(const struct rule_case *rule_case, const struct report_capture *capture,
                             uint32_t (*found)[SEVERITY_COUNT], GString *wrong)
{
    for (guint c = 0; c < capture->connections->len; c++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, c);

        for (guint i = 0; i < connection->findings->len; i++) {
            const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);
            const struct rule_case_finding *due = expected(rule_case, finding);

            found[finding->rule][finding->severity] += 1 + finding->more;
            if (due && due->severity != finding->severity)
                g_string_append_printf(wrong, "  %s with severity %s: write `finds %s=%s` if that is right\n",
                                       rule_catalogue[due->rule].id, severities[finding->severity],
                                       rule_catalogue[due->rule].id, severities[finding->severity]);
            else if (!due && !listed(rule_case->one_of, finding->rule) && !listed(rule_case->also, finding->rule) &&
                     (rule_case->exactly || finding->severity != SEVERITY_NOTE))
                g_string_append_printf(wrong, "  not expected: frame %u: %s %s: %s\n", finding->frame,
                                       severities[finding->severity], rule_catalogue[finding->rule].id,
                                       finding->message);
        }
    }
}

/* The reverse: missing findings. */
static void compare_counts(const struct rule_case *rule_case, uint32_t (*found)[SEVERITY_COUNT], GString *wrong)
{
    bool wanted = rule_case->one_of[0] == RULE_COUNT;

    for (const enum rule_id *rule = rule_case->one_of; *rule != RULE_COUNT; rule++) {
        for (unsigned severity = 0; severity < SEVERITY_COUNT; severity++)
            wanted |= found[*rule][severity] > 0;
    }
    if (!wanted)
        g_string_append(wrong, "  its rule has no finding\n");
    for (const struct rule_case_finding *due = rule_case->found; due->rule != RULE_COUNT; due++) {
        uint32_t n = found[due->rule][due->severity];

        if (n == 0)
            g_string_append_printf(wrong, "  not found: %s as %s\n", rule_catalogue[due->rule].id,
                                   severities[due->severity]);
        else if (due->count > 0 && n != due->count)
            g_string_append_printf(wrong, "  found %u times, not %u: %s\n", n, due->count,
                                   rule_catalogue[due->rule].id);
    }
}

/* What was judged, and how. */
static void compare_verdicts(const struct rule_case *rule_case, const struct report *report, GString *wrong)
{
    for (const enum rule_id *rule = rule_case->passed; *rule != RULE_COUNT; rule++) {
        if (report->counts[*rule].passed == 0)
            g_string_append_printf(wrong, "  did not pass: %s\n", rule_catalogue[*rule].id);
    }
    for (const enum rule_id *rule = rule_case->doubtful; *rule != RULE_COUNT; rule++) {
        if (report->counts[*rule].inconclusive == 0)
            g_string_append_printf(wrong, "  was not inconclusive: %s\n", rule_catalogue[*rule].id);
    }
    for (const enum rule_id *rule = rule_case->silent; *rule != RULE_COUNT; rule++) {
        if (report->counts[*rule].passed > 0 || report->counts[*rule].inconclusive > 0)
            g_string_append_printf(wrong, "  was judged: %s\n", rule_catalogue[*rule].id);
    }
}

static void compare(const struct rule_case *rule_case, const struct report *report, GString *wrong)
{
    uint32_t found[RULE_COUNT][SEVERITY_COUNT] = {{0}};

    compare_findings(rule_case, g_ptr_array_index(report->captures, 0), found, wrong);
    compare_counts(rule_case, found, wrong);
    compare_verdicts(rule_case, report, wrong);
}

static void test_case(void **state)
{
    const struct rule_case *rule_case = *state;
    struct memory_file file = memory_file();
    g_autoptr(GString) wrong = g_string_new("");
    struct report report;

    play(rule_case, file.path);
    judge(file.path, options_for(rule_case->options), &report);
    compare(rule_case, &report, wrong);
    report_clear(&report);
    close(file.fd);
    if (wrong->len > 0)
        fail_msg("%s: %s, %s:\n%s", rule_case->where, rule_case->said.id, rule_case->said.summary, wrong->str);
}

int main(int argc, char **argv)
{
    g_autoptr(GArray) tests = g_array_new(FALSE, FALSE, sizeof(struct CMUnitTest));

    for (const struct rule_case *rule_case = rule_cases; rule_case->said.id; rule_case++) {
        struct CMUnitTest test = {rule_case->said.id, test_case, NULL, NULL, (void *)rule_case};

        if (argc < 2 || g_str_has_prefix(rule_case->said.id, argv[1]))
            g_array_append_val(tests, test);
    }
    if (tests->len == 0) {
        fprintf(stderr, "%s: no rule begins with '%s'\n", argv[0], argc > 1 ? argv[1] : "");
        return 2;
    }
    return _cmocka_run_group_tests("rules", (struct CMUnitTest *)(void *)tests->data, tests->len, NULL, NULL);
}
