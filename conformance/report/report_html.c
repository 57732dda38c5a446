// SPDX-License-Identifier: GPL-2.0-or-later
/* The HTML report. Style and script are beside this file; support/page.c has what all pages share. */
#include "conformance/report/report_html.h"

#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_stats.h"
#include "conformance/report/report_trouble.h"
#include "conformance/report/report_violations.h"

#include "support/page.h"

#include <inttypes.h>
#include <string.h>

enum { COMMAND_SHOWN = 240 };

extern const char report_css[], report_js[]; /* made from the files of these names */

static const char *const status_classes[] = {
    [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail", [CHECK_TROUBLE] = "trouble", [CHECK_NOTHING] = "nothing"};

/* ---- verdict, tools ---- */

/* Now, or SOURCE_DATE_EPOCH (reproducible-builds.org). */
static gchar *date_text(void)
{
    const char *epoch = g_getenv("SOURCE_DATE_EPOCH");
    guint64 seconds;
    GDateTime *date = epoch && g_ascii_string_to_unsigned(epoch, 10, 0, G_MAXINT32, &seconds, NULL)
                          ? g_date_time_new_from_unix_utc((gint64)seconds)
                          : g_date_time_new_now_utc();
    gchar *text = g_date_time_format(date, "%Y-%m-%d %H:%M UTC");

    g_date_time_unref(date);
    return text;
}

static void html_write_verdict(struct html_page *page)
{
    const struct report *report = page->report;
    g_autofree gchar *verdict = verdict_text(report), *known = known_text(report);
    g_auto(GStrv) parts = g_strsplit(verdict, ": ", 2);

    markup_begin(page->writer, "header", "class",
                 report_is_trouble(report) ? "trouble" : status_classes[report->status], NULL);
    markup_element(page->writer, "p", "tool", "iwarp-check " IWARP_KIT_VERSION);
    markup_element(page->writer, "h1", NULL, "%s", parts[0]);
    markup_element(page->writer, "p", "summary", "%s", parts[1]);
    if (known)
        markup_element(page->writer, "p", "known", "%s", known);
    markup_end(page->writer);
}

/* The command that was run, at the end of the page. */
static void html_write_run(struct html_page *page)
{
    static const char *const fail_on[] = {
        [SEVERITY_NOTE] = "notes", [SEVERITY_WARNING] = "warnings", [SEVERITY_ERROR] = "errors"};
    const struct report *report = page->report;
    const struct check_options *options = report->options;
    g_autofree gchar *date = date_text();

    markup_begin(page->writer, "section", "id", "run", NULL);
    markup_element(page->writer, "h2", NULL, "This report");
    markup_begin(page->writer, "dl", "class", "run", NULL);
    if (report->captures->len == 1)
        markup_term(page->writer, "Capture", "%s", ((const struct report_capture *)report->captures->pdata[0])->file);
    else
        markup_term(page->writer, "Captures", "%u", report->captures->len);
    markup_term(page->writer, "Written", "%s", date);
    if (options->command_line)
        markup_term(page->writer, "Command", "%.*s%s", COMMAND_SHOWN, options->command_line,
                    strlen(options->command_line) > COMMAND_SHOWN ? "..." : "");
    if (report->status != CHECK_PASS)
        markup_term(
            page->writer, "In a browser", "%s",
            "drop the captures on iwarp-check.html of iwarp-kit for the same report; no data leave the browser");
    markup_term(page->writer, "Profile", "%s; %s fail", options->profile,
                options->fail_never ? "no findings" : fail_on[options->fail_on]);
    markup_end(page->writer);
    markup_end(page->writer);
}

static void write_checkbox(struct html_page *page, const char *value)
{
    markup_begin(page->writer, "label", NULL);
    markup_void(page->writer, "input", "type", "checkbox", "name", "class", "value", value, "checked", "checked", NULL);
    markup_element(page->writer, "span", value, "%s", value);
    markup_end(page->writer);
}

static void html_write_tools(struct html_page *page)
{
    static const char *const outcomes[][2] = {
        {"", "all rules"}, {"failed", "failed"}, {"passed", "passed"}, {"inconclusive", "inconclusive"}};

    page_begin_tools(page->writer, "rule id, frame, word");
    markup_begin(page->writer, "fieldset", NULL);
    markup_element(page->writer, "legend", NULL, "Show");
    write_checkbox(page, "error");
    write_checkbox(page, "warning");
    write_checkbox(page, "note");
    write_checkbox(page, "waived");
    markup_end(page->writer);
    page_select(page->writer, "Matrix ", outcomes, G_N_ELEMENTS(outcomes));
    page_end_tools(page->writer);
}

/* ---- captures ---- */

static void write_listed(struct html_page *page, const struct html_entry *entry)
{
    const struct report_connection *connection = entry->connection;
    char id[HTML_ID_SIZE], initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];
    g_autofree gchar *found = found_text(connection->found, connection->waived);
    g_autofree gchar *number = g_strdup_printf("%" PRIu32, connection->id);
    g_autofree gchar *frames = frames_text(connection->start_frame, connection->end_frame);

    markup_begin(page->writer, "tr", NULL);
    markup_begin_row_head(page->writer);
    if (g_hash_table_contains(page->in_full, connection))
        markup_link(page->writer, html_entry_id(entry, id), number);
    else
        markup_text(page->writer, number);
    markup_end(page->writer);
    markup_element(page->writer, "td", NULL, "%s", endpoint_text(&connection->initiator, initiator));
    markup_element(page->writer, "td", NULL, "%s", endpoint_text(&connection->responder, responder));
    markup_element(page->writer, "td", "number", "%s", frames + strcspn(frames, "0123456789"));
    markup_element(page->writer, "td", NULL, "%s%s", found, continuity_text(connection));
    markup_end(page->writer);
}

static void html_write_list(struct html_page *page, const struct report_capture *capture, unsigned number,
                            unsigned *listed)
{
    static const char *const names[] = {"No.", "Initiator", "Responder", "Frames", "Findings"};
    const GPtrArray *connections = capture->connections;
    unsigned left_out = 0;

    markup_begin_table(page->writer, "connections", "RDMA connections of this capture", names, G_N_ELEMENTS(names));
    for (guint i = 0; i < connections->len; i++) {
        const struct html_entry entry = {capture, number, g_ptr_array_index(connections, i)};

        if ((*listed)++ < HTML_CONNECTIONS_LISTED || g_hash_table_contains(page->in_full, entry.connection))
            write_listed(page, &entry);
        else
            left_out++;
    }
    markup_end_table(page->writer);
    if (left_out > 0)
        markup_element(page->writer, "p", "more", "%u of these %u connections are not listed; --format=json has all",
                       left_out, connections->len);
}

static void write_facts(struct html_page *page, const struct report_capture *capture)
{
    g_autofree gchar *packets = markup_number(capture->packets), *octets = markup_number(capture->octets);
    g_autofree gchar *part = part_text(&capture->part), *snapped = NULL;
    GString *cut = g_string_new(NULL);

    add_snapped(cut, capture);
    snapped = g_string_free(cut, FALSE);
    markup_begin(page->writer, "p", "class", "facts", NULL);
    if (part)
        markup_format(page->writer, "%s: ", part);
    markup_format(page->writer, "%s packet%s, %s octet%s", packets, plural(capture->packets), octets,
                  plural(capture->octets));
    if (capture->dropped > 0)
        markup_format(page->writer, " (%" PRIu64 " dropped by the capture)", capture->dropped);
    markup_format(page->writer, ", %" PRIu64 " RDMA connection%s", report_n_connections(capture),
                  plural(report_n_connections(capture)));
    if (capture->other_connections > 0)
        markup_format(page->writer, ", %" PRIu64 " other", capture->other_connections);
    if (capture->start_ns != 0) {
        g_autofree gchar *start = clock_text(capture->start_ns);

        markup_format(page->writer, ", from %s", start);
    }
    markup_text(page->writer, snapped);
    markup_end(page->writer);
}

static void html_write_capture(struct html_page *page, const struct report_capture *capture, unsigned number,
                               unsigned *listed)
{
    g_autofree gchar *id = g_strdup_printf("c%u", number);

    markup_begin(page->writer, "section", "class", "capture", "id", id, NULL);
    markup_element(page->writer, "h3", NULL, "%s", capture->file);
    write_facts(page, capture);
    if (capture->trouble)
        markup_element(page->writer, "p", "trouble", "%s", capture->trouble);
    if (!capture->failed && report_nothing_checked(capture))
        markup_element(page->writer, "p", "trouble", "%s", report_nothing_checked(capture));
    if (capture->connections->len > 0)
        html_write_list(page, capture, number, listed);
    markup_end(page->writer);
}

static void html_write_captures(struct html_page *page)
{
    const GPtrArray *captures = page->report->captures;
    unsigned listed = 0;

    markup_begin(page->writer, "section", "id", "captures", NULL);
    markup_element(page->writer, "h2", NULL, captures->len == 1 ? "Capture" : "Captures");
    for (guint i = 0; i < captures->len; i++)
        html_write_capture(page, g_ptr_array_index(captures, i), i + 1, &listed);
    markup_end(page->writer);
}

/* ---- connections, the worst ones first ---- */

static int compare_counts(uint64_t a, uint64_t b)
{
    return a > b ? -1 : a < b;
}

static gint by_severity(gconstpointer a, gconstpointer b)
{
    const struct html_entry *first = a, *second = b;
    int order = 0;

    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE && order == 0; severity--)
        order = compare_counts(first->connection->found[severity], second->connection->found[severity]);
    if (order == 0)
        order = compare_counts(first->connection->waived, second->connection->waived);
    if (order == 0)
        order = compare_counts(second->capture_number, first->capture_number);
    return order != 0 ? order : compare_counts(second->connection->id, first->connection->id);
}

