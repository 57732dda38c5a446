// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_read.h"

#include "conformance/merge/merge_walk.h"

#include <string.h>

/* What one report lists, to be compared with what it sums up. */
struct listed {
    uint64_t found[SEVERITY_COUNT], waived, not_listed;
    GHashTable *waived_rules;
};

/* A report, as far as it was read. */
struct reading {
    struct merge_sums *sums;
    struct merge_input *input;
    guint file;
    struct listed listed;
    struct merge_capture capture; /* the latest */
    bool has_file, has_rules;     /* it */
    GHashTable *exercised;        /* ids of rules of its connections, as long as it has none of its own */
    bool lacks_rules;             /* a capture does */
    bool has_tool, has_profile, has_summary, has_format;
    uint64_t format;
    uint64_t found[SEVERITY_COUNT], waived; /* of the summary */
    GPtrArray *unused;
};

static GHashTable *new_set(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void merge_sums_init(struct merge_sums *sums)
{
    *sums = (struct merge_sums){.captures = g_array_new(FALSE, FALSE, sizeof(struct merge_capture)),
                                .exercised = new_set(),
                                .unused = new_set(),
                                .used = new_set()};
}

void merge_sums_clear(struct merge_sums *sums)
{
    g_array_unref(sums->captures);
    g_hash_table_unref(sums->exercised);
    g_hash_table_unref(sums->unused);
    g_hash_table_unref(sums->used);
    g_free(sums->profile);
}

static void read_remember(GHashTable *set, struct json_view string)
{
    gchar *text = json_string_of(string);

    if (g_hash_table_contains(set, text))
        g_free(text);
    else
        g_hash_table_add(set, text);
}

/* ---- connections ---- */

static bool rejected_by_ib(struct json_view connection)
{
    struct json_view reason = json_member(json_member(connection, "ib"), "reject_reason");

    return reason.item && !json_is(reason, JSON_NULL);
}

bool merge_has_judged_guest(struct json_view connection)
{
    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->judged && json_member(connection, (*face)->kind->name).item)
            return true;
    return false;
}

/* What a part of a capture lacks, another one may have. */
static bool read_is_judged(struct json_view connection)
{
    bool ib = json_member(connection, "ib").item != NULL;
    struct json_view pair = json_member(json_member(connection, "counts"), ib ? "packets" : "fpdus");
    bool carried = json_integer(json_element(pair, 0)) > 0 || json_integer(json_element(pair, 1)) > 0;

    return carried && (!ib || merge_has_judged_guest(connection));
}

void merge_judge_connection(struct merge_judged *judged, struct json_view connection)
{
    if (judged->n++ == 0)
        judged->why = REPORT_NO_GUEST;
    judged->any = judged->any || read_is_judged(connection);
    judged->rejected += rejected_by_ib(connection);
    if (!json_member(connection, "ib").item)
        judged->why = REPORT_NO_FPDU;
    else if (judged->why == REPORT_NO_GUEST && json_member(connection, "ulp").item)
        judged->why = REPORT_OTHER_ULP;
}

enum report_emptiness merge_emptiness(const struct merge_judged *judged)
{
    if (judged->n == 0)
        return REPORT_NO_MPA;
    return judged->rejected == judged->n ? REPORT_REJECTED : judged->why;
}

/* What read_is_judged() takes for granted. */
static bool has_facts(struct merge_input *input, struct json_view connection)
{
    bool ib = json_member(connection, "ib").item != NULL, rejected;
    const char *name = ib ? "packets" : "fpdus";
    struct json_view counts = merge_view_object(input, connection, "a connection", "counts"), pair, mpa;

    if (!counts.item)
        return false;
    mpa = merge_view_object(input, connection, "a connection", ib ? "ib" : "mpa");
    pair = mpa.item ? merge_view_array(input, counts, "the counts", name) : mpa;
    if (!pair.item || (!ib && !merge_view_bool(input, mpa, "mpa", "rejected", &rejected)))
        return false;
    for (struct json_view each = json_first(pair); each.item; each = json_next(pair, each))
        if (json_is(each, JSON_OBJECT) || json_is(each, JSON_ARRAY) || json_is(each, JSON_NULL))
            return merge_input_wrong(input, "the counts", name, "a pair of numbers");
    return json_length(pair) == 2 || merge_input_wrong(input, "the counts", name, "a pair of numbers");
}

