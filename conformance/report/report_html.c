// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTML report: one file that needs nothing else and asks the network for nothing, as its Content-Security-Policy
 * holds the browser to. Style and script are those of conformance/report/.
 */
#include "conformance/report/report_html.h"

#include <inttypes.h>

extern const char report_html_css[], report_html_js[]; /* made from conformance/report/ */

static const char *const status_classes[] = {
    [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail", [CHECK_TROUBLE] = "trouble", [CHECK_NOTHING] = "nothing"};

/* ---- head ---- */

static gchar *hash_of(const char *text)
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize n = sizeof digest;
    gchar *base64, *source;

    g_checksum_update(checksum, (const guchar *)text, -1);
    g_checksum_get_digest(checksum, digest, &n);
    g_checksum_free(checksum);
    base64 = g_base64_encode(digest, n);
    source = g_strdup_printf("'sha256-%s'", base64);
    g_free(base64);
    return source;
}

/* The only style and the only script are ours; whatever a capture could smuggle in would not run. */
static gchar *policy(void)
{
    gchar *style = hash_of(report_html_css), *script = hash_of(report_html_js);
    gchar *text = g_strdup_printf(
        "default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", style, script);

    g_free(style);
    g_free(script);
    return text;
}

static void write_raw(struct html_page *page, const char *name, const char *text)
{
    html_begin(page->writer, name, NULL);
    xmlTextWriterWriteRaw(page->writer, BAD_CAST text);
    html_end(page->writer);
}

static void write_head(struct html_page *page)
{
    gchar *csp = policy();

    html_begin(page->writer, "head", NULL);
    html_void(page->writer, "meta", "charset", "utf-8", NULL);
    html_void(page->writer, "meta", "http-equiv", "Content-Security-Policy", "content", csp, NULL);
    html_void(page->writer, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1", NULL);
    html_void(page->writer, "meta", "name", "color-scheme", "content", "light dark", NULL);
    html_void(page->writer, "meta", "name", "generator", "content", "iwarp-check " IWARP_KIT_VERSION, NULL);
    html_element(page->writer, "title", NULL, "iwarp-check: %s", report_verdict(page->report));
    write_raw(page, "style", report_html_css);
    html_end(page->writer);
    g_free(csp);
}

/* ---- verdict, tools ---- */

static void write_verdict(struct html_page *page)
{
    static const char *const fail_on[] = {
        [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    const struct check_options *options = page->report->options;
    gchar *verdict = verdict_text(page->report);
    gchar **parts = g_strsplit(verdict, ": ", 2);

    html_begin(page->writer, "header", "class", status_classes[page->report->status], NULL);
    html_element(page->writer, "p", "tool", "iwarp-check " IWARP_KIT_VERSION);
    html_element(page->writer, "h1", NULL, "%s", parts[0]);
    html_element(page->writer, "p", "summary", "%s", parts[1]);
    html_element(page->writer, "p", "how", "Profile %s; fails on %s", options->profile,
                 options->fail_never ? "nothing" : fail_on[options->fail_on]);
    html_end(page->writer);
    g_strfreev(parts);
    g_free(verdict);
}

static void write_checkbox(struct html_page *page, const char *value)
{
    html_begin(page->writer, "label", NULL);
    html_void(page->writer, "input", "type", "checkbox", "name", "class", "value", value, "checked", "checked", NULL);
    html_element(page->writer, "span", value, "%s", value);
    html_end(page->writer);
}

static void write_select(struct html_page *page)
{
    static const char *const outcomes[] = {"failed", "passed", "inconclusive"};

    html_begin(page->writer, "label", NULL);
    html_text(page->writer, "Matrix ");
    html_begin(page->writer, "select", "id", "outcome", NULL);
    html_begin(page->writer, "option", "value", "", NULL);
    html_text(page->writer, "all rules");
    html_end(page->writer);
    for (size_t i = 0; i < G_N_ELEMENTS(outcomes); i++) {
        html_begin(page->writer, "option", "value", outcomes[i], NULL);
        html_text(page->writer, outcomes[i]);
        html_end(page->writer);
    }
    html_end(page->writer);
    html_end(page->writer);
}

/* Without the script it would do nothing, which is why the script shows it. */
static void write_tools(struct html_page *page)
{
    html_begin(page->writer, "form", "id", "tools", "role", "search", "hidden", "hidden", NULL);
    html_begin(page->writer, "label", NULL);
    html_text(page->writer, "Search ");
    html_void(page->writer, "input", "type", "search", "id", "search", "placeholder", "rule id, frame, word",
              "autocomplete", "off", NULL);
    html_end(page->writer);
    html_begin(page->writer, "fieldset", NULL);
    html_element(page->writer, "legend", NULL, "Show");
    write_checkbox(page, "error");
    write_checkbox(page, "warning");
    write_checkbox(page, "note");
    write_checkbox(page, "waived");
    html_end(page->writer);
    write_select(page);
    html_begin(page->writer, "output", "id", "shown", "aria-live", "polite", NULL);
    html_end(page->writer);
    html_end(page->writer);
}

/* ---- captures ---- */

static void write_listed(struct html_page *page, const struct report_connection *connection, bool in_full)
{
    char id[HTML_ID_SIZE], initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];
    gchar *found = found_text(connection->found, connection->waived);

    html_begin(page->writer, "tr", NULL);
    html_begin(page->writer, "th", "scope", "row", NULL);
    if (in_full) {
        gchar *target = g_strdup_printf("#%s", html_connection_id(page, connection, id));

        html_begin(page->writer, "a", "href", target, NULL);
        html_format(page->writer, "%" PRIu32, connection->id);
        html_end(page->writer);
        g_free(target);
    } else {
        html_format(page->writer, "%" PRIu32, connection->id);
    }
    html_end(page->writer);
    html_element(page->writer, "td", NULL, "%s", endpoint_text(&connection->initiator, initiator));
    html_element(page->writer, "td", NULL, "%s", endpoint_text(&connection->responder, responder));
    html_element(page->writer, "td", "number", "%" PRIu32 "\342\200\223%" PRIu32, connection->start_frame,
                 connection->end_frame);
    html_element(page->writer, "td", NULL, "%s%s", found, continuity_text(connection));
    html_end(page->writer);
    g_free(found);
}

static void begin_list(struct html_page *page)
{
    static const char *const names[] = {"No.", "Initiator", "Responder", "Frames", "Findings"};

    html_begin(page->writer, "div", "class", "wide", "tabindex", "0", NULL);
    html_begin(page->writer, "table", "class", "connections", NULL);
    html_element(page->writer, "caption", NULL, "RDMA connections of this capture");
    html_begin(page->writer, "thead", NULL);
    html_begin(page->writer, "tr", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        html_begin(page->writer, "th", "scope", "col", NULL);
        html_text(page->writer, names[i]);
        html_end(page->writer);
    }
    html_end(page->writer);
    html_end(page->writer);
    html_begin(page->writer, "tbody", NULL);
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
    html_end(page->writer);
    html_end(page->writer);
    html_end(page->writer);
    if (connections->len > HTML_CONNECTIONS_LISTED)
        html_element(page->writer, "p", "more", "Of the %u connections not all are listed.", connections->len);
    if (chosen->len < connections->len)
        html_element(page->writer, "p", "more", "%u of %u connections are shown in full; --format=json has all.",
                     chosen->len, connections->len);
    return chosen;
}

static void write_capture(struct html_page *page)
{
    const struct report_capture *capture = page->capture;
    gchar *packets = html_number(capture->packets), *octets = html_number(capture->octets);
    gchar *part = part_text(&capture->part);
    GPtrArray *chosen;

    html_begin(page->writer, "section", "class", "capture", NULL);
    html_element(page->writer, "h2", NULL, "%s", capture->file);
    html_begin(page->writer, "p", "class", "facts", NULL);
    if (part)
        html_format(page->writer, "%s: ", part);
    html_format(page->writer, "%s packets, %s octets", packets, octets);
    if (capture->dropped > 0)
        html_format(page->writer, " (%" PRIu64 " dropped by the capture)", capture->dropped);
    html_format(page->writer, ", %u RDMA connection%s", capture->connections->len, plural(capture->connections->len));
    if (capture->other_connections > 0)
        html_format(page->writer, ", %" PRIu64 " other", capture->other_connections);
    html_end(page->writer);
    g_free(packets);
    g_free(octets);
    g_free(part);
    if (capture->trouble)
        html_element(page->writer, "p", "trouble", "%s", capture->trouble);
    if (!capture->failed && report_nothing_checked(capture))
        html_element(page->writer, "p", "trouble", "%s", report_nothing_checked(capture));
    if (capture->connections->len > 0) {
        chosen = write_list(page);
        for (guint i = 0; i < chosen->len; i++)
            html_write_connection(page, g_ptr_array_index(chosen, i));
        g_ptr_array_unref(chosen);
    }
    html_end(page->writer);
}

static void write_unused_waivers(struct html_page *page)
{
    const GPtrArray *unused = page->report->unused_waivers;

    if (unused->len == 0)
        return;
    html_begin(page->writer, "section", "id", "waivers", NULL);
    html_element(page->writer, "h2", NULL, "Waivers without use");
    html_begin(page->writer, "ul", NULL);
    for (guint i = 0; i < unused->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(unused, i);

        gchar *text = unused_waiver_text(waiver);

        html_element(page->writer, "li", NULL, "%s (%s)%s", waiver->id, text,
                     page->report->options->strict_waivers ? ", which fails under --strict-waivers" : "");
        g_free(text);
    }
    html_end(page->writer);
    html_end(page->writer);
}

static void write_body(struct html_page *page)
{
    const struct report *report = page->report;

    html_begin(page->writer, "body", NULL);
    write_verdict(page);
    write_tools(page);
    html_begin(page->writer, "main", NULL);
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
    html_end(page->writer);
    write_raw(page, "script", report_html_js);
    html_end(page->writer);
}

void report_write_html(const struct report *report, FILE *out)
{
    xmlOutputBuffer *buffer = xmlOutputBufferCreateFile(out, NULL);
    struct html_page page = {.writer = xmlNewTextWriter(buffer),
                             .report = report,
                             .columns = g_ptr_array_new(),
                             .column_names = g_ptr_array_new_with_free_func(g_free)};

    xmlTextWriterWriteRaw(page.writer, BAD_CAST "<!DOCTYPE html>\n");
    html_begin(page.writer, "html", "lang", "en", NULL);
    write_head(&page);
    write_body(&page);
    html_end(page.writer);
    xmlTextWriterWriteRaw(page.writer, BAD_CAST "\n");
    xmlFreeTextWriter(page.writer);
    g_ptr_array_unref(page.columns);
    g_ptr_array_unref(page.column_names);
}
