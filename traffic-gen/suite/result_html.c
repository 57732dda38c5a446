// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTML report: one file that needs nothing else and runs no script. A matrix of tests by devices, and a section for
 * each failure with its ladder: our side on the left, the device's on the right.
 */
#include "traffic-gen/suite/result.h"
#include "traffic-gen/suite/result_xml.h"

#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{border-bottom:1px solid #8886;padding:.3rem .6rem;text-align:left;vertical-align:top}"
    "thead th{position:sticky;top:0;background:Canvas}"
    "td.outcome{white-space:nowrap;font-weight:600}"
    ".passed{color:#1a7f37}.failed{color:#cf222e}.waived{color:#9a6700}.inconclusive,.na,.absent{opacity:.7}"
    "small{display:block;opacity:.75;font-weight:400}"
    "section{border-top:3px solid #cf222e;margin-top:2.5rem;padding-top:.5rem}"
    "dt{font-weight:600}dd{margin:0 0 .5rem 0}"
    ".ladder{list-style:none;margin:0;padding:0;border-left:3px solid #0969da;border-right:3px solid #8250df}"
    ".ladder li{padding:.25rem 1rem}.ladder .device{text-align:right}"
    ".ladder .arrow{color:#0969da}.ladder .device .arrow{color:#8250df}"
    ".ends{display:flex;justify-content:space-between;font-weight:600}"
    "code{display:block;font:12px/1.4 ui-monospace,monospace;overflow-wrap:anywhere;opacity:.8}"
    "td.outcome small{max-width:14rem;white-space:normal}"
    /* On a telephone every row is a block, and each of its cells a line that says what it is. */
    "@media (max-width:45rem){table,tbody,tr,td,tbody th{display:block}thead{display:none}"
    "tr{border-bottom:1px solid #8886;padding:.4rem 0}tbody th,td{border:0;padding:.1rem 0}"
    "td[data-of]::before{content:attr(data-of) \": \";font-weight:400;opacity:.75}"
    "td.outcome small{max-width:none}.ladder li{padding:.25rem .5rem}}"
    "@media print{body{max-width:none;margin:0;font-size:10pt}thead th{position:static}tr,.ladder "
    "li{break-inside:avoid}}";

static const char *class_of(const struct case_result *result)
{
    static const char *const classes[OUTCOMES] = {
        [OUTCOME_PASSED] = "passed",     [OUTCOME_FAILED] = "failed",
        [OUTCOME_UNSTABLE] = "failed",   [OUTCOME_INCONCLUSIVE] = "inconclusive",
        [OUTCOME_NOT_APPLICABLE] = "na",
    };

    return case_result_failed(result) && result->waived ? "waived" : classes[result->outcome];
}

static const struct case_result *find(const struct suite_report *report, const char *id)
{
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (strcmp(result->id, id) == 0)
            return result;
    }
    return NULL;
}

/* Where the failure of a test on a device stands. */
static char *anchor(unsigned device, const char *id)
{
    char *text = g_strdup_printf("d%u-%s", device + 1, id);

    g_strdelimit(text, "/ ", '-');
    return text;
}

/* ---- head ---- */