static bool read_severity_of(struct merge_input *input, struct json_view severity, size_t *number)
{
    for (*number = 0; *number < SEVERITY_COUNT; ++*number)
        if (json_says(severity, rule_severity_name((enum rule_severity) * number)))
            return true;
    return merge_input_wrong(input, "a finding", "severity", "error, warning or note");
}

static bool times_of(struct merge_input *input, struct json_view finding, uint64_t *times)
{
    struct json_view more = json_member(finding, "more");

    *times = 0;
    if (more.item && (!merge_view_object(input, finding, "a finding", "more").item ||
                      !merge_view_count(input, more, "more findings", "count", times)))
        return false;
    ++*times;
    return true;
}

static bool take_waived(struct merge_input *input, struct listed *listed, struct json_view rule, struct json_view same)
{
    read_remember(listed->waived_rules, rule);
    for (struct json_view id = json_first(same); id.item; id = json_next(same, id)) {
        if (!json_is(id, JSON_STRING))
            return merge_input_wrong(input, "an array", "same_as", "a string");
        read_remember(listed->waived_rules, id);
    }
    return true;
}

static bool take_finding(struct merge_input *input, struct json_view finding, struct listed *listed)
{
    struct json_view rule = merge_view_string(input, finding, "a finding", "rule");
    struct json_view severity = merge_view_string(input, finding, "a finding", "severity");
    struct json_view same = merge_view_array(input, finding, "a finding", "same_as");
    uint64_t times;
    size_t number;
    bool waived;

    if (!rule.item || !severity.item || !same.item ||
        !merge_view_bool(input, finding, "a finding", "waived", &waived) ||
        !read_severity_of(input, severity, &number) || !times_of(input, finding, &times))
        return false;
    if (waived)
        listed->waived += times;
    else
        listed->found[number] += times;
    return !waived || take_waived(input, listed, rule, same);
}

static bool read_take_findings(struct merge_input *input, struct json_view connection, struct listed *listed)
{
    struct json_view findings = merge_view_array(input, connection, "a connection", "findings");

    for (struct json_view each = json_first(findings); each.item; each = json_next(findings, each)) {
        if (!json_is(each, JSON_OBJECT))
            return merge_input_wrong(input, "an array", "findings", "an object");
        if (!take_finding(input, each, listed))
            return false;
    }
    return findings.item != NULL;
}

/* Into the set what was exercised. */
static bool take_rules(struct merge_input *input, GHashTable *exercised, struct json_view rules, const char *what)
{
    for (struct json_view id = json_first(rules); id.item; id = json_next(rules, id)) {
        uint64_t passed, failed;

        if (!json_is(json_named(id), JSON_OBJECT))
            return merge_input_wrong(input, what, "a rule", "an object");
        if (!merge_view_count(input, json_named(id), "a rule", "passed", &passed) ||
            !merge_view_count(input, json_named(id), "a rule", "failed", &failed))
            return false;
        if (passed > 0 || failed > 0)
            read_remember(exercised, id);
    }
    return true;
}

static bool read_take_connection(void *ctx, struct json_view connection)
{
    struct reading *reading = ctx;
    struct merge_input *input = reading->input;
    struct json_view rules = merge_view_object(input, connection, "a connection", "rules");
    uint64_t not_listed;

    if (!rules.item || !read_take_findings(input, connection, &reading->listed) || !has_facts(input, connection) ||
        !merge_view_count(input, connection, "a connection", "findings_not_listed", &not_listed))
        return false;
    reading->listed.not_listed += not_listed;
    merge_judge_connection(&reading->capture.judged, connection);
    return reading->has_rules || take_rules(input, reading->exercised, rules, "the rules of a connection");
}

