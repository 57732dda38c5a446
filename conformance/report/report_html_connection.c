// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection on the page: what was negotiated, how it began, and its findings by rule. */
#include "conformance/print/print.h"
#include "conformance/report/report_html.h"
#include "conformance/report/report_violations.h"

#include <inttypes.h>
#include <string.h>

char *html_entry_id(const struct html_entry *entry, char id[HTML_ID_SIZE])
{
    g_snprintf(id, HTML_ID_SIZE, "c%u-%" PRIu32, entry->capture_number, entry->connection->id);
    return id;
}

gchar *html_group_id(const struct html_entry *entry, const struct finding_group *group)
{
    char id[HTML_ID_SIZE];
    const char *rule = rule_catalogue[group->first->rule].id;

    html_entry_id(entry, id);
    /* A rule may have several groups of findings on a connection: one without a waiver, and one for each waiver. */
    return group->first->waiver ? g_strdup_printf("%s-%s-w%u", id, rule, group->at)
                                : g_strdup_printf("%s-%s", id, rule);
}

/* ---- parameters ---- */

static void write_negotiated(struct html_page *page, const struct report_connection *connection)
{
    static const char *const crc[] = {"not known", "off", "on"};
    const struct mpa_parameters *mpa = &connection->parameters;
    g_autofree gchar *rtr = rtr_text(mpa->rtr);

    if (mpa->request_seen || mpa->reply_seen)
        html_item(page, "MPA revision", "%u%s", mpa->revision, mpa->enhanced ? ", enhanced" : "");
    else
        html_item(page, "MPA", "startup not captured");
    html_item(page, "Markers", "%s", markers_text(connection));
    html_item(page, "CRC", "%s", crc[mpa->crc + 1]);
    if (mpa->peer_to_peer)
        html_item(page, "Peer-to-peer", "%s", rtr);
    if (mpa->ird_ord_known)
        html_item(page, "IRD, ORD", "%u, %u", mpa->ird, mpa->ord);
    if (mpa->rejected)
        html_item(page, "Outcome", "rejected");
    html_item(page, "Captured", "%s", connection->complete ? "from start to end, without gaps" : "not completely");
}

static void connection_write_ib(struct html_page *page, const struct report_connection *connection)
{
    g_autofree gchar *terms = report_ib_terms_text(connection->ib);
    g_autofree gchar *trouble = report_ib_trouble_text(connection->ib);

    html_item(page, "Transport", "%s", terms);
    if (trouble)
        html_item(page, "On the path", "%s", trouble);
    html_item(page, "Captured", "%s", connection->complete ? "from start to end, without gaps" : "not completely");
}

static void connection_write_operations(struct html_page *page, const struct report_connection *connection)
{
    g_autofree gchar *text = operations_text(connection);

    if (*text != '\0')
        html_item(page, connection->ib ? "Messages" : "RDMAP messages", "%s", text);
}

static void connection_write_parameters(struct html_page *page, const struct report_connection *connection)
{
    g_autofree gchar *frames = frames_text(connection->start_frame, connection->end_frame);
    g_autofree gchar *refused = report_refused_text(connection);

    markup_begin(page->writer, "dl", "class", "parameters", NULL);
    html_item(page, "Frames", "%s", frames + strcspn(frames, "0123456789"));
    if (connection->ib)
        connection_write_ib(page, connection);
    else
        write_negotiated(page, connection);
    html_item(page, connection->ib ? "Packets" : "FPDUs", "%" PRIu64 " to the responder, %" PRIu64 " to the initiator",
              connection->fpdus[DIR_TO_RESPONDER], connection->fpdus[DIR_TO_INITIATOR]);
    if (refused)
        html_item(page, "Ignored", "%s", refused);
    connection_write_operations(page, connection);
    REPORT_GUEST(&connection->guest, write_html_terms, page);
    markup_end(page->writer);
}

/* ---- findings ---- */

