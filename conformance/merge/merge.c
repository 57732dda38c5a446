// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge.h"

#include "conformance/merge/merge_parts.h"
#include "conformance/merge/merge_report.h"
#include "conformance/model/report.h"
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "support/output_file.h"

#include <errno.h>
#include <string.h>

struct merge {
    struct check_options options; /* of them: output, what fails, files */
    GArray *captures;             /* struct merge_capture */
    gchar *profile;
    uint64_t found[SEVERITY_COUNT], waived;
    uint64_t connections; /* of the parts of a capture each once */
    unsigned empty;       /* captures of which nothing was checked */
    bool failed_capture;
    GHashTable *exercised; /* ids of rules that passed or failed */
    GHashTable *unused;    /* ids of waivers; those that another report used are taken out at the end */
    GHashTable *used;      /* ids of rules that a report waived and does not call unused */
};

/* What one report lists, to be compared with what it sums up. */
struct listed {
    uint64_t found[SEVERITY_COUNT], waived, not_listed;
    GHashTable *waived_rules;
};

static void remember(GHashTable *set, const char *id)
{
    g_hash_table_add(set, g_strdup(id));
}

static GHashTable *new_set(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static bool take_finding(struct merge_input *input, JsonObject *finding, struct listed *listed)
{
    const char *rule = merge_string(input, finding, "a finding", "rule");
    const char *severity = merge_string(input, finding, "a finding", "severity");
    JsonArray *same = merge_array(input, finding, "a finding", "same_as");
    bool waived;
    uint64_t times = 0;
    size_t i = 0;

    if (!rule || !severity || !same || !merge_bool(input, finding, "a finding", "waived", &waived))
        return false;
    while (i < SEVERITY_COUNT && strcmp(severity, rule_severity_name((enum rule_severity)i)) != 0)
        i++;
    if (i == SEVERITY_COUNT)
        return merge_input_wrong(input, "a finding", "severity", "error, warning or note");
    if (json_object_has_member(finding, "more")) {
        JsonObject *more = merge_object(input, finding, "a finding", "more");

        if (!more || !merge_count(input, more, "more findings", "count", &times))
            return false;
    }
    times++;
    if (!waived) {
        listed->found[i] += times;
        return true;
    }
    listed->waived += times;
    remember(listed->waived_rules, rule);
    for (guint j = 0; j < json_array_get_length(same); j++) {
        const char *id = merge_string_element(input, same, j, "same_as");

        if (!id)
            return false;
        remember(listed->waived_rules, id);
    }
    return true;
}

static bool take_rules(struct merge *merge, struct merge_input *input, JsonObject *rules)
{
    GList *ids = json_object_get_members(rules);
    bool ok = true;

    for (GList *id = ids; ok && id; id = id->next) {
        JsonObject *rule = merge_object(input, rules, "the rules of a capture", id->data);
        uint64_t passed, failed;

        ok = rule && merge_count(input, rule, "a rule", "passed", &passed) &&
             merge_count(input, rule, "a rule", "failed", &failed);
        if (ok && (passed > 0 || failed > 0))
            remember(merge->exercised, id->data);
    }
    g_list_free(ids);
    return ok;
}

/* What is_judged() takes for granted. */
static bool has_facts(struct merge_input *input, JsonObject *connection)
{
    bool ib = json_object_has_member(connection, "ib");
    JsonObject *counts = merge_object(input, connection, "a connection", "counts");
    JsonObject *mpa = counts && !ib ? merge_object(input, connection, "a connection", "mpa") : NULL;
    const char *name = ib ? "packets" : "fpdus";
    JsonArray *pair = counts ? merge_array(input, counts, "the counts", name) : NULL;
    bool rejected;

    if (!pair || (ib && !merge_object(input, connection, "a connection", "ib")) ||
        (!ib && (!mpa || !merge_bool(input, mpa, "mpa", "rejected", &rejected))))
        return false;
    for (guint i = 0; i < json_array_get_length(pair); i++)
        if (!JSON_NODE_HOLDS_VALUE(json_array_get_element(pair, i)))
            return merge_input_wrong(input, "the counts", name, "a pair of numbers");
    return json_array_get_length(pair) == 2 || merge_input_wrong(input, "the counts", name, "a pair of numbers");
}

static bool take_connection(struct merge_input *input, JsonObject *connection, struct listed *listed)
{
    JsonArray *findings = merge_array(input, connection, "a connection", "findings");
    uint64_t not_listed;

    if (!findings || !merge_object(input, connection, "a connection", "rules") || !has_facts(input, connection) ||
        !merge_count(input, connection, "a connection", "findings_not_listed", &not_listed))
        return false;
    for (guint i = 0; i < json_array_get_length(findings); i++) {
        JsonObject *finding = merge_element(input, findings, i, "findings");

        if (!finding || !take_finding(input, finding, listed))
            return false;
    }
    listed->not_listed += not_listed;
    return true;
}

static bool take_capture(struct merge *merge, struct merge_input *input, JsonObject *capture, struct listed *listed)
{
    JsonArray *connections = merge_array(input, capture, "a capture", "connections");
    struct merge_capture kept = {.path = input->path};
    JsonObject *rules;

    if (!merge_string(input, capture, "a capture", "file") || !connections)
        return false;
    for (guint i = 0; i < json_array_get_length(connections); i++) {
        JsonObject *connection = merge_element(input, connections, i, "connections");

        if (!connection || !take_connection(input, connection, listed))
            return false;
    }
    if (input->format == MERGE_FORMAT_OF_CONNECTIONS && !merge_sum_rules(input, capture))
        return false;
    rules = merge_object(input, capture, "a capture", "rules");
    if (!rules || !take_rules(merge, input, rules))
        return false;
    merge->failed_capture |= json_object_has_member(capture, "error");
    kept.object = json_object_ref(capture);
    g_array_append_val(merge->captures, kept);
    return true;
}

/* Findings that are counted but not listed are known from the summary only, which must agree with the rest. */
static bool take_summary(struct merge *merge, struct merge_input *input, JsonObject *root, const struct listed *listed)
{
    JsonObject *summary = merge_object(input, root, "the report", "summary");
    JsonObject *findings = summary ? merge_object(input, summary, "the summary", "findings") : NULL;
    JsonArray *unused = summary ? merge_array(input, summary, "the summary", "unused_waivers") : NULL;
    uint64_t waived, total = 0, all_listed = listed->waived + listed->not_listed;
    GHashTableIter iter;
    gpointer id;
    bool ok;

    if (!findings || !unused || !merge_count(input, summary, "the summary", "waived", &waived))
        return false;
    ok = waived >= listed->waived;
    for (size_t i = 0; i < SEVERITY_COUNT; i++) {
        uint64_t found;

        if (!merge_count(input, findings, "the summary", rule_severity_name((enum rule_severity)i), &found))
            return false;
        ok &= found >= listed->found[i];
        merge->found[i] += found;
        total += found;
        all_listed += listed->found[i];
    }
    if (!ok || total + waived != all_listed)
        return merge_input_wrong(input, "the report", "summary", "the sum of its findings");
    merge->waived += waived;
    for (guint i = 0; i < json_array_get_length(unused); i++) {
        const char *waiver = merge_string_element(input, unused, i, "unused_waivers");

        if (!waiver)
            return false;
        remember(merge->unused, waiver);
        g_hash_table_remove(listed->waived_rules, waiver);
    }
    g_hash_table_iter_init(&iter, listed->waived_rules);
    while (g_hash_table_iter_next(&iter, &id, NULL))
        remember(merge->used, id);
    return true;
}

static bool take_profile(struct merge *merge, struct merge_input *input, JsonObject *root)
{
    const char *profile = merge_string(input, root, "the report", "profile");

    if (!profile)
        return false;
    if (!merge->profile)
        merge->profile = g_strdup(profile);
    if (strcmp(profile, "ietf") != 0 && strcmp(profile, "rdmac") != 0 && strcmp(profile, "rfc5666") != 0)
        return merge_input_wrong(input, "the report", "profile", "ietf, rdmac or rfc5666");
    if (strcmp(profile, merge->profile) != 0)
        return merge_input_wrong(input, "the report", "profile", "the same as in the other reports");
    return true;
}

/* Reports from before there was a number are of the first format. */
static bool take_format(struct merge_input *input, JsonObject *root)
{
    input->format = MERGE_FORMAT_OF_CONNECTIONS;
    if (json_object_has_member(root, "format") && !merge_count(input, root, "the report", "format", &input->format))
        return false;
    return input->format == MERGE_FORMAT_OF_CONNECTIONS || input->format == REPORT_JSON_FORMAT ||
           merge_input_wrong(input, "the report", "format", "1 or 2");
}

static bool take_report(struct merge *merge, struct merge_input *input)
{
    JsonObject *root = json_node_get_object(input->root);
    const char *tool = merge_string(input, root, "the report", "tool");
    JsonArray *captures = tool ? merge_array(input, root, "the report", "captures") : NULL;
    struct listed listed = {.waived_rules = NULL};
    bool ok = true;

    if (!captures || !take_profile(merge, input, root))
        return false;
    if (strcmp(tool, "iwarp-check") != 0)
        return merge_input_wrong(input, "the report", "tool", "iwarp-check");
    if (!take_format(input, root))
        return false;
    listed.waived_rules = new_set();
    for (guint i = 0; ok && i < json_array_get_length(captures); i++) {
        JsonObject *capture = merge_element(input, captures, i, "captures");

        ok = capture && take_capture(merge, input, capture, &listed);
    }
    ok = ok && take_summary(merge, input, root, &listed);
    g_hash_table_unref(listed.waived_rules);
    return ok;
}

static gboolean is_used(gpointer id, gpointer value, gpointer used)
{
    (void)value;
    return g_hash_table_contains(used, id);
}

static enum check_status decide(const struct merge *merge)
{
    if (merge->failed_capture)
        return CHECK_TROUBLE;
    for (size_t i = 0; i < SEVERITY_COUNT; i++)
        if (merge->found[i] > 0 && options_fails(&merge->options, (enum rule_severity)i))
            return CHECK_FAIL;
    if (merge->options.strict_waivers && g_hash_table_size(merge->unused) > 0)
        return CHECK_FAIL;
    return merge->empty > 0 && !merge->options.allow_empty ? CHECK_NOTHING : CHECK_PASS;
}

static JsonObject *make_summary(const struct merge *merge, enum check_status status)
{
    const struct report verdict = {.status = status};
    JsonObject *summary = json_object_new(), *findings = json_object_new();
    JsonArray *unused = json_array_new();
    GList *ids = g_list_sort(g_hash_table_get_keys(merge->unused), (GCompareFunc)strcmp);

    for (int i = SEVERITY_ERROR; i >= SEVERITY_NOTE; i--)
        json_object_set_int_member(findings, rule_severity_name((enum rule_severity)i), (gint64)merge->found[i]);
    json_object_set_object_member(summary, "findings", findings);
    json_object_set_int_member(summary, "waived", (gint64)merge->waived);
    for (GList *id = ids; id; id = id->next)
        json_array_add_string_element(unused, id->data);
    g_list_free(ids);
    json_object_set_array_member(summary, "unused_waivers", unused);
    json_object_set_int_member(summary, "connections", (gint64)merge->connections);
    json_object_set_int_member(summary, "rules_exercised", g_hash_table_size(merge->exercised));
    json_object_set_string_member(summary, "verdict", report_verdict(&verdict));
    return summary;
}

static void write_json(const struct merge *merge, JsonArray *captures, enum check_status status, FILE *out)
{
    JsonObject *root = json_object_new();
    JsonNode *node = json_node_new(JSON_NODE_OBJECT);
    gchar *text;

    json_object_set_string_member(root, "tool", "iwarp-check");
    json_object_set_int_member(root, "format", REPORT_JSON_FORMAT);
    json_object_set_string_member(root, "version", IWARP_KIT_VERSION);
    json_object_set_string_member(root, "profile", merge->profile);
    json_object_set_array_member(root, "captures", json_array_ref(captures));
    json_object_set_object_member(root, "summary", make_summary(merge, status));
    json_node_take_object(node, root);
    text = json_to_string(node, TRUE);
    fprintf(out, "%s\n", text);
    g_free(text);
    json_node_unref(node);
}

static void add_unused(struct check_options *options, const char *id)
{
    struct waiver *waiver = g_new0(struct waiver, 1);

    waiver->rule = rule_find(id) ? rule_number(rule_find(id)) : 0;
    waiver->id = g_strdup(id);
    waiver->where = g_strdup("in no report");
    g_ptr_array_add(options->waivers, waiver);
}

/* Any other format: a report is made of the merged one, as if of captures. */
static void write_other(struct merge *merge, JsonArray *captures, enum check_status status, FILE *out)
{
    struct check_options *options = &merge->options;
    GList *unused = g_list_sort(g_hash_table_get_keys(merge->unused), (GCompareFunc)strcmp);
    struct report report;

    options->waivers = waivers_new();
    memset(options->rules.listed, true, sizeof options->rules.listed);
    memset(options->rules.shown, true, sizeof options->rules.shown);
    memset(options->rules.reported, true, sizeof options->rules.reported);
    options->profile = merge->profile;
    options->mpa.profile = strcmp(merge->profile, "rdmac") == 0     ? PROFILE_RDMAC
                           : strcmp(merge->profile, "rfc5666") == 0 ? PROFILE_RFC5666
                                                                    : PROFILE_IETF;
    report_init(&report, options);
    merge_report_fill(&report, options, captures);
    for (GList *id = unused; id; id = id->next)
        add_unused(options, id->data);
    g_list_free(unused);
    report_conclude(&report);
    report.status = status;
    report_write(&report, out);
    report_clear(&report);
}

static bool write_merged(struct merge *merge, JsonArray *captures, enum check_status status)
{
    struct output_file out;
    bool ok = output_file_open(&out, merge->options.output);

    if (ok) {
        if (merge->options.format == FORMAT_JSON)
            write_json(merge, captures, status, out.file);
        else
            write_other(merge, captures, status, out.file);
        ok = output_file_finish(&out);
    }
    if (!ok)
        fprintf(stderr, "iwarp-check: cannot write %s: %s\n",
                merge->options.output ? merge->options.output : "standard output", g_strerror(errno));
    output_file_clear(&out);
    return ok;
}

static uint64_t count_connections(JsonArray *captures)
{
    uint64_t sum = 0;

    for (guint i = 0; i < json_array_get_length(captures); i++)
        sum += json_array_get_length(
            json_object_get_array_member(json_array_get_object_element(captures, i), "connections"));
    return sum;
}

static bool exercised_any(JsonObject *connection)
{
    JsonObject *rules = json_object_get_object_member(connection, "rules");
    GList *counts = json_object_get_values(rules);
    bool any = false;

    for (GList *rule = counts; rule && !any; rule = rule->next) {
        JsonObject *count = JSON_NODE_HOLDS_OBJECT(rule->data) ? json_node_get_object(rule->data) : NULL;

        any = count && (json_object_get_int_member_with_default(count, "passed", 0) > 0 ||
                        json_object_get_int_member_with_default(count, "failed", 0) > 0);
    }
    g_list_free(counts);
    return any;
}

static bool rejected_by_ib(JsonObject *connection)
{
    JsonNode *reason = json_object_has_member(connection, "ib")
                           ? json_object_get_member(json_object_get_object_member(connection, "ib"), "reject_reason")
                           : NULL;

    return reason && !JSON_NODE_HOLDS_NULL(reason);
}

static bool has_judged_guest(JsonObject *connection)
{
    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->judged && json_object_has_member(connection, (*face)->kind->name))
            return true;
    return false;
}