/* ---- captures ---- */

static bool read_begin_capture(void *ctx, uint64_t at)
{
    struct reading *reading = ctx;

    reading->capture = (struct merge_capture){.file = reading->file, .begin = at};
    reading->has_file = reading->has_rules = false;
    g_hash_table_remove_all(reading->exercised);
    return true;
}

static bool read_take_file(struct reading *reading, struct json_view value)
{
    reading->has_file = json_is(value, JSON_STRING);
    return reading->has_file || merge_input_wrong(reading->input, "a capture", "file", "a string");
}

static bool take_capture_rules(struct reading *reading, struct json_view value)
{
    if (!json_is(value, JSON_OBJECT))
        return merge_input_wrong(reading->input, "a capture", "rules", "an object");
    reading->has_rules = true;
    return take_rules(reading->input, reading->sums->exercised, value, "the rules of a capture");
}

static bool read_take_part(struct reading *reading, struct json_view value)
{
    struct merge_capture *capture = &reading->capture;
    struct merge_input *input = reading->input;
    struct json_view series;
    g_autofree gchar *name = NULL;
    bool ended;

    if (!json_is(value, JSON_OBJECT))
        return merge_input_wrong(input, "a capture", "part", "an object");
    series = merge_view_string(input, value, "a part", "series");
    if (!series.item || !merge_view_count(input, value, "a part", "first", &capture->first) ||
        !merge_view_count(input, value, "a part", "last", &capture->last) ||
        !merge_view_bool(input, value, "a part", "ended", &ended))
        return false;
    if (capture->first == 0 || capture->last < capture->first)
        return merge_input_wrong(input, "a part", "last", "at least the first one");
    name = json_string_of(series);
    capture->series = g_intern_string(name);
    return true;
}

static bool take_error(struct reading *reading, struct json_view value)
{
    (void)value;
    reading->capture.failed = reading->sums->failed_capture = true;
    return true;
}

static bool take_verdict(struct reading *reading, struct json_view value)
{
    reading->capture.fails = json_says(value, report_status_name(CHECK_FAIL));
    return json_is(value, JSON_STRING) || merge_input_wrong(reading->input, "a capture", "verdict", "a string");
}

static bool take_cut_short(struct reading *reading, struct json_view value)
{
    (void)value;
    reading->capture.cut_short = reading->sums->cut_short = true;
    return true;
}

/* Connections that are not listed: only the summary counts their findings. */
static bool read_take_rest(struct reading *reading, struct json_view value)
{
    struct merge_input *input = reading->input;
    uint64_t n[SEVERITY_COUNT], waived, troubled;
    bool ok = json_is(value, JSON_OBJECT) &&
              merge_view_count(input, value, "not_listed", "connections", &reading->capture.not_listed) &&
              merge_view_count(input, value, "not_listed", "troubled", &troubled) &&
              merge_view_count(input, value, "not_listed", "waived", &waived);

    for (size_t i = 0; ok && i < SEVERITY_COUNT; i++) {
        ok = merge_view_count(input, value, "not_listed", rule_severity_name((enum rule_severity)i), &n[i]);
        reading->listed.not_listed += ok ? n[i] : 0;
    }
    if (!ok)
        return merge_input_wrong(input, "a capture", "not_listed", "an object of counts");
    reading->listed.not_listed += waived;
    if (troubled > 0)
        reading->capture.cut_short = reading->sums->cut_short = true;
    return true;
}

static bool take_calls(struct reading *reading, struct json_view value)
{
    reading->capture.has_trouble = true;
    return json_is(value, JSON_OBJECT) || merge_input_wrong(reading->input, "a capture", "calls", "an object");
}

static bool take_trouble(struct reading *reading, struct json_view value)
{
    if (!json_is(value, JSON_ARRAY))
        return merge_input_wrong(reading->input, "a capture", "trouble", "an array");
    for (struct json_view each = json_first(value); each.item; each = json_next(value, each)) {
        if (!json_is(each, JSON_OBJECT))
            return merge_input_wrong(reading->input, "an array", "trouble", "an object");
        reading->capture.trouble |= json_says(json_member(each, "level"), "trouble");
        reading->capture.incomplete |= json_says(json_member(each, "kind"), trouble_kind_name(TROUBLE_INCOMPLETE));
    }
    return true;
}

