// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_trouble.h"

#include "conformance/options/options.h"
#include "conformance/report/report_html.h"
#include "conformance/report/report_parts.h"

#include <inttypes.h>
#include <string.h>

enum {
    CAPTURES_SAID = 10,
    LINES_SAID = 10, /* per capture */
    CONNECTIONS_NAMED = 4,
};

struct telling {
    void (*line)(void *ctx, enum trouble_said what, const char *text);
    void *ctx;
    bool all, stats; /* stats: the report has statistics, so no line sends the reader there */
};

static void trouble_tell(const struct telling *telling, enum trouble_said what, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static void trouble_tell(const struct telling *telling, enum trouble_said what, const char *format, ...)
{
    va_list arguments;
    g_autofree gchar *text = NULL;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    telling->line(telling->ctx, what, text);
}

/* ", connections 1, 4, 5" */
static gchar *connections_text(const struct trouble *trouble)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < MIN(trouble->connections->len, (guint)CONNECTIONS_NAMED); i++)
        g_string_append_printf(text, "%s%" PRIu32,
                               i > 0                           ? ", "
                               : trouble->connections->len > 1 ? ", connections "
                                                               : ", connection ",
                               g_array_index(trouble->connections, uint32_t, i));
    if (trouble->connections->len > CONNECTIONS_NAMED)
        g_string_append_printf(text, " and %u more", trouble->connections->len - CONNECTIONS_NAMED);
    return g_string_free(text, FALSE);
}

static void tell_trouble(const struct telling *telling, const struct trouble *trouble)
{
    g_autofree gchar *clock = trouble_clock(trouble->time_ns), *connections = connections_text(trouble);

    trouble_tell(telling, SAID, "%s frame %" PRIu32 "%s: %s", clock, trouble->frame, connections, trouble->words);
    if (trouble->next && !(telling->stats && g_str_has_prefix(trouble->next, "--stats ")))
        trouble_tell(telling, SAID_NEXT, "next: %s", trouble->next);
}

gchar *trouble_text(const struct trouble *trouble)
{
    g_autofree gchar *clock = trouble_clock(trouble->time_ns), *connections = connections_text(trouble);

    return g_strdup_printf("client %s, server %s, %s frame %" PRIu32 "%s: %s%s%s", trouble->client, trouble->server,
                           clock, trouble->frame, connections, trouble->words, trouble->next ? "; next: " : "",
                           trouble->next ? trouble->next : "");
}

static void tell_capture(const struct telling *telling, const struct troubles *troubles)
{
    const struct trouble *before = NULL;
    guint said = telling->all ? troubles->list->len : MIN(troubles->list->len, (guint)LINES_SAID);
    guint left_out = troubles->list->len - said;

    for (guint i = 0; i < said; i++) {
        const struct trouble *trouble = g_ptr_array_index(troubles->list, i);

        if (!before || !trouble_same_pair(before, trouble))
            trouble_tell(telling, SAID_BETWEEN, "client %s, server %s", trouble->client, trouble->server);
        before = trouble;
        tell_trouble(telling, trouble);
    }
    if (left_out > 0)
        trouble_tell(telling, SAID, "... and %u more; --verbose shows all", left_out);
}

static void tell_nothing(const struct telling *telling, const struct report *report)
{
    uint64_t calls = 0, answers = 0;
    bool holes = false;

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        calls += capture->troubles->calls - MIN(capture->troubles->again, capture->troubles->calls);
        answers += capture->troubles->answers;
        holes |= capture->troubles->holes || capture->dropped > 0 || capture->truncated;
    }
    if (calls == 0)
        trouble_tell(telling, SAID_HEAD, "No trouble%s.", holes ? ", as far as captured" : "");
    else if (answers >= calls && calls == 1)
        trouble_tell(telling, SAID_HEAD, "No trouble%s: the Call was answered.", holes ? ", as far as captured" : "");
    else if (answers >= calls)
        trouble_tell(telling, SAID_HEAD, "No trouble%s: all %" PRIu64 " Calls were answered.",
                     holes ? ", as far as captured" : "", calls);
    else
        trouble_tell(telling, SAID_HEAD,
                     "No trouble, as far as captured: %" PRIu64 " of %" PRIu64 " Calls were answered.", answers, calls);
}