/* Findings that were kept, and findings that were not. */
static bool html_has_findings(const struct report_connection *connection)
{
    uint64_t n = connection->waived;

    for (int severity = 0; severity < SEVERITY_COUNT; severity++)
        n += connection->found[severity];
    return n > 0;
}

static void collect_entries(struct html_page *page)
{
    const GPtrArray *captures = page->report->captures;

    for (guint i = 0; i < captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(captures, i);

        for (guint k = 0; k < capture->connections->len; k++) {
            struct html_entry entry = {capture, i + 1, g_ptr_array_index(capture->connections, k)};

            g_array_append_val(page->entries, entry);
            page->faulty += html_has_findings(entry.connection);
        }
    }
    g_array_sort(page->entries, by_severity);
}

/* Whether the connection violates a rule that no earlier connection violated. */
static bool adds_rule(bool seen[RULE_COUNT], const struct report_connection *connection)
{
    bool any = false;

    for (guint i = 0; i < connection->findings->len; i++) {
        bool *rule = &seen[g_array_index(connection->findings, struct report_finding, i).rule];

        any |= !*rule;
        *rule = true;
    }
    return any;
}

/* Entries [from, to), at most this many; those that add a rule come first. */
static void html_choose(struct html_page *page, guint from, guint to, guint most)
{
    bool seen[RULE_COUNT] = {false};
    guint chosen = 0;

    for (int round = 0; round < 2; round++) {
        for (guint i = from; i < to && chosen < most; i++) {
            const struct report_connection *connection = g_array_index(page->entries, struct html_entry, i).connection;

            if (round == 1 || adds_rule(seen, connection))
                chosen += g_hash_table_add(page->in_full, (gpointer)connection);
        }
    }
}