static bool take_nothing(struct reading *reading, struct json_view value)
{
    reading->capture.says_why = json_is(value, JSON_STRING);
    return true;
}

static bool take_of_capture(void *ctx, const char *name, struct json_view value)
{
    static const struct {
        const char *name;
        bool (*take)(struct reading *reading, struct json_view value);
    } members[] = {
        {"file", read_take_file},      {"rules", take_capture_rules}, {"part", read_take_part},
        {"verdict", take_verdict},     {"error", take_error},         {"connections_cut_short", take_cut_short},
        {"calls", take_calls},         {"trouble", take_trouble},     {"nothing_checked", take_nothing},
        {"not_listed", read_take_rest}};

    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        if (strcmp(name, members[i].name) == 0)
            return members[i].take(ctx, value);
    return true;
}

static bool begin_connections(void *ctx, uint64_t at)
{
    ((struct reading *)ctx)->capture.from = at;
    return true;
}

static bool end_connections(void *ctx, uint64_t at)
{
    ((struct reading *)ctx)->capture.to = at;
    return true;
}

static gboolean read_move(gpointer id, gpointer value, gpointer to)
{
    (void)value;
    g_hash_table_add(to, id);
    return TRUE;
}

static bool end_capture(void *ctx, uint64_t at)
{
    struct reading *reading = ctx;

    if (!reading->has_file)
        return merge_input_wrong(reading->input, "a capture", "file", "a string");
    if (!reading->has_rules) {
        reading->lacks_rules = reading->capture.lacks_rules = true;
        g_hash_table_foreach_steal(reading->exercised, read_move, reading->sums->exercised);
    }
    reading->capture.end = at;
    g_array_append_val(reading->sums->captures, reading->capture);
    return true;
}

/* ---- the report ---- */

static bool take_tool(struct reading *reading, struct json_view value)
{
    reading->has_tool = json_says(value, "iwarp-check");
    return reading->has_tool || merge_input_wrong(reading->input, "the report", "tool", "iwarp-check");
}

/* Reports from before there was a number are of the first format. */
static bool read_take_format(struct reading *reading, struct json_view value)
{
    reading->format = (uint64_t)json_integer(value);
    return (reading->format >= MERGE_FORMAT_OF_CONNECTIONS && reading->format <= REPORT_JSON_FORMAT) ||
           merge_input_wrong(reading->input, "the report", "format", "1 to 3");
}

static bool take_profile(struct reading *reading, struct json_view value)
{
    struct merge_sums *sums = reading->sums;

    reading->has_profile = true;
    if (!json_says(value, "ietf") && !json_says(value, "rdmac") && !json_says(value, "rfc5666"))
        return merge_input_wrong(reading->input, "the report", "profile", "ietf, rdmac or rfc5666");
    if (!sums->profile)
        sums->profile = json_string_of(value);
    return json_says(value, sums->profile) ||
           merge_input_wrong(reading->input, "the report", "profile", "the same as in the other reports");
}

static bool take_unused(struct reading *reading, struct json_view unused)
{
    g_ptr_array_set_size(reading->unused, 0);
    for (struct json_view id = json_first(unused); id.item; id = json_next(unused, id)) {
        if (!json_is(id, JSON_STRING))
            return merge_input_wrong(reading->input, "an array", "unused_waivers", "a string");
        g_ptr_array_add(reading->unused, json_string_of(id));
    }
    return unused.item != NULL;
}