void trouble_say(const struct report *report, bool all,
                 void (*line)(void *ctx, enum trouble_said what, const char *text), void *ctx)
{
    const struct telling telling = {line, ctx, all, report->options->stats};
    unsigned told = 0, left_out = 0;

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        if (capture->troubles->list->len == 0)
            continue;
        if (told == 0)
            trouble_tell(&telling, SAID_HEAD, "What happened (times are UTC):");
        if (told++ >= CAPTURES_SAID && !all) {
            left_out++;
            continue;
        }
        if (report->captures->len > 1)
            trouble_tell(&telling, SAID_CAPTURE, "%s", capture->file);
        tell_capture(&telling, capture->troubles);
    }
    if (left_out > 0)
        trouble_tell(&telling, SAID_CAPTURE, "... and in %u more captures; --verbose shows all", left_out);
    if (told == 0 && report->connections > 0)
        tell_nothing(&telling, report);
}

/* ---- text ---- */

struct text_telling {
    const struct terminal *terminal;
    bool several; /* captures */
};

static void trouble_write_line(void *ctx, enum trouble_said what, const char *text)
{
    static const unsigned indents[] = {
        [SAID_HEAD] = 0, [SAID_CAPTURE] = 2, [SAID_BETWEEN] = 2, [SAID] = 4, [SAID_NEXT] = 6};
    const struct text_telling *telling = ctx;
    const struct terminal *terminal = telling->terminal;
    unsigned deeper = telling->several && what >= SAID_BETWEEN ? 2 : 0;
    g_autofree gchar *printable = printable_text(text);

    if (what == SAID_HEAD)
        terminal_gap(terminal);
    terminal_line(terminal, indents[what] + deeper, "%s",
                  what == SAID_HEAD ? terminal_styled(terminal, STYLE_BOLD, printable) : printable);
}

void trouble_write_text(const struct report *report, const struct terminal *terminal)
{
    struct text_telling telling = {terminal, report->captures->len > 1};

    trouble_say(report, report->options->verbose, trouble_write_line, &telling);
}

/* ---- HTML ---- */

struct html_telling {
    struct html_page *page;
    bool listing, item; /* begun */
};

static void trouble_end_item(struct html_telling *html)
{
    if (html->item)
        markup_end(html->page->writer);
    html->item = false;
}

static void end_list(struct html_telling *html)
{
    trouble_end_item(html);
    if (html->listing)
        markup_end(html->page->writer);
    html->listing = false;
}

static void write_markup(void *ctx, enum trouble_said what, const char *text)
{
    static const char *const names[] = {[SAID_HEAD] = "h2", [SAID_CAPTURE] = "h3", [SAID_BETWEEN] = "p"};
    struct html_telling *html = ctx;
    xmlTextWriter *writer = html->page->writer;

    if (what == SAID_NEXT) {
        markup_element(writer, "p", "next", "%s", text);
        return;
    }
    if (what != SAID) {
        end_list(html);
        markup_element(writer, names[what], NULL, "%s", text);
        return;
    }
    trouble_end_item(html);
    if (!html->listing)
        markup_begin(writer, "ul", NULL);
    html->listing = html->item = true;
    markup_begin(writer, "li", NULL);
    markup_text(writer, text);
}

void trouble_write_html(struct html_page *page)
{
    struct html_telling html = {.page = page};

    markup_begin(page->writer, "section", "id", "happened", NULL);
    trouble_say(page->report, false, write_markup, &html);
    end_list(&html);
    markup_end(page->writer);
}
