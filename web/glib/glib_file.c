// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

gboolean g_file_test(const gchar *path, GFileTest test)
{
    struct stat is;

    if (stat(path, &is) != 0)
        return FALSE;
    return (test & G_FILE_TEST_EXISTS) || ((test & G_FILE_TEST_IS_DIR) && S_ISDIR(is.st_mode)) ||
           ((test & G_FILE_TEST_IS_REGULAR) && S_ISREG(is.st_mode));
}

gboolean g_file_get_contents(const gchar *path, gchar **contents, gsize *n, GError **error)
{
    FILE *file = fopen(path, "rb");
    GString *text;
    gchar piece[4096];
    gboolean good;

    (void)error; /* callers in the tree only use errno */
    if (!file)
        return FALSE;
    text = g_string_new(NULL);
    for (gsize got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        g_string_append_len(text, piece, (gssize)got);
    good = !ferror(file);
    fclose(file);
    if (n)
        *n = text->len;
    *contents = g_string_free(text, !good);
    return good;
}

gchar *g_path_get_basename(const gchar *path)
{
    const gchar *slash = strrchr(path, '/');

    return g_strdup(slash && slash[1] ? slash + 1 : path);
}

/* Relative to the root, which is the only folder. */
gchar *g_canonicalize_filename(const gchar *path, const gchar *relative_to)
{
    g_auto(GStrv) names = g_strsplit(path, "/", -1);
    GPtrArray *kept = g_ptr_array_new();
    GString *all = g_string_new(NULL);

    (void)relative_to;
    for (gchar **name = names; *name; name++) {
        if (strcmp(*name, "..") == 0)
            g_ptr_array_set_size(kept, kept->len > 0 ? (gint)kept->len - 1 : 0);
        else if (**name && strcmp(*name, ".") != 0)
            g_ptr_array_add(kept, *name);
    }
    for (guint i = 0; i < kept->len; i++)
        g_string_append_printf(all, "/%s", (gchar *)g_ptr_array_index(kept, i));
    g_ptr_array_unref(kept);
    if (all->len == 0)
        g_string_append_c(all, '/');
    return g_string_free(all, FALSE);
}