/* What a part of a capture lacks, another one may have. */
static bool is_judged(JsonObject *connection)
{
    bool ib = json_object_has_member(connection, "ib");
    JsonArray *pair =
        json_object_get_array_member(json_object_get_object_member(connection, "counts"), ib ? "packets" : "fpdus");
    bool carried = json_array_get_int_element(pair, 0) + json_array_get_int_element(pair, 1) > 0;

    if (ib)
        return rejected_by_ib(connection) ? exercised_any(connection) : carried && has_judged_guest(connection);
    return carried || json_object_get_boolean_member(json_object_get_object_member(connection, "mpa"), "rejected");
}

/* The report that it comes from says what was seen instead. */
static bool says_why(JsonObject *capture)
{
    JsonNode *why = json_object_get_member(capture, "nothing_checked");

    return why && json_node_get_value_type(why) == G_TYPE_STRING;
}

/* Why nothing is judged in a capture with these connections. */
static enum report_emptiness emptiness_of(JsonArray *connections)
{
    enum report_emptiness why = REPORT_NO_GUEST;
    guint n = json_array_get_length(connections), rejected = 0;

    for (guint i = 0; i < n; i++) {
        JsonObject *connection = json_array_get_object_element(connections, i);

        rejected += rejected_by_ib(connection);
        if (!json_object_has_member(connection, "ib"))
            why = REPORT_NO_FPDU;
        else if (json_object_has_member(connection, "ulp") && why == REPORT_NO_GUEST)
            why = REPORT_OTHER_ULP;
    }
    if (n == 0)
        return REPORT_NO_MPA;
    return rejected == n ? REPORT_REJECTED : why;
}

