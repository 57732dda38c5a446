// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_formats.h"

#include "conformance/model/report.h"

void (*const report_writers[])(const struct report *report, FILE *out) = {
    [FORMAT_TEXT] = report_write_text,         [FORMAT_NDJSON] = report_write_ndjson,
    [FORMAT_JUNIT] = report_write_junit,       [FORMAT_HTML] = report_write_html,
    [FORMAT_SARIF] = report_write_sarif,       [FORMAT_GITHUB] = report_write_github,
    [FORMAT_MARKDOWN] = report_write_markdown, [FORMAT_TAP] = report_write_tap};
