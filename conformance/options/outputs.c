// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/options/outputs.h"

#include "conformance/options/options.h"
#include "support/output_file.h"

#include <string.h>

static void clear_word(gpointer word)
{
    g_free(((struct output_word *)word)->value);
}

static void clear_output(gpointer output)
{
    g_free(((struct report_output *)output)->path);
}

GArray *output_words_new(void)
{
    GArray *words = g_array_new(FALSE, FALSE, sizeof(struct output_word));

    g_array_set_clear_func(words, clear_word);
    return words;
}

void output_words_add(GArray *words, bool is_path, const char *value)
{
    struct output_word word = {is_path, g_strdup(value)};

    g_array_append_val(words, word);
}

bool output_format_parse(enum report_format *format, const char *value, GError **error)
{
    static const char *const names[] = {
        [FORMAT_TEXT] = "text",         [FORMAT_NDJSON] = "ndjson", [FORMAT_JUNIT] = "junit",
        [FORMAT_HTML] = "html",         [FORMAT_SARIF] = "sarif",   [FORMAT_GITHUB] = "github",
        [FORMAT_MARKDOWN] = "markdown", [FORMAT_TAP] = "tap",       [FORMAT_JSON] = "json"};

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (strcmp(names[i], value) == 0) {
            *format = (enum report_format)i;
            return true;
        }
    }
    g_set_error(error, CHECK_ERROR, CHECK_ERROR_USAGE,
                "--format=%s: choose one of text, ndjson, junit, html, sarif, github, markdown and tap", value);
    return false;
}

static void outputs_add(GArray *outputs, enum report_format format, const char *path)
{
    struct report_output output = {format, strcmp(path, "-") == 0 ? NULL : g_strdup(path)};

    g_array_append_val(outputs, output);
}

bool output_places_clash(const char *path, const char *other)
{
    g_autofree gchar *one = g_canonicalize_filename(path, NULL), *two = g_canonicalize_filename(other, NULL);

    if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return false;
    return strcmp(one, two) == 0 || output_file_is(path, other);
}

static bool outputs_apart(const GArray *outputs, GError **error)
{
    for (guint i = 0; i < outputs->len; i++) {
        const char *path = g_array_index(outputs, struct report_output, i).path;

        for (guint k = 0; k < i; k++) {
            const char *other = g_array_index(outputs, struct report_output, k).path;

            if (path && other ? !output_places_clash(path, other) : path || other)
                continue;
            g_set_error(error, CHECK_ERROR, CHECK_ERROR_USAGE,
                        "--output: two reports would go to %s; give each --format its own --output",
                        path ? path : "standard output");
            return false;
        }
    }
    return true;
}

/* --output=FILE --format=FORMAT */
static bool is_swapped(const GArray *words)
{
    return words->len == 2 && g_array_index(words, struct output_word, 0).is_path &&
           !g_array_index(words, struct output_word, 1).is_path;
}

static bool pair(GArray *outputs, const GArray *words, GError **error)
{
    enum report_format format = FORMAT_TEXT;
    bool waiting = false;

    for (guint i = 0; i < words->len; i++) {
        const struct output_word *word = &g_array_index(words, struct output_word, i);

        if (!word->is_path && !output_format_parse(&format, word->value, error))
            return false;
        if (word->is_path) {
            outputs_add(outputs, format, word->value);
            format = FORMAT_TEXT;
        }
        waiting = !word->is_path;
    }
    if (is_swapped(words))
        g_array_index(outputs, struct report_output, 0).format = format;
    else if (waiting || words->len == 0)
        outputs_add(outputs, format, "-");
    return outputs_apart(outputs, error);
}

GArray *outputs_of(const GArray *words, GError **error)
{
    GArray *outputs = g_array_new(FALSE, FALSE, sizeof(struct report_output));

    g_array_set_clear_func(outputs, clear_output);
    if (pair(outputs, words, error))
        return outputs;
    g_array_unref(outputs);
    return NULL;
}

const struct report_output *outputs_on_stdout(const GArray *outputs)
{
    for (guint i = 0; i < outputs->len; i++)
        if (!g_array_index(outputs, struct report_output, i).path)
            return &g_array_index(outputs, struct report_output, i);
    return NULL;
}

bool outputs_any_file(const GArray *outputs)
{
    for (guint i = 0; i < outputs->len; i++)
        if (g_array_index(outputs, struct report_output, i).path)
            return true;
    return false;
}

bool outputs_have(const GArray *outputs, enum report_format format)
{
    for (guint i = 0; i < outputs->len; i++)
        if (g_array_index(outputs, struct report_output, i).format == format)
            return true;
    return false;
}