static void write_about(struct html_page *page, const struct report_finding *first)
{
    const struct waiver *known = known_error(page->at->connection, first);
    const struct rule *rule = &rule_catalogue[first->rule];
    g_autofree gchar *source = finding_rule_text(first->rule);
    gchar *aliases = aliases_text(page->report->options, first->rule);

    markup_element(page->writer, "p", "requirement", "%s, %s: %s", rule->id, source, rule->text);
    if (*aliases != '\0')
        markup_element(page->writer, "p", "aliases", "The same is required by %s", aliases);
    g_free(aliases);
    if (first->waiver) {
        markup_begin(page->writer, "p", "class", "waiver", NULL);
        markup_format(page->writer, "Waived%s%s (%s)%s%s", first->waiver->fixed ? " until " : "",
                      first->waiver->fixed ? first->waiver->fixed : "", first->waiver->where,
                      first->waiver->why ? ": " : "", first->waiver->why ? first->waiver->why : "");
        /* As text: a waiver file may contain a javascript: address. */
        if (first->waiver->link)
            markup_format(page->writer, ", %s", first->waiver->link);
        markup_end(page->writer);
    }
    if (known)
        markup_element(page->writer, "p", "known", "Known: %s (%s)", known->why, known->link);
    markup_begin(page->writer, "details", "class", "about", NULL);
    markup_element(page->writer, "summary", NULL, "How it is judged, and what causes it");
    markup_element(page->writer, "p", NULL, "%s", rule->how);
    markup_element(page->writer, "p", NULL, "%s", rule->cause);
    markup_end(page->writer);
}

static void write_with_ladder(struct html_page *page, const struct report_finding *finding)
{
    g_autofree gchar *place = finding_place_text(finding, page->at->capture->start_ns);
    g_autofree gchar *more = finding_more_text(finding), *expected = finding_expected(finding->message);
    unsigned drawn;

    markup_begin(page->writer, "figure", "class", "finding", NULL);
    markup_begin(page->writer, "figcaption", NULL);
    markup_format(page->writer, "%s: ", place);
    markup_element(page->writer, "strong", NULL, "%s", finding_found(finding->message));
    markup_text(page->writer, more);
    if (expected)
        markup_element(page->writer, "span", "expected", "expected %s", expected);
    markup_end(page->writer);
    if (!html_write_ladder(page, finding, &drawn) && drawn > 0) {
        g_autofree gchar *id = html_ladder_id(page, drawn);

        markup_begin(page->writer, "p", "class", "more", NULL);
        markup_link(page->writer, id, "shown in the diagram above");
        markup_end(page->writer);
    }
    markup_end(page->writer);
}

static void connection_write_row(struct html_page *page, const struct report_finding *finding)
{
    int64_t start_ns = page->at->capture->start_ns;
    g_autofree gchar *at = start_ns != 0 ? clock_text(finding->time_ns) : g_strdup("");
    g_autofree gchar *more = finding_more_text(finding), *expected = finding_expected(finding->message);
    char time[PRINT_TIME_SIZE];

    markup_begin(page->writer, "tr", NULL);
    markup_element(page->writer, "td", "number", "%" PRIu32, finding->frame);
    markup_element(page->writer, "td", "number", "%s", print_time(finding->time_ns, start_ns, time));
    markup_element(page->writer, "td", NULL, "%s", at);
    markup_element(page->writer, "td", NULL, "%s", receiver_text(finding));
    markup_element(page->writer, "td", NULL, "%s%s", finding_found(finding->message), more);
    markup_element(page->writer, "td", NULL, "%s", expected ? expected : "");
    markup_end(page->writer);
}

static void begin_rows(struct html_page *page, const struct report_finding *first)
{
    static const char *const names[] = {"Frame", "Seconds", "Time (UTC)", "To the", "Found", "Expected"};
    g_autofree gchar *caption = g_strdup_printf("More findings of %s", rule_catalogue[first->rule].id);

    markup_begin_table(page->writer, "findings", caption, names, G_N_ELEMENTS(names));
}

static void write_group_head(struct html_page *page, const struct finding_group *group, uint64_t times)
{
    const struct rule *rule = &rule_catalogue[group->first->rule];
    const char *class_name = finding_class(group->first);

    markup_begin(page->writer, "h4", NULL);
    markup_element(page->writer, "span", class_name, "%s", class_name);
    markup_text(page->writer, " ");
    markup_element(page->writer, "code", NULL, "%s", rule->id);
    if (times > 1) {
        g_autofree gchar *number = markup_number(times);

        markup_element(page->writer, "span", "times", " \303\227 %s", number);
    }
    markup_end(page->writer);
}

