// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_write.h"

#include "conformance/merge/merge_lines.h"
#include "conformance/merge/merge_read.h"
#include "conformance/options/options.h"

#include <string.h>
#include <unistd.h>

struct filling {
    struct report *report;
    struct check_options *options;
    struct merge_lines lines;
    struct report_line line;
    GPtrArray *connections; /* struct report_connection * of the capture that comes next */
};

/* Rules with the same requirement share their counts. A report of another version may count rules that are not judged.
 */
static struct folded_counts *fold_rules(const GArray *rules, struct doubts *doubts)
{
    struct rule_counts counts = {0};

    for (guint i = 0; i < rules->len; i++) {
        const struct report_rule *rule = &g_array_index(rules, struct report_rule, i);

        if (rule_counter[rule->rule] == RULE_UNCOUNTED)
            continue;
        counts_set(&counts, rule_counter[rule->rule], rule->count);
        if (rule->doubt.why != WHY_NONE)
            doubts_keep(doubts, (struct doubt_at){rule->doubt.frame, rule_counter[rule->rule], rule->doubt.why});
    }
    return counts_fold(NULL, &counts, NULL);
}

static void report_find_failing(const struct filling *filling, struct report_connection *connection)
{
    for (guint i = 0; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);
        uint64_t times = UINT64_C(1) + finding->more;

        if (finding->waiver || !options_fails(filling->options, finding->severity))
            continue;
        for (uint64_t k = 0; k < MIN(times, MAX_FINDINGS_DEFAULT); k++)
            report_add_failing(connection, finding->rule);
    }
}

static void fill_connection(struct filling *filling)
{
    struct merge_lines *lines = &filling->lines;
    struct report_connection *connection;

    filling->line.start_ns = 0;
    connection = report_line_read_connection(&lines->reading, lines->object);
    if (!connection) {
        merge_lines_wrong(lines);
        return;
    }
    connection->continued = connection->continues = false;
    connection->counts = fold_rules(filling->line.rules, &connection->doubts);
    report_find_failing(filling, connection);
    g_ptr_array_add(filling->connections, connection);
}

/* Turns times since the start of the capture into absolute times. */
static void set_start(struct report_connection *connection, int64_t start_ns)
{
    for (guint i = 0; i < connection->findings->len; i++)
        g_array_index(connection->findings, struct report_finding, i).time_ns += start_ns;
}

static void fill_capture(struct filling *filling)
{
    struct merge_lines *lines = &filling->lines;
    struct report_capture *capture = report_line_read_capture(&lines->reading, lines->object);

    if (!capture) {
        merge_lines_wrong(lines);
        return;
    }
    g_clear_pointer(&capture->part.series, g_free);
    capture->counts = fold_rules(filling->line.rules, &capture->doubts);
    for (guint i = 0; i < filling->connections->len; i++)
        set_start(g_ptr_array_index(filling->connections, i), capture->start_ns);
    g_ptr_array_extend_and_steal(capture->connections, g_steal_pointer(&filling->connections));
    filling->connections = g_ptr_array_new_with_free_func((GDestroyNotify)report_connection_free);
    g_ptr_array_add(filling->report->captures, capture);
}

bool merge_report_fill(struct report *report, struct check_options *options, FILE *merged)
{
    struct filling filling = {
        .report = report,
        .options = options,
        .line = {.waivers = options->waivers, .rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule))},
        .connections = g_ptr_array_new_with_free_func((GDestroyNotify)report_connection_free)};
    struct merge_lines *lines = &filling.lines;
    bool ok;

    merge_lines_init(lines, "the merged report", lseek(fileno(merged), 0, SEEK_SET) == 0 ? fileno(merged) : -1, 0);
    lines->reading.ctx = &filling.line;
    while (merge_lines_next(lines)) {
        if (strcmp(lines->type, "connection") == 0)
            fill_connection(&filling);
        else if (strcmp(lines->type, "capture") == 0)
            fill_capture(&filling);
    }
    ok = !lines->error;
    merge_lines_clear(lines);
    g_ptr_array_unref(filling.connections);
    g_array_unref(filling.line.rules);
    return ok;
}