static void write_head(xmlTextWriter *writer)
{
    g_autofree char *digest_text = NULL, *policy = NULL;
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize n = sizeof digest;

    g_checksum_update(checksum, (const guchar *)style, -1);
    g_checksum_get_digest(checksum, digest, &n);
    g_checksum_free(checksum);
    digest_text = g_base64_encode(digest, n);
    policy =
        g_strdup_printf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", digest_text);
    result_begin(writer, "head", NULL);
    result_begin(writer, "meta", "charset", "utf-8", NULL);
    result_end(writer);
    result_begin(writer, "meta", "http-equiv", "Content-Security-Policy", "content", policy, NULL);
    result_end(writer);
    result_begin(writer, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1", NULL);
    result_end(writer);
    result_element(writer, "title", NULL, "iwarp-gen test");
    result_begin(writer, "style", NULL);
    xmlTextWriterWriteRaw(writer, BAD_CAST style);
    result_end(writer);
    result_end(writer);
}

static const char *const device_heads[] = {"Device", "as",       "Alive",        "Passed",         "Failed",
                                           "Waived", "Unstable", "Inconclusive", "Not applicable", "Tested"};

G_GNUC_PRINTF(4, 5)
static void write_device_cell(xmlTextWriter *writer, unsigned column, const char *class, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    result_begin(writer, "td", "data-of", device_heads[column], class ? "class" : NULL, class, NULL);
    result_write(writer, "%s", text);
    result_end(writer);
}

static void write_devices(xmlTextWriter *writer, struct suite_report *const *reports, unsigned n)
{
    static const struct {
        const char *class;
        enum case_outcome outcome;
        bool waived;
    } counts[] = {{"passed", OUTCOME_PASSED, false},
                  {"failed", OUTCOME_FAILED, false},
                  {"waived", OUTCOME_FAILED, true},
                  {"failed", OUTCOME_UNSTABLE, false},
                  {"inconclusive", OUTCOME_INCONCLUSIVE, false},
                  {"na", OUTCOME_NOT_APPLICABLE, false}};

    result_begin(writer, "table", NULL);
    result_begin(writer, "thead", NULL);
    result_begin(writer, "tr", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(device_heads); i++)
        result_element(writer, "th", NULL, "%s", device_heads[i]);
    result_end(writer);
    result_end(writer);
    result_begin(writer, "tbody", NULL);
    for (unsigned i = 0; i < n; i++) {
        const struct suite_report *report = reports[i];
        g_autofree char *life = report->state ? suite_report_life(report) : g_strdup("");

        result_begin(writer, "tr", NULL);
        result_element(writer, "th", NULL, "%s", report->device);
        write_device_cell(writer, 1, NULL, "%s", report->role);
        write_device_cell(writer, 2, report->deaths->len > 0 ? "failed" : NULL, "%s", life);
        for (unsigned k = 0; k < G_N_ELEMENTS(counts); k++)
            write_device_cell(writer, 3 + k, counts[k].class, "%u",
                              suite_report_count(report, counts[k].outcome, counts[k].waived));
        write_device_cell(writer, 9, NULL, "%s, %.1f s", report->started ? report->started : "", report->seconds);
        result_end(writer);
    }
    result_end(writer);
    result_end(writer);
}

static void write_failure_links(xmlTextWriter *writer, struct suite_report *const *reports, unsigned n)
{
    bool any = false;

    result_element(writer, "h2", NULL, "Failures");
    result_begin(writer, "ul", NULL);
    for (unsigned i = 0; i < n; i++) {
        for (guint k = 0; k < reports[i]->results->len; k++) {
            const struct case_result *result = g_ptr_array_index(reports[i]->results, k);

            if (!case_result_failed(result))
                continue;
            g_autofree char *name = anchor(i, result->id), *target = g_strconcat("#", name, NULL);

            any = true;
            result_begin(writer, "li", NULL);
            result_begin(writer, "a", "href", target, "class", class_of(result), NULL);
            result_write(writer, "%s", result->id);
            result_end(writer);
            result_write(writer, " on %s%s: %s", reports[i]->device, result->waived ? ", waived" : "",
                         result->requirement ? result->requirement : "");
            result_end(writer);
        }
    }
    if (!any)
        result_element(writer, "li", NULL, "none");
    result_end(writer);
}

/* ---- sections ---- */

static void write_sections(xmlTextWriter *writer, const struct suite_report *report)
{
    static const char *const heads[] = {"Section", "Conforms", "Fails", "Waived", "Cannot be shown"};
    g_autoptr(GArray) sections = suite_report_sections(report);

    result_element(writer, "h2", NULL, "%s as %s, by section", report->device, report->role);
    if (report->start_up)
        result_element(writer, "p", NULL, "Start-up: %s; %s.", report->start_up, report->sign ? report->sign : "");
    if (report->layout)
        result_element(writer, "p", NULL, "Its Terminates lie otherwise than RFC 5040 says: %s.", report->layout);
    result_begin(writer, "table", NULL);
    result_begin(writer, "thead", NULL);
    result_begin(writer, "tr", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(heads); i++)
        result_element(writer, "th", NULL, "%s", heads[i]);
    result_end(writer);
    result_end(writer);
    result_begin(writer, "tbody", NULL);
    for (guint i = 0; i < sections->len; i++) {
        const struct report_section *section = &g_array_index(sections, struct report_section, i);
        const unsigned counts[] = {section->conforms, section->fails, section->waived, section->open};

        result_begin(writer, "tr", NULL);
        result_element(writer, "th", NULL, "%s section %s", section->document ? section->document : "",
                       section->section ? section->section : "");
        for (unsigned k = 0; k < G_N_ELEMENTS(counts); k++) {
            result_begin(writer, "td", "data-of", heads[k + 1], k == 1 && counts[k] > 0 ? "class" : NULL, "failed",
                         NULL);
            result_write(writer, "%u", counts[k]);
            result_end(writer);
        }
        result_end(writer);
    }
    result_end(writer);
    result_end(writer);
}

/* ---- matrix ---- */

static void write_cell(xmlTextWriter *writer, const struct suite_report *report, unsigned device, const char *id)
{
    const struct case_result *result = find(report, id);
    g_autofree char *class = g_strconcat("outcome ", result ? class_of(result) : "absent", NULL);

    result_begin(writer, "td", "class", class, "data-of", report->device, NULL);
    if (!result) {
        result_write(writer, "not run");
    } else if (case_result_failed(result)) {
        g_autofree char *name = anchor(device, id), *target = g_strconcat("#", name, NULL);

        result_begin(writer, "a", "href", target, "class", class_of(result), NULL);
        result_write(writer, "%s%s%s", case_outcome_names[result->outcome], result->waived ? ", waived" : "",
                     result->death ? ", and the device died" : "");
        result_end(writer);
    } else {
        result_write(writer, "%s", case_outcome_names[result->outcome]);
        if (result->outcome != OUTCOME_PASSED && result->actual)
            result_element(writer, "small", NULL, "%s", result->actual);
    }
    result_end(writer);
}

static void write_row(xmlTextWriter *writer, struct suite_report *const *reports, unsigned n,
                      const struct case_result *result)
{
    result_begin(writer, "tr", NULL);
    result_begin(writer, "th", "scope", "row", NULL);
    result_write(writer, "%s", result->id);
    if (result->aliases->len > 0) {
        result_begin(writer, "small", NULL);
        for (guint i = 0; i < result->aliases->len; i++)
            result_write(writer, "%s%s", i ? ", " : "also ", (const char *)g_ptr_array_index(result->aliases, i));
        result_end(writer);
    }
    result_end(writer);
    result_begin(writer, "td", NULL);
    result_write(writer, "%s", result->requirement ? result->requirement : "");
    result_element(writer, "small", NULL, "%s section %s, %s. Stimulus: %s.", result->document ? result->document : "",
                   result->section ? result->section : "", result->level ? result->level : "",
                   result->stimulus ? result->stimulus : "");
    result_end(writer);
    for (unsigned i = 0; i < n; i++)
        write_cell(writer, reports[i], i, result->id);
    result_end(writer);
}

static void write_matrix(xmlTextWriter *writer, struct suite_report *const *reports, unsigned n)
{
    g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);

    result_begin(writer, "table", NULL);
    result_begin(writer, "thead", NULL);
    result_begin(writer, "tr", NULL);
    result_element(writer, "th", NULL, "Test");
    result_element(writer, "th", NULL, "Requirement");
    for (unsigned i = 0; i < n; i++) {
        result_begin(writer, "th", NULL);
        result_write(writer, "%s", reports[i]->device);
        result_element(writer, "small", NULL, "%s", reports[i]->role);
        result_end(writer);
    }
    result_end(writer);
    result_end(writer);
    result_begin(writer, "tbody", NULL);
    for (unsigned i = 0; i < n; i++) {
        for (guint k = 0; k < reports[i]->results->len; k++) {
            const struct case_result *result = g_ptr_array_index(reports[i]->results, k);

            if (g_hash_table_add(done, result->id))
                write_row(writer, reports, n, result);
        }
    }
    result_end(writer);
    result_end(writer);
}

