// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iwarp-check merge with any reports: two files, with the octet 0xFF (not UTF-8) between them. Either a one-line
 * message names the mistake, or the merged report merged again alone is the same, and every other format has the same
 * status.
 */
#define _GNU_SOURCE
#include "conformance/merge/merge.h"

#include "conformance/options/options.h"
#include "support/confine.h"
#include "tests/fuzz/fuzz_file.h"

#include <glib.h>

static struct fuzz_file files[2], outputs[2];

/* Replaces the program's: the next input has other files. */
void confine(const struct confine_to *to)
{
    (void)to;
}

/* Its message goes to *said, which the caller frees. */
static int merge(const char *format, char *output, char *one, char *two, char **said)
{
    g_autofree char *form = g_strconcat("--format=", format, NULL);
    char word[] = "merge", o[] = "-o";
    char *arguments[] = {word, form, o, output, one, two, NULL};
    FILE *kept = stderr, *heard;
    size_t n;
    int status;

    *said = NULL;
    heard = open_memstream(said, &n);
    HOLDS(heard);
    stderr = heard;
    status = merge_run(two ? 6 : 5, arguments);
    fclose(stderr);
    stderr = kept;
    return status;
}

static char *content(const struct fuzz_file *file)
{
    char *text = NULL;

    HOLDS(g_file_get_contents(file->path, &text, NULL, NULL));
    return text;
}

static void other_formats(char *path, int status)
{
    static const char *const formats[] = {"text", "junit", "html", "sarif", "github", "markdown", "tap"};

    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        char *said;

        HOLDS(merge(formats[i], fuzz_file(&outputs[1], NULL, 0), path, NULL, &said) == status && !*said);
        free(said);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = size > 0 ? memchr(data, 0xFF, size) : NULL;
    size_t first = cut ? (size_t)(cut - data) : size;
    char *one = fuzz_file(&files[0], data, first);
    char *two = cut ? fuzz_file(&files[1], cut + 1, size - first - 1) : NULL;
    char *said, *merged, *again;
    int status = merge("ndjson", fuzz_file(&outputs[0], NULL, 0), one, two, &said);

    HOLDS(status >= CHECK_PASS && status <= CHECK_NOTHING);
    if (status == CHECK_TROUBLE && *said) {
        HOLDS(strchr(said, '\n') == said + strlen(said) - 1);
        said[strlen(said) - 1] = '\0';
        holds_one_line(said);
        free(said);
        return 0;
    }
    HOLDS(!*said);
    free(said);
    merged = content(&outputs[0]);
    HOLDS(g_utf8_validate(merged, -1, NULL));
    HOLDS(merge("ndjson", fuzz_file(&outputs[1], NULL, 0), outputs[0].path, NULL, &said) == status && !*said);
    again = content(&outputs[1]);
    HOLDS(strcmp(merged, again) == 0);
    free(said);
    other_formats(outputs[0].path, status);
    g_free(merged);
    g_free(again);
    return 0;
}
