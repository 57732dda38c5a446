// SPDX-License-Identifier: GPL-2.0-or-later
/* --summary: one line per capture, tab-separated, for scripts. */
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"

#include <inttypes.h>

static const char *const words[] = {
    [CHECK_PASS] = "PASS", [CHECK_FAIL] = "FAIL", [CHECK_TROUBLE] = "ERROR", [CHECK_NOTHING] = "NOTHING"};

static bool summary_broken(const struct check_options *options, const uint64_t found[SEVERITY_COUNT])
{
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        if (found[severity] > 0 && options_fails(options, (enum rule_severity)severity))
            return true;
    return false;
}

enum check_status report_capture_status(const struct check_options *options, const struct report_capture *capture,
                                        uint64_t found[SEVERITY_COUNT], uint64_t *waived)
{
    *waived = 0;
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        found[severity] = 0;
    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
            found[severity] += connection->found[severity];
        *waived += connection->waived;
    }
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        found[severity] += capture->rest.found[severity];
    *waived += capture->rest.waived;
    if (capture->failed)
        return CHECK_TROUBLE;
    if (summary_broken(options, found))
        return CHECK_FAIL;
    if (options->fail_trouble && troubles_any_fails(capture->troubles))
        return CHECK_FAIL;
    if (report_capture_cut_short(capture))
        return CHECK_TROUBLE;
    if (report_nothing_checked(capture))
        return report_incomplete(capture) && !options->allow_empty ? CHECK_FAIL : CHECK_NOTHING;
    return CHECK_PASS;
}

bool report_capture_is_trouble(const struct check_options *options, const struct report_capture *capture)
{
    uint64_t found[SEVERITY_COUNT], waived;
    enum check_status status = report_capture_status(options, capture, found, &waived);

    return troubles_any(capture->troubles) &&
           (status == CHECK_PASS ||
            (status == CHECK_FAIL && !summary_broken(options, found) && !report_incomplete(capture)));
}

static void summary_write_capture(const struct check_options *options, const struct report_capture *capture, FILE *out)
{
    uint64_t found[SEVERITY_COUNT], waived;
    enum check_status status = report_capture_status(options, capture, found, &waived);
    const struct troubles *troubles = capture->troubles;
    g_autofree gchar *file = printable_text(capture->file); /* a tab in the text would shift the columns */
    g_autofree gchar *happened = troubles_headline(&troubles, 1);

    fprintf(out, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "%s%s\n", file,
            report_capture_is_trouble(options, capture) ? "TROUBLE" : words[status], report_n_connections(capture),
            found[SEVERITY_ERROR], found[SEVERITY_WARNING], found[SEVERITY_NOTE], waived, capture->dropped,
            happened ? "\t" : "", happened ? happened : "");
}

void report_write_summary(const struct report *report, FILE *out)
{
    for (guint i = 0; i < report->captures->len; i++)
        summary_write_capture(report->options, g_ptr_array_index(report->captures, i), out);
}