/* ---- failures ---- */

static void write_ladder(xmlTextWriter *writer, const struct case_result *result)
{
    result_begin(writer, "div", "class", "ends", NULL);
    result_element(writer, "span", NULL, "test");
    result_element(writer, "span", NULL, "device");
    result_end(writer);
    result_begin(writer, "ol", "class", "ladder", NULL);
    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        if (step->left_out > 0)
            result_element(writer, "li", NULL, "(%u frames left out)", step->left_out);
        result_begin(writer, "li", "class", step->ours ? "test" : "device", NULL);
        result_element(writer, "span", "arrow", "%s", step->ours ? "\u2500\u2500\u25B6 " : "\u25C0\u2500\u2500 ");
        result_write(writer, "%.3f s  %s", step->seconds, step->caption ? step->caption : "");
        if (step->octets)
            result_element(writer, "code", NULL, "%s%s", step->octets,
                           strlen(step->octets) < 2 * (size_t)step->n ? " \u2026" : "");
        result_end(writer);
    }
    result_end(writer);
}

static void write_failure(xmlTextWriter *writer, const struct suite_report *report, unsigned device,
                          const struct case_result *result)
{
    const char *const items[][2] = {
        {"Requirement", result->requirement}, {"Stimulus", result->stimulus}, {"Expected", result->expected},
        {"Actual", result->actual},           {"Waived", result->waived},
    };
    g_autofree char *name = anchor(device, result->id);

    result_begin(writer, "section", "id", name, NULL);
    result_element(writer, "h2", NULL, "%s on %s as %s", result->id, report->device, report->role);
    result_element(writer, "p", NULL, "%s section %s, %s; %s", result->document ? result->document : "",
                   result->section ? result->section : "", result->level ? result->level : "",
                   result->severity ? result->severity : "");
    result_begin(writer, "dl", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(items); i++) {
        if (!items[i][1])
            continue;
        result_element(writer, "dt", NULL, "%s", items[i][0]);
        result_element(writer, "dd", NULL, "%s", items[i][1]);
    }
    result_end(writer);
    write_ladder(writer, result);
    result_end(writer);
}

