// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_read.h"

#include "conformance/options/selector.h"

#include <string.h>

/* Counts of what a report lists, for comparison with its sums. */
struct listed {
    uint64_t found[SEVERITY_COUNT], waived, not_listed;
    bool waived_rules[RULE_COUNT];
};

/* The part of a report that has been read. */
struct reading {
    struct merge_sums *sums;
    struct merge_lines lines;
    struct report_line line;
    struct listed listed;
    struct merge_capture capture; /* the capture whose connections are being read */
    gchar *file;                  /* the first line of these connections; NULL: none has been read yet */
    guint number;                 /* of the file */
    struct report_line_summary summary;
    bool ended; /* the summary has been read */
};

/* ---- lines ---- */

void merge_line_init(struct report_line *line, enum rule_profile profile)
{
    *line = (struct report_line){
        .profile = profile, .rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule)), .waivers = waivers_new()};
}

void merge_line_clear(struct report_line *line)
{
    g_array_unref(line->rules);
    g_ptr_array_unref(line->waivers);
}

/* ---- sums ---- */

static GHashTable *new_set(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void merge_sums_init(struct merge_sums *sums)
{
    *sums = (struct merge_sums){
        .captures = g_array_new(FALSE, FALSE, sizeof(struct merge_capture)), .unused = new_set(), .used = new_set()};
}

void merge_sums_clear(struct merge_sums *sums)
{
    g_array_unref(sums->captures);
    g_hash_table_unref(sums->unused);
    g_hash_table_unref(sums->used);
    g_free(sums->profile);
}

enum rule_profile merge_profile(const struct merge_sums *sums)
{
    return g_strcmp0(sums->profile, "rdmac") == 0     ? PROFILE_RDMAC
           : g_strcmp0(sums->profile, "rfc5666") == 0 ? PROFILE_RFC5666
                                                      : PROFILE_IETF;
}

void merge_judge_connection(struct merge_judged *judged, const struct report_connection *connection)
{
    if (judged->n++ == 0)
        judged->why = REPORT_NO_GUEST;
    judged->any = judged->any || report_is_judged(connection);
    judged->rejected += connection->ib && connection->ib->rejected;
    if (!connection->ib)
        judged->why = REPORT_NO_FPDU;
    else if (judged->why == REPORT_NO_GUEST && connection->guest.face && !connection->guest.face->judged)
        judged->why = REPORT_OTHER_ULP;
}

enum report_emptiness merge_emptiness(const struct merge_judged *judged)
{
    if (judged->n == 0)
        return REPORT_NO_MPA;
    return judged->rejected == judged->n ? REPORT_REJECTED : judged->why;
}

/* ---- the lines of a report ---- */

static bool take_run(struct reading *reading)
{
    struct merge_lines *lines = &reading->lines;
    struct merge_sums *sums = reading->sums;
    struct report_line_run run;

    if (!report_line_read_run(&lines->reading, lines->object, &run))
        return false;
    if (strcmp(run.tool, "iwarp-check") != 0)
        return json_wrong(&lines->reading, "the report", "tool", "iwarp-check");
    if (run.format != REPORT_JSON_FORMAT)
        return json_wrong(&lines->reading, "the report", "format", "4");
    if (strcmp(run.profile, "ietf") != 0 && strcmp(run.profile, "rdmac") != 0 && strcmp(run.profile, "rfc5666") != 0)
        return json_wrong(&lines->reading, "the report", "profile", "ietf, rdmac or rfc5666");
    if (!sums->profile)
        sums->profile = g_strdup(run.profile);
    reading->line.profile = merge_profile(sums);
    return strcmp(run.profile, sums->profile) == 0 ||
           json_wrong(&lines->reading, "the report", "profile", "the same as in the other reports");
}

/* Connections precede their capture, and name it. */
static bool is_of_capture(struct reading *reading, const char *what)
{
    const char *file = reading->line.file;

    if (!reading->file) {
        reading->capture = (struct merge_capture){
            .file = reading->number, .begin = reading->lines.begin, .number = reading->lines.number};
        reading->file = g_strdup(file);
    }
    return strcmp(reading->file, file) == 0 ||
           json_wrong(&reading->lines.reading, what, "file", "the same as in the lines before it");
}

static void remember_waived(struct listed *listed, const struct report_connection *connection,
                            enum rule_profile profile)
{
    for (guint i = 0; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);

        if (!finding->waiver || listed->waived_rules[finding->rule])
            continue;
        for (size_t k = 0; k < RULE_COUNT; k++)
            listed->waived_rules[k] |= k == finding->rule || (rule_carried_by(&rule_catalogue[k], finding->rule) &&
                                                              rule_binds(&rule_catalogue[k], profile));
    }
}

static bool take_connection(struct reading *reading)
{
    struct merge_lines *lines = &reading->lines;
    struct report_connection *connection = report_line_read_connection(&lines->reading, lines->object);
    struct listed *listed = &reading->listed;
    bool ok = connection && is_of_capture(reading, "a connection");

    if (ok) {
        for (size_t i = 0; i < SEVERITY_COUNT; i++)
            listed->found[i] += connection->found[i];
        listed->waived += connection->waived;
        listed->not_listed += connection->not_kept;
        remember_waived(listed, connection, reading->line.profile);
        merge_judge_connection(&reading->capture.judged, connection);
    }
    report_connection_free(connection);
    return ok;
}