static bool judges_any(JsonObject *capture, JsonArray *connections)
{
    guint n = json_array_get_length(connections);
    bool judged = json_object_has_member(capture, "error") || (json_object_has_member(capture, "part") && n > 0);

    for (guint i = 0; i < n && !judged; i++)
        judged = is_judged(json_array_get_object_element(connections, i));
    return judged;
}

static unsigned count_empty(JsonArray *captures)
{
    unsigned sum = 0;

    for (guint i = 0; i < json_array_get_length(captures); i++) {
        JsonObject *capture = json_array_get_object_element(captures, i);
        JsonArray *connections = json_object_get_array_member(capture, "connections");
        bool judged = judges_any(capture, connections);

        if (judged)
            json_object_remove_member(capture, "nothing_checked");
        else if (!says_why(capture))
            json_object_set_string_member(capture, "nothing_checked", report_nothing(emptiness_of(connections)));
        sum += !judged;
    }
    return sum;
}

static void clear_capture(gpointer capture)
{
    json_object_unref(((struct merge_capture *)capture)->object);
}

static int merge_files(struct merge *merge)
{
    GError *error = NULL;
    JsonArray *captures;
    enum check_status status;
    bool written;

    for (char **file = merge->options.files; *file; file++) {
        struct merge_input input;
        bool ok = merge_input_load(&input, *file) && take_report(merge, &input);

        if (!ok)
            fprintf(stderr, "iwarp-check: %s\n", input.error->message);
        merge_input_clear(&input);
        if (!ok)
            return CHECK_TROUBLE;
    }
    g_hash_table_foreach_remove(merge->unused, is_used, merge->used);
    captures = merge_parts(merge->captures, &error);
    if (!captures) {
        fprintf(stderr, "iwarp-check: %s\n", error->message);
        g_error_free(error);
        return CHECK_TROUBLE;
    }
    merge->connections = count_connections(captures);
    merge->empty = count_empty(captures);
    status = decide(merge);
    written = write_merged(merge, captures, status);
    json_array_unref(captures);
    return written ? (int)status : CHECK_TROUBLE;
}