static void write_entries(struct html_page *page, bool faulty)
{
    for (guint i = 0; i < page->entries->len; i++) {
        const struct html_entry *entry = &g_array_index(page->entries, struct html_entry, i);

        if (html_has_findings(entry->connection) == faulty && g_hash_table_contains(page->in_full, entry->connection))
            html_write_entry(page, entry);
    }
}

static void write_faulty(struct html_page *page)
{
    if (page->faulty == 0)
        return;
    markup_element(page->writer, "h2", NULL, "Connections with findings, the worst first");
    if (page->faulty > HTML_CONNECTIONS_FAULTY)
        markup_element(page->writer, "p", "more",
                       "%u of %u connections with findings are shown in full; --format=json has all",
                       HTML_CONNECTIONS_FAULTY, page->faulty);
    write_entries(page, true);
}

static void write_clean(struct html_page *page)
{
    guint clean = page->entries->len - page->faulty;

    if (clean == 0)
        return;
    markup_begin(page->writer, "section", "id", "clean", NULL);
    markup_element(page->writer, "h2", NULL, "Connections without findings: %u", clean);
    markup_begin(page->writer, "details", NULL);
    markup_element(page->writer, "summary", NULL, "Show %s", clean > HTML_CONNECTIONS_CLEAN ? "some of them" : "them");
    write_entries(page, false);
    markup_end(page->writer);
    markup_end(page->writer);
}