static void read_take_facts(struct reading *reading, const struct report_capture *from)
{
    struct merge_capture *capture = &reading->capture;
    struct merge_sums *sums = reading->sums;

    capture->line = reading->lines.begin;
    capture->end = reading->lines.end;
    capture->name = g_intern_string(from->file);
    capture->series = g_intern_string(from->part.series);
    capture->first = from->part.first;
    capture->last = from->part.number;
    capture->ended = from->part.last;
    capture->start_ns = from->start_ns;
    capture->failed = from->failed;
    capture->fails = strcmp(reading->line.verdict, report_status_name(CHECK_FAIL)) == 0;
    capture->cut_short = report_capture_cut_short(from);
    capture->trouble = troubles_any(from->troubles);
    for (guint i = 0; i < from->troubles->list->len; i++)
        capture->incomplete |=
            ((const struct trouble *)g_ptr_array_index(from->troubles->list, i))->kind == TROUBLE_INCOMPLETE;
    sums->failed_capture |= capture->failed;
    sums->cut_short |= capture->cut_short;
    for (guint i = 0; i < reading->line.rules->len; i++) {
        const struct report_rule *rule = &g_array_index(reading->line.rules, struct report_rule, i);

        sums->exercised[rule->rule] |= rule->count.passed > 0 || rule->count.failed > 0;
    }
}

static bool take_capture(struct reading *reading)
{
    struct merge_lines *lines = &reading->lines;
    struct report_capture *capture;
    bool ok;

    reading->line.start_ns = 0;
    capture = report_line_read_capture(&lines->reading, lines->object);
    ok = capture && is_of_capture(reading, "a capture");
    if (ok) {
        read_take_facts(reading, capture);
        reading->capture.not_listed = capture->rest.n;
        for (size_t i = 0; i < SEVERITY_COUNT; i++)
            reading->listed.not_listed += capture->rest.found[i];
        reading->listed.not_listed += capture->rest.waived;
        g_array_append_val(reading->sums->captures, reading->capture);
        g_clear_pointer(&reading->file, g_free);
    }
    report_capture_free(capture);
    return ok;
}

/* The summary alone counts findings that are not listed; it must agree with the rest. */
static bool agrees(struct reading *reading)
{
    const struct report_line_summary *summary = &reading->summary;
    const struct listed *listed = &reading->listed;
    uint64_t total = summary->waived, all_listed = listed->waived + listed->not_listed;
    bool ok = summary->waived >= listed->waived;

    for (size_t i = 0; i < SEVERITY_COUNT; i++) {
        ok &= summary->found[i] >= listed->found[i];
        total += summary->found[i];
        all_listed += listed->found[i];
    }
    return (ok && total == all_listed) ||
           json_wrong(&reading->lines.reading, "the summary", "findings", "the sum of the values before it");
}

static void add_up(struct reading *reading)
{
    struct merge_sums *sums = reading->sums;

    for (size_t i = 0; i < SEVERITY_COUNT; i++)
        sums->found[i] += reading->summary.found[i];
    sums->waived += reading->summary.waived;
    for (guint i = 0; i < reading->summary.unused->len; i++) {
        const char *id = g_ptr_array_index(reading->summary.unused, i);
        const struct rule *rule = rule_find(id);

        g_hash_table_add(sums->unused, g_strdup(id));
        if (rule)
            reading->listed.waived_rules[rule_number(rule)] = false;
    }
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (reading->listed.waived_rules[i])
            g_hash_table_add(sums->used, g_strdup(rule_catalogue[i].id));
}

static bool take_summary(struct reading *reading)
{
    struct merge_lines *lines = &reading->lines;

    if (reading->file)
        return json_wrong(&lines->reading, "a line", "type", "\"capture\" after connections");
    if (!report_line_read_summary(&lines->reading, lines->object, &reading->summary) || !agrees(reading))
        return false;
    add_up(reading);
    reading->ended = true;
    return true;
}

static bool read_take_line(struct reading *reading)
{
    static const struct {
        const char *type;
        bool (*take)(struct reading *reading);
    } types[] = {{"connection", take_connection}, {"capture", take_capture}, {"summary", take_summary}};
    struct merge_lines *lines = &reading->lines;

    if (lines->number == 1)
        return strcmp(lines->type, "run") == 0 ? take_run(reading)
                                               : json_wrong(&lines->reading, "the first line", "type", "\"run\"");
    for (size_t i = 0; i < G_N_ELEMENTS(types) && !reading->ended; i++)
        if (strcmp(lines->type, types[i].type) == 0)
            return types[i].take(reading);
    return json_wrong(&lines->reading, "a line", "type",
                      reading->ended ? "there only before the summary" : "connection, capture or summary");
}

gchar *merge_read(struct merge_sums *sums, struct merge_files *files, guint number)
{
    struct reading reading = {.sums = sums, .number = number, .summary = {.unused = g_ptr_array_new()}};
    struct merge_lines *lines = &reading.lines;
    gchar *error;

    merge_line_init(&reading.line, PROFILE_IETF);
    merge_lines_init(lines, files->paths[number], merge_files_at(files, number, 0), 0);
    lines->reading.ctx = &reading.line;
    while (merge_lines_next(lines))
        if (!read_take_line(&reading))
            merge_lines_wrong(lines);
    if (!reading.ended)
        merge_lines_fail(lines, "not a report of iwarp-check: the summary is missing at its end");
    error = g_steal_pointer(&lines->error);
    merge_lines_clear(lines);
    merge_line_clear(&reading.line);
    g_ptr_array_unref(reading.summary.unused);
    g_free(reading.file);
    return error;
}