static const char help[] = "Usage: iwarp-check merge [OPTION...] A.json B.json...\n"
                           "Merges JSON reports into the one that a single run over all their captures would write.\n"
                           "\n"
                           " --format=FORMAT          json (default), text, junit, html, sarif, github, markdown, tap\n"
                           " -o FILE, --output=FILE   write to FILE; default: standard output\n"
                           " --fail-on=LEVEL          error (default), warning, note, never\n"
                           " --strict-waivers         fail on waivers that matched nothing in any report\n"
                           " --allow-empty            accept captures in which nothing was checked\n"
                           "The exit status is that of iwarp-check; see man iwarp-check.\n";

static bool parse(struct check_options *options, int argc, char **argv, GError **error)
{
    gchar *fail_on = NULL, *format = NULL;
    gboolean strict = FALSE, allow_empty = FALSE, asked = FALSE;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output, NULL, NULL},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, NULL, NULL},
        {"fail-on", 0, 0, G_OPTION_ARG_STRING, &fail_on, NULL, NULL},
        {"strict-waivers", 0, 0, G_OPTION_ARG_NONE, &strict, NULL, NULL},
        {"allow-empty", 0, 0, G_OPTION_ARG_NONE, &allow_empty, NULL, NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &asked, NULL, NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files, NULL, NULL},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
    };
    GOptionContext *context = g_option_context_new("merge");
    bool ok;

    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_main_entries(context, entries, NULL);
    ok = g_option_context_parse(context, &argc, &argv, error);
    if (!ok)
        options_add_hint(*error, entries, "iwarp-check merge --help");
    g_option_context_free(context);
    options->fail_on = SEVERITY_ERROR;
    options->format = FORMAT_JSON;
    options->strict_waivers = strict;
    options->allow_empty = allow_empty;
    options->help = asked;
    ok = ok && (asked || ((!fail_on || options_parse_fail_on(options, fail_on, error)) &&
                          (!format || options_parse_format(options, format, error))));
    g_free(fail_on);
    g_free(format);
    if (ok && asked)
        return true;
    if (ok && !options->files)
        g_set_error(error, CHECK_ERROR, CHECK_ERROR_USAGE,
                    "merge: no report given; try: iwarp-check merge A.json B.json --output=ALL.json");
    return ok && options->files;
}

int merge_run(int argc, char **argv)
{
    struct merge merge = {.captures = g_array_new(FALSE, FALSE, sizeof(struct merge_capture)),
                          .exercised = new_set(),
                          .unused = new_set(),
                          .used = new_set()};
    GError *error = NULL;
    int status = CHECK_TROUBLE;

    g_array_set_clear_func(merge.captures, clear_capture);
    if (!parse(&merge.options, argc, argv, &error))
        fprintf(stderr, "iwarp-check: %s\n", error->message);
    else if (!merge.options.help)
        status = merge_files(&merge);
    else if (fputs(help, stdout) >= 0 && fflush(stdout) == 0)
        status = CHECK_PASS;
    g_clear_error(&error);
    options_clear(&merge.options);
    g_array_unref(merge.captures);
    g_hash_table_unref(merge.exercised);
    g_hash_table_unref(merge.unused);
    g_hash_table_unref(merge.used);
    g_free(merge.profile);
    return status;
}
