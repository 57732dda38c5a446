// SPDX-License-Identifier: GPL-2.0-or-later
/* The HTML report. Style and script are beside this file; what all pages share is support/page.c's. */
#include "conformance/report/report_html.h"

#include "support/page.h"

#include <inttypes.h>

extern const char report_css[], report_js[]; /* made from the files of these names */

static const char *const status_classes[] = {
    [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail", [CHECK_TROUBLE] = "trouble", [CHECK_NOTHING] = "nothing"};

/* ---- verdict, tools ---- */

static void write_verdict(struct html_page *page)
{
    static const char *const fail_on[] = {
        [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    const struct check_options *options = page->report->options;
    gchar *verdict = verdict_text(page->report);
    gchar **parts = g_strsplit(verdict, ": ", 2);

    markup_begin(page->writer, "header", "class", status_classes[page->report->status], NULL);
    markup_element(page->writer, "p", "tool", "iwarp-check " IWARP_KIT_VERSION);
    markup_element(page->writer, "h1", NULL, "%s", parts[0]);
    markup_element(page->writer, "p", "summary", "%s", parts[1]);
    markup_element(page->writer, "p", "how", "Profile %s; fails on %s", options->profile,
                   options->fail_never ? "nothing" : fail_on[options->fail_on]);
    markup_end(page->writer);
    g_strfreev(parts);
    g_free(verdict);
}

static void write_checkbox(struct html_page *page, const char *value)
{
    markup_begin(page->writer, "label", NULL);
    markup_void(page->writer, "input", "type", "checkbox", "name", "class", "value", value, "checked", "checked", NULL);
    markup_element(page->writer, "span", value, "%s", value);
    markup_end(page->writer);
}

static void write_select(struct html_page *page)
{
    static const char *const outcomes[] = {"failed", "passed", "inconclusive"};

    markup_begin(page->writer, "label", NULL);
    markup_text(page->writer, "Matrix ");
    markup_begin(page->writer, "select", "id", "outcome", NULL);
    markup_begin(page->writer, "option", "value", "", NULL);
    markup_text(page->writer, "all rules");
    markup_end(page->writer);
    for (size_t i = 0; i < G_N_ELEMENTS(outcomes); i++) {
        markup_begin(page->writer, "option", "value", outcomes[i], NULL);
        markup_text(page->writer, outcomes[i]);
        markup_end(page->writer);
    }
    markup_end(page->writer);
    markup_end(page->writer);
}

/* Without the script it would do nothing, which is why the script shows it. */
static void write_tools(struct html_page *page)
{
    markup_begin(page->writer, "form", "id", "tools", "role", "search", "hidden", "hidden", NULL);
    markup_begin(page->writer, "label", NULL);
    markup_text(page->writer, "Search ");
    markup_void(page->writer, "input", "type", "search", "id", "search", "placeholder", "rule id, frame, word",
                "autocomplete", "off", NULL);
    markup_end(page->writer);
    markup_begin(page->writer, "fieldset", NULL);
    markup_element(page->writer, "legend", NULL, "Show");
    write_checkbox(page, "error");
    write_checkbox(page, "warning");
    write_checkbox(page, "note");
    write_checkbox(page, "waived");
    markup_end(page->writer);
    write_select(page);
    markup_begin(page->writer, "output", "id", "shown", "aria-live", "polite", NULL);
    markup_end(page->writer);
    markup_end(page->writer);
}

/* ---- captures ---- */

static void write_listed(struct html_page *page, const struct report_connection *connection, bool in_full)
{
    char id[HTML_ID_SIZE], initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];
    gchar *found = found_text(connection->found, connection->waived);

    markup_begin(page->writer, "tr", NULL);
    markup_begin(page->writer, "th", "scope", "row", NULL);
    if (in_full) {
        gchar *target = g_strdup_printf("#%s", html_connection_id(page, connection, id));

        markup_begin(page->writer, "a", "href", target, NULL);
        markup_format(page->writer, "%" PRIu32, connection->id);
        markup_end(page->writer);
        g_free(target);
    } else {
        markup_format(page->writer, "%" PRIu32, connection->id);
    }
    markup_end(page->writer);
    markup_element(page->writer, "td", NULL, "%s", endpoint_text(&connection->initiator, initiator));
    markup_element(page->writer, "td", NULL, "%s", endpoint_text(&connection->responder, responder));
    markup_element(page->writer, "td", "number", "%" PRIu32 "\342\200\223%" PRIu32, connection->start_frame,
                   connection->end_frame);
    markup_element(page->writer, "td", NULL, "%s%s", found, continuity_text(connection));
    markup_end(page->writer);
    g_free(found);
}

static void begin_list(struct html_page *page)
{
    static const char *const names[] = {"No.", "Initiator", "Responder", "Frames", "Findings"};

    markup_begin(page->writer, "div", "class", "wide", "tabindex", "0", NULL);
    markup_begin(page->writer, "table", "class", "connections", NULL);
    markup_element(page->writer, "caption", NULL, "RDMA connections of this capture");
    markup_table_head(page->writer, names, G_N_ELEMENTS(names));
    markup_begin(page->writer, "tbody", NULL);
}

/* Returns those that are to be shown in full. */
static GPtrArray *write_list(struct html_page *page)
{
    const GPtrArray *connections = page->capture->connections;
    GPtrArray *chosen = g_ptr_array_new();

    begin_list(page);
    for (guint i = 0; i < connections->len; i++) {
        struct report_connection *connection = g_ptr_array_index(connections, i);
        bool in_full = html_takes_connection(page, connection);
        char id[HTML_ID_SIZE];

        if (in_full)
            g_ptr_array_add(chosen, connection);
        if (in_full && page->columns->len < HTML_COLUMNS) {
            g_ptr_array_add(page->columns, connection);
            g_ptr_array_add(page->column_names, g_strdup(html_connection_id(page, connection, id)));
        }
        if (i < HTML_CONNECTIONS_LISTED || in_full)
            write_listed(page, connection, in_full);
    }
    markup_end(page->writer);
    markup_end(page->writer);
    markup_end(page->writer);
    if (connections->len > HTML_CONNECTIONS_LISTED)
        markup_element(page->writer, "p", "more", "Of the %u connections not all are listed.", connections->len);
    if (chosen->len < connections->len)
        markup_element(page->writer, "p", "more", "%u of %u connections are shown in full; --format=json has all.",
                       chosen->len, connections->len);
    return chosen;
}

static void write_capture(struct html_page *page)
{
    const struct report_capture *capture = page->capture;
    gchar *packets = markup_number(capture->packets), *octets = markup_number(capture->octets);
    gchar *part = part_text(&capture->part);
    GPtrArray *chosen;

    markup_begin(page->writer, "section", "class", "capture", NULL);
    markup_element(page->writer, "h2", NULL, "%s", capture->file);
    markup_begin(page->writer, "p", "class", "facts", NULL);
    if (part)
        markup_format(page->writer, "%s: ", part);
    markup_format(page->writer, "%s packets, %s octets", packets, octets);
    if (capture->dropped > 0)
        markup_format(page->writer, " (%" PRIu64 " dropped by the capture)", capture->dropped);
    markup_format(page->writer, ", %u RDMA connection%s", capture->connections->len, plural(capture->connections->len));
    if (capture->other_connections > 0)
        markup_format(page->writer, ", %" PRIu64 " other", capture->other_connections);
    markup_end(page->writer);
    g_free(packets);
    g_free(octets);
    g_free(part);
    if (capture->trouble)
        markup_element(page->writer, "p", "trouble", "%s", capture->trouble);
    if (!capture->failed && report_nothing_checked(capture))
        markup_element(page->writer, "p", "trouble", "%s", report_nothing_checked(capture));
    if (capture->connections->len > 0) {
        chosen = write_list(page);
        for (guint i = 0; i < chosen->len; i++)
            html_write_connection(page, g_ptr_array_index(chosen, i));
        g_ptr_array_unref(chosen);
    }
    markup_end(page->writer);
}

static void write_unused_waivers(struct html_page *page)
{
    const GPtrArray *unused = page->report->unused_waivers;

    if (unused->len == 0)
        return;
    markup_begin(page->writer, "section", "id", "waivers", NULL);
    markup_element(page->writer, "h2", NULL, "Waivers without use");
    markup_begin(page->writer, "ul", NULL);
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

static void write_body(struct html_page *page)
{
    const struct report *report = page->report;

    write_verdict(page);
    write_tools(page);
    markup_begin(page->writer, "main", NULL);
    for (guint i = 0; i < report->captures->len; i++) {
        page->capture = g_ptr_array_index(report->captures, i);
        page->capture_number = i + 1;
        write_capture(page);
    }
    write_unused_waivers(page);
    if (report->connections > 0) {
        html_write_matrix(page);
        html_write_not_exercised(page);
    }
    markup_end(page->writer);
}

void report_write_html(const struct report *report, FILE *out)
{
    gchar *title = g_strdup_printf("iwarp-check: %s", report_verdict(report));
    const struct page setup = {title, "iwarp-check " IWARP_KIT_VERSION, report_css, report_js};
    struct html_page page = {.writer = page_open(&setup, out),
                             .report = report,
                             .columns = g_ptr_array_new(),
                             .column_names = g_ptr_array_new_with_free_func(g_free)};

    write_body(&page);
    page_close(&setup, page.writer);
    g_ptr_array_unref(page.columns);
    g_ptr_array_unref(page.column_names);
    g_free(title);
}