static void html_write_unused_waivers(struct html_page *page)
{
    const GPtrArray *unused = page->report->unused_waivers, *expired = page->report->expired_waivers;

    if (unused->len + expired->len == 0)
        return;
    markup_begin(page->writer, "section", "id", "waivers", NULL);
    markup_element(page->writer, "h2", NULL, expired->len > 0 ? "Expired and unused waivers" : "Unused waivers");
    markup_begin(page->writer, "ul", NULL);
    for (guint i = 0; i < expired->len; i++) {
        g_autofree gchar *text = expired_waiver_text(g_ptr_array_index(expired, i));

        markup_element(page->writer, "li", NULL, "%s", text);
    }
    for (guint i = 0; i < unused->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(unused, i);

        gchar *text = unused_waiver_text(waiver);

        markup_element(page->writer, "li", NULL, "%s (%s)%s", waiver->id, text,
                       page->report->options->strict_waivers ? ", which fails under --strict-waivers" : "");
        g_free(text);
    }
    markup_end(page->writer);
    markup_end(page->writer);
}

static void html_write_body(struct html_page *page)
{
    bool single = page->report->captures->len == 1;

    html_write_verdict(page);
    html_write_tools(page);
    markup_begin(page->writer, "main", NULL);
    trouble_write_html(page);
    html_write_overview(page);
    if (page->report->options->stats)
        stats_write_html(page);
    if (single)
        html_write_captures(page);
    write_faulty(page);
    write_clean(page);
    if (!single)
        html_write_captures(page);
    html_write_unused_waivers(page);
    if (page->report->connections > 0) {
        html_write_matrix(page);
        html_write_not_exercised(page);
    }
    html_write_run(page);
    markup_end(page->writer);
}

static gchar *title_text(const struct report *report)
{
    g_autofree gchar *verdict = verdict_text(report);
    g_auto(GStrv) parts = g_strsplit(verdict, ": ", 2);
    const struct report_capture *first = report->captures->pdata[0];
    g_autofree gchar *name = g_path_get_basename(first->file);

    return report->captures->len == 1 ? g_strdup_printf("%s: %s", parts[0], name)
                                      : g_strdup_printf("%s: %u captures", parts[0], report->captures->len);
}

void report_write_html(const struct report *report, FILE *out)
{
    g_autofree gchar *title = title_text(report);
    const struct page setup = {title, "iwarp-check " IWARP_KIT_VERSION, report_css, report_js};
    struct html_page page = {.writer = page_open(&setup, out),
                             .report = report,
                             .entries = g_array_new(FALSE, FALSE, sizeof(struct html_entry)),
                             .in_full = g_hash_table_new(NULL, NULL),
                             .drawn = g_hash_table_new(NULL, NULL)};

    collect_entries(&page);
    html_choose(&page, 0, page.faulty, HTML_CONNECTIONS_FAULTY);
    html_choose(&page, page.faulty, page.entries->len, HTML_CONNECTIONS_CLEAN);
    html_write_body(&page);
    page_close(&setup, page.writer);
    g_array_unref(page.entries);
    g_hash_table_unref(page.in_full);
    g_hash_table_unref(page.drawn);
}
