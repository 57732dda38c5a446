// SPDX-License-Identifier: GPL-2.0-or-later
#include "waivers/shipped.h"

#include <inttypes.h>
#include <string.h>

char *shipped_family(const struct shipped_file *file)
{
    return g_strndup(file->name, strcspn(file->name, "-"));
}

static bool is_of(const struct shipped_file *file, const char *name)
{
    g_autofree char *family = shipped_family(file);

    return strcmp(file->name, name) == 0 || strcmp(family, name) == 0;
}

/* They are tested: what cannot be read is a mistake of the build. */
static char *add_file(GPtrArray *waivers, const struct shipped_file *file)
{
    g_autofree char *path = g_strconcat(file->name, ".yaml", NULL);
    guint before = waivers->len;
    char *about = NULL;
    GError *error = NULL;

    if (!waivers_parse(waivers, file->text, path, &about, &error))
        g_error("%s", error->message);
    for (guint i = before; i < waivers->len; i++)
        ((struct waiver *)g_ptr_array_index(waivers, i))->shipped = true;
    return about ? about : g_strdup(file->name);
}

bool shipped_add(GPtrArray *waivers, const char *name)
{
    bool found = false;

    for (const struct shipped_file *file = shipped_files; file->name; file++)
        if (is_of(file, name)) {
            g_free(add_file(waivers, file));
            found = true;
        }
    return found;
}

char *shipped_names(void)
{
    GString *names = g_string_new(NULL);
    g_autofree char *last = g_strdup("");

    for (const struct shipped_file *file = shipped_files; file->name; file++) {
        char *family = shipped_family(file);

        if (strcmp(family, last) != 0 && strcmp(family, file->name) != 0)
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", family);
        g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", file->name);
        g_free(last);
        last = family;
    }
    return g_string_free(names, FALSE);
}

/* ---- what they would explain ---- */

static uint64_t explain_by(const struct shipped_file *file, const struct shipped_findings *findings, bool *taken,
                           char **about)
{
    GPtrArray *waivers = waivers_new();
    uint64_t explained = 0;

    *about = add_file(waivers, file);
    for (size_t k = 0; k < findings->n; k++)
        for (guint i = 0; i < waivers->len && !taken[k]; i++)
            if (findings->fits(g_ptr_array_index(waivers, i), findings->findings[k])) {
                taken[k] = true;
                explained += findings->times[k];
            }
    g_ptr_array_unref(waivers);
    return explained;
}

/* `file` is the first of its family, and the others follow. */
static struct shipped_match explain_by_family(const struct shipped_file *file, const struct shipped_findings *findings)
{
    struct shipped_match match = {.name = shipped_family(file)};
    bool *taken = g_new0(bool, findings->n + 1);
    GString *about = g_string_new(NULL);

    for (; file->name && is_of(file, match.name); file++) {
        g_autofree char *title = NULL;
        uint64_t explained = explain_by(file, findings, taken, &title);

        if (explained > 0)
            g_string_append_printf(about, "%s%s", about->len > 0 ? " and " : "", title);
        match.explained += explained;
    }
    match.about = g_string_free(about, FALSE);
    g_free(taken);
    return match;
}

struct shipped_match shipped_explain(const struct shipped_findings *findings)
{
    struct shipped_match best = {0};

    for (const struct shipped_file *file = shipped_files; file->name; file++) {
        g_autofree char *family = shipped_family(file);
        struct shipped_match match;

        if (file > shipped_files && is_of(file - 1, family))
            continue;
        match = explain_by_family(file, findings);
        if (match.explained > best.explained) {
            shipped_match_clear(&best);
            best = match;
        } else {
            shipped_match_clear(&match);
        }
    }
    return best;
}

void shipped_match_clear(struct shipped_match *match)
{
    g_clear_pointer(&match->name, g_free);
    g_clear_pointer(&match->about, g_free);
}

char *shipped_text(const struct shipped_match *match, uint64_t of, const char *what)
{
    if (match->explained == 0)
        return NULL;
    return g_strdup_printf("%" PRIu64 " of %" PRIu64 " %s%s %s of %s: --waivers=%s", match->explained, of, what,
                           of == 1 ? "" : "s", match->explained == 1 ? "is a known deviation" : "are known deviations",
                           match->about, match->name);
}
