/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole of iwarp-check on a capture in memory, with the properties of every report. */
#ifndef IWARP_TESTS_FUZZ_FUZZ_CHECKING_H
#define IWARP_TESTS_FUZZ_FUZZ_CHECKING_H

#include "conformance/check/check.h"
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "tests/fuzz/fuzz_file.h"

struct fuzz_checking {
    struct check_options options;
    FILE *null;
    struct fuzz_file file;
};

/* Properties of every report. */
static inline void fuzz_hangs_together(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint j = 0; j < capture->connections->len; j++) {
            const struct report_connection *connection = g_ptr_array_index(capture->connections, j);
            uint32_t last = 0;

            HOLDS(connection->start_frame >= 1 && connection->start_frame <= connection->end_frame);
            HOLDS(connection->end_frame <= capture->packets);
            for (guint k = 0; k < connection->findings->len; k++) {
                const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, k);

                HOLDS(finding->frame >= last && finding->frame <= capture->packets);
                HOLDS(finding->rule < RULE_COUNT && finding->message[0] != '\0');
                last = finding->frame;
            }
        }
    }
}

/*
 * Judges the octets of a capture file. False: refused, with a reason. Otherwise the caller frees *report with
 * report_clear().
 */
static inline bool fuzz_check(struct fuzz_checking *checking, const uint8_t *data, size_t size, struct report *report)
{
    const struct check_setup setup = {.options = &checking->options, .print = checking->null, .threads = 1};
    struct capture_error error = {""};
    struct report_capture *capture;
    struct capture *source;

    if (!checking->null) {
        static char words[][32] = {
            "iwarp-check", "--verbose", "--max-findings=20", "--memory-limit=256K", "--format=html", "--stats", "-"};
        char *arguments[] = {words[0], words[1], words[2], words[3], words[4], words[5], words[6], NULL};

        HOLDS(options_parse(&checking->options, (int)(sizeof words / sizeof words[0]), arguments, NULL));
        checking->null = fopen("/dev/null", "w");
        HOLDS(checking->null);
    }
    source = capture_open(fuzz_file(&checking->file, data, size), &error);
    if (!source) {
        HOLDS(error.text[0] != '\0' && !strchr(error.text, '\n'));
        return false;
    }
    capture = report_capture_new(checking->file.path);
    report_init(report, &checking->options);
    g_ptr_array_add(report->captures, capture);
    check_capture(&setup, source, capture);
    capture_close(source);
    report_conclude(report);
    fuzz_hangs_together(report);
    return true;
}

static inline void fuzz_write_reports(const struct fuzz_checking *checking, const struct report *report)
{
    static void (*const writers[])(const struct report *, FILE *) = {
        report_write_text,  report_write_ndjson, report_write_html,    report_write_junit,
        report_write_sarif, report_write_github, report_write_markdown};

    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        writers[i](report, checking->null);
}

#endif
