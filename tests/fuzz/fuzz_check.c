// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole of iwarp-check on arbitrary capture octets: libpcap, decapsulation, reassembly, engine, both reports,
 * --print. The input is a capture file.
 */
#define _GNU_SOURCE
#include "conformance/check/check.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct check_options options;
static FILE *null;
static int memory;
static char path[64];

static void start(void)
{
    static char words[][32] = {"iwarp-check", "--verbose", "--max-findings=20", "--memory-limit=256K", "--format=html",
                               "--stats",     "-"};
    char *arguments[] = {words[0], words[1], words[2], words[3], words[4], words[5], words[6], NULL};

    HOLDS(options_parse(&options, (int)(sizeof words / sizeof words[0]), arguments, NULL));
    null = fopen("/dev/null", "w");
    memory = memfd_create("capture", MFD_CLOEXEC);
    HOLDS(null && memory >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
}

/* What every report keeps to. */
static void hangs_together(const struct report *report)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct check_setup setup = {.options = &options, .print = null, .threads = 1};
    struct capture_error error;
    struct report_capture *capture;
    struct capture *source;
    struct report report;

    if (!null)
        start();
    HOLDS(ftruncate(memory, 0) == 0 && pwrite(memory, data, size, 0) == (ssize_t)size);
    source = capture_open(path, &error);
    if (!source) {
        HOLDS(error.text[0] != '\0' && !strchr(error.text, '\n'));
        return 0;
    }
    capture = report_capture_new(path);
    report_init(&report, &options);
    g_ptr_array_add(report.captures, capture);
    check_capture(&setup, source, capture);
    capture_close(source);
    report_conclude(&report);
    hangs_together(&report);
    report_write_text(&report, null);
    report_write_json(&report, null);
    report_write_html(&report, null);
    report_write_junit(&report, null);
    report_write_sarif(&report, null);
    report_write_github(&report, null);
    report_write_markdown(&report, null);
    report_clear(&report);
    return 0;
}