static void write_failures(xmlTextWriter *writer, const struct suite_report *report, unsigned device)
{
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (case_result_failed(result))
            write_failure(writer, report, device, result);
    }
}

void suite_report_html(struct suite_report *const *reports, unsigned n, FILE *out)
{
    xmlBuffer *buffer = xmlBufferCreate();
    xmlTextWriter *writer = xmlNewTextWriterMemory(buffer, 0);

    result_begin(writer, "html", "lang", "en", NULL);
    write_head(writer);
    result_begin(writer, "body", NULL);
    result_element(writer, "h1", NULL, "Conformance of %u device%s", n, n == 1 ? "" : "s");
    write_devices(writer, reports, n);
    write_failure_links(writer, reports, n);
    for (unsigned i = 0; i < n; i++)
        write_sections(writer, reports[i]);
    result_element(writer, "h2", NULL, "Tests");
    write_matrix(writer, reports, n);
    for (unsigned i = 0; i < n; i++)
        write_failures(writer, reports[i], i);
    result_end(writer);
    result_end(writer);
    xmlTextWriterEndDocument(writer);
    xmlFreeTextWriter(writer);
    fputs("<!DOCTYPE html>\n", out);
    fwrite(xmlBufferContent(buffer), 1, (size_t)xmlBufferLength(buffer), out);
    xmlBufferFree(buffer);
}

void suite_report_page(const struct suite_report *report, FILE *out)
{
    struct suite_report *only = (struct suite_report *)report;

    suite_report_html(&only, 1, out);
}