static void connection_write_group(struct html_page *page, const GArray *groups, const struct finding_group *group)
{
    const struct report_connection *connection = page->at->connection;
    const struct report_finding *first = group->first;
    g_autofree gchar *id = html_group_id(page->at, group);
    uint64_t times = finding_group_times(connection, groups, group), shown = 0;
    unsigned n = 0, listed = 0;

    markup_begin(page->writer, "section", "class", "group", "id", id, "data-class", finding_class(first), "data-rule",
                 rule_catalogue[first->rule].id, NULL);
    write_group_head(page, group, times);
    for (guint i = group->at; i < connection->findings->len && n < group->n; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);

        if (!finding_in_group(finding, group))
            continue;
        if (n++ < REPORT_LADDERS) {
            write_with_ladder(page, finding);
            shown += 1 + (uint64_t)finding->more;
            continue;
        }
        if (listed >= HTML_FINDINGS || page->findings >= HTML_FINDINGS_ALL)
            break;
        shown += 1 + (uint64_t)finding->more;
        if (listed++ == 0)
            begin_rows(page, first);
        page->findings++;
        connection_write_row(page, finding);
    }
    if (listed > 0)
        markup_end_table(page->writer);
    if (times > shown)
        markup_element(page->writer, "p", "more", "... and %" PRIu64 " more findings of this rule; --format=json %s",
                       times - shown, times > group->times ? "with --max-findings=0 lists them" : "lists them");
    write_about(page, first);
    markup_end(page->writer);
}

static void connection_write_findings(struct html_page *page)
{
    GArray *groups = finding_groups(page->at->connection);

    for (guint i = 0; i < groups->len; i++)
        connection_write_group(page, groups, &g_array_index(groups, struct finding_group, i));
    g_array_unref(groups);
    if (page->at->connection->not_kept > 0)
        markup_element(page->writer, "p", "more",
                       "%" PRIu64 " more findings were counted but not kept; --max-findings=0 keeps all",
                       page->at->connection->not_kept);
}

static void write_start(struct html_page *page)
{
    const struct report_connection *connection = page->at->connection;
    unsigned drawn;

    if (!connection->notes || connection->notes->len == 0 || page->ladders >= HTML_LADDERS)
        return;
    markup_begin(page->writer, "details", "class", "start", NULL);
    if (connection->findings->len == 0)
        markup_attribute(page->writer, "open", "open");
    markup_element(page->writer, "summary", NULL, "How it began");
    markup_begin(page->writer, "figure", NULL);
    html_write_ladder(page, NULL, &drawn);
    markup_end(page->writer);
    markup_end(page->writer);
}

static void write_heading(struct html_page *page)
{
    const struct report_connection *connection = page->at->connection;
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];

    markup_begin(page->writer, "h3", NULL);
    if (page->report->captures->len > 1)
        markup_element(page->writer, "span", "file", "%s: ", page->at->capture->file);
    markup_format(page->writer, "Connection %" PRIu32 ", ", connection->id);
    markup_element(page->writer, "span", "peers", "%s \342\206\222 %s",
                   endpoint_text(&connection->initiator, initiator), endpoint_text(&connection->responder, responder));
    markup_end(page->writer);
}

void html_write_entry(struct html_page *page, const struct html_entry *entry)
{
    const struct report_connection *connection = entry->connection;
    g_autofree gchar *found = found_text(connection->found, connection->waived);
    char id[HTML_ID_SIZE];

    page->at = entry;
    g_hash_table_remove_all(page->drawn);
    markup_begin(page->writer, "article", "class", "connection", "id", html_entry_id(entry, id), NULL);
    write_heading(page);
    markup_element(page->writer, "p", "found", "%s%s", found,
                   connection->roles_known ? "" : "; roles presumed, because the capture starts mid-connection");
    connection_write_parameters(page, connection);
    REPORT_GUEST(&connection->guest, write_html, page);
    write_start(page);
    connection_write_findings(page);
    markup_end(page->writer);
}