static bool take_summary(struct reading *reading, struct json_view value)
{
    struct merge_input *input = reading->input;
    struct json_view findings, unused;

    if (!json_is(value, JSON_OBJECT))
        return merge_input_wrong(input, "the report", "summary", "an object");
    reading->has_summary = true;
    findings = merge_view_object(input, value, "the summary", "findings");
    unused = findings.item ? merge_view_array(input, value, "the summary", "unused_waivers") : findings;
    if (!unused.item || !merge_view_count(input, value, "the summary", "waived", &reading->waived))
        return false;
    for (size_t i = 0; i < SEVERITY_COUNT; i++)
        if (!merge_view_count(input, findings, "the summary", rule_severity_name((enum rule_severity)i),
                              &reading->found[i]))
            return false;
    return take_unused(reading, unused);
}

static bool take_member(void *ctx, const char *name, struct json_view value)
{
    static const struct {
        const char *name;
        bool (*take)(struct reading *reading, struct json_view value);
    } members[] = {
        {"tool", take_tool}, {"format", read_take_format}, {"profile", take_profile}, {"summary", take_summary}};

    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        if (strcmp(name, members[i].name) == 0)
            return members[i].take(ctx, value);
    return true;
}

/* Findings that are counted but not listed are known from the summary only, which must agree with the rest. */
static bool agrees(const struct reading *reading)
{
    const struct listed *listed = &reading->listed;
    uint64_t total = reading->waived, all_listed = listed->waived + listed->not_listed;
    bool ok = reading->waived >= listed->waived;

    for (size_t i = 0; i < SEVERITY_COUNT; i++) {
        ok &= reading->found[i] >= listed->found[i];
        total += reading->found[i];
        all_listed += listed->found[i];
    }
    return (ok && total == all_listed) ||
           merge_input_wrong(reading->input, "the report", "summary", "the sum of its findings");
}

static bool read_is_complete(const struct reading *reading)
{
    struct merge_input *input = reading->input;

    if (!reading->has_tool)
        return merge_input_wrong(input, "the report", "tool", "a string");
    if (!reading->has_profile)
        return merge_input_wrong(input, "the report", "profile", "a string");
    if (reading->lacks_rules && reading->format != MERGE_FORMAT_OF_CONNECTIONS)
        return merge_input_wrong(input, "a capture", "rules", "an object");
    return (reading->has_summary || merge_input_wrong(input, "the report", "summary", "an object")) && agrees(reading);
}

static void read_add_up(struct reading *reading)
{
    struct merge_sums *sums = reading->sums;

    for (size_t i = 0; i < SEVERITY_COUNT; i++)
        sums->found[i] += reading->found[i];
    sums->waived += reading->waived;
    for (guint i = 0; i < reading->unused->len; i++) {
        const char *id = g_ptr_array_index(reading->unused, i);

        g_hash_table_add(sums->unused, g_strdup(id));
        g_hash_table_remove(reading->listed.waived_rules, id);
    }
    g_hash_table_foreach_steal(reading->listed.waived_rules, read_move, sums->used);
}

bool merge_read(struct merge_sums *sums, struct merge_input *input, struct merge_files *files, guint number)
{
    struct reading reading = {.sums = sums,
                              .input = input,
                              .file = number,
                              .listed = {.waived_rules = new_set()},
                              .exercised = new_set(),
                              .format = MERGE_FORMAT_OF_CONNECTIONS,
                              .unused = g_ptr_array_new_with_free_func(g_free)};
    const struct merge_walk walk = {.ctx = &reading,
                                    .member = take_member,
                                    .begin_capture = read_begin_capture,
                                    .of_capture = take_of_capture,
                                    .begin_connections = begin_connections,
                                    .connection = read_take_connection,
                                    .end_connections = end_connections,
                                    .end_capture = end_capture};
    int fd = merge_files_at(files, number, 0);
    struct json_source source;
    bool ok;

    json_source_init(&source, fd);
    ok = (fd >= 0 || merge_input_unread(input, MERGE_UNREADABLE)) && merge_walk_report(input, &source, &walk) &&
         read_is_complete(&reading);
    if (ok)
        read_add_up(&reading);
    json_source_clear(&source);
    g_hash_table_unref(reading.listed.waived_rules);
    g_hash_table_unref(reading.exercised);
    g_ptr_array_unref(reading.unused);
    return ok;
}
