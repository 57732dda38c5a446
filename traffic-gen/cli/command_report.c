// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen report: combines the results of several runs of iwarp-gen test. */
#include "support/output_file.h"
#include "traffic-gen/cli/command.h"
#include "traffic-gen/tester/suite/result/result.h"

#include <errno.h>

static int write_page(struct suite_report *const *reports, unsigned n, const char *output)
{
    struct output_file out;
    bool good = output_file_open(&out, output);

    if (good) {
        suite_report_html(reports, n, out.file);
        good = output_file_finish(&out);
    }
    int status = good ? COMMAND_DONE : command_fail("%s: %s", output ? output : "standard output", g_strerror(errno));

    output_file_clear(&out);
    return status;
}

int command_report(int argc, char **argv)
{
    static const struct command_usage usage = {
        "FILE.json...",
        "Combines results of iwarp-gen test --format=json into one HTML page: a matrix of cases by devices.",
        "Each failure has a section with the expectation, the finding and the transcript.",
    };
    g_autofree char *output = NULL;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "page to write (default: standard output)", "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GPtrArray) reports = NULL;
    g_autoptr(GError) error = NULL;
    int status;

    if (!command_parse(&usage, entries, &argc, &argv, 1, G_MAXINT, &status))
        return status;
    for (int i = 1; i < argc && output; i++) {
        if (output_file_is(output, argv[i]))
            return command_fail("-o: %s is one of the reports; give another name", output);
    }
    reports = g_ptr_array_new_with_free_func((GDestroyNotify)suite_report_free);
    for (int i = 1; i < argc; i++) {
        struct suite_report *report = suite_report_load(argv[i], &error);

        if (!report)
            return command_fail("%s", error->message);
        g_ptr_array_add(reports, report);
    }
    return write_page((struct suite_report *const *)reports->pdata, reports->len, output);
}
