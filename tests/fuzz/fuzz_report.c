// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iwarp-gen report with any results: two files, with the octet 0xFF (not UTF-8) between them. Either a one-line message
 * names the mistake, or the page is UTF-8 without control characters.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz_file.h"
#include "traffic-gen/tester/suite/result/result.h"

static struct suite_report *load(struct fuzz_file *file, const uint8_t *p, size_t n)
{
    GError *error = NULL;
    struct suite_report *report = suite_report_load(fuzz_file(file, p, n), &error);

    HOLDS((report == NULL) == (error != NULL));
    if (error)
        holds_one_line(error->message);
    g_clear_error(&error);
    return report;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file files[2];
    const uint8_t *cut = size > 0 ? memchr(data, 0xFF, size) : NULL;
    size_t first = cut ? (size_t)(cut - data) : size, n_page;
    struct suite_report *reports[2] = {load(&files[0], data, first), NULL};
    char *page = NULL;
    FILE *out;

    if (!reports[0])
        return 0;
    if (cut)
        reports[1] = load(&files[1], cut + 1, size - first - 1);
    out = open_memstream(&page, &n_page);
    suite_report_html(reports, reports[1] ? 2 : 1, out);
    fclose(out);
    HOLDS(g_utf8_validate(page, (gssize)n_page, NULL));
    for (size_t i = 0; i < n_page; i++)
        HOLDS((unsigned char)page[i] >= 0x20 || page[i] == '\n');
    free(page);
    suite_report_free(reports[0]);
    if (reports[1])
        suite_report_free(reports[1]);
    return 0;
}
