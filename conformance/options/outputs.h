/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports of a run: pairs of --format and --output. */
#ifndef IWARP_CONFORMANCE_OPTIONS_OUTPUTS_H
#define IWARP_CONFORMANCE_OPTIONS_OUTPUTS_H

#include <glib.h>
#include <stdbool.h>

enum report_format {
    FORMAT_TEXT,
    FORMAT_NDJSON,
    FORMAT_JUNIT,
    FORMAT_HTML,
    FORMAT_SARIF,
    FORMAT_GITHUB,
    FORMAT_MARKDOWN,
    FORMAT_TAP,
    FORMAT_JSON, /* --list-rules alone */
};

struct report_output {
    enum report_format format;
    char *path; /* NULL: standard output */
};

/* Takes each --format (is_path false) and --output, in the order of the command line. */
struct output_word {
    bool is_path;
    char *value;
};

/* Of struct output_word and struct report_output; they free what they hold. */
GArray *output_words_new(void);
void output_words_add(GArray *words, bool is_path, const char *value);
/*
 * A format belongs to the next output; the last format without an output goes to standard output, and an output without
 * a format is text. A single output also takes a single format that follows it. There is at least one report. NULL and
 * *error (CHECK_ERROR_USAGE) if a value is wrong or two reports go to the same place.
 */
GArray *outputs_of(const GArray *words, GError **error);
/* The report on standard output; NULL: none. */
const struct report_output *outputs_on_stdout(const GArray *outputs);
/* Whether a report is written to a file. */
bool outputs_any_file(const GArray *outputs);
bool outputs_have(const GArray *outputs, enum report_format format);
bool output_format_parse(enum report_format *format, const char *value, GError **error);
/*
 * Whether two paths name the same file; neither needs to exist. False for devices and pipes, which can take several
 * reports.
 */
bool output_places_clash(const char *path, const char *other);

#endif
