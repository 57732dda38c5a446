// SPDX-License-Identifier: GPL-2.0-or-later
/* Public errors that findings resemble. */
#include "waivers/shipped.h"

static GPtrArray *known_read(void)
{
    GPtrArray *known = waivers_new();

    for (const struct shipped_file *file = shipped_known_files; file->name; file++) {
        g_autofree char *path = g_strconcat(file->name, ".yaml", NULL);
        GError *error = NULL;

        if (!waivers_parse(known, file->text, path, NULL, &error))
            g_error("%s", error->message); /* built-in files are tested */
    }
    return known;
}

const struct waiver *shipped_known(const struct waiver_finding *finding, const char *server)
{
    static GPtrArray *known;

    if (!known)
        known = known_read();
    for (guint i = 0; i < known->len; i++) {
        const struct waiver *error = g_ptr_array_index(known, i);

        if (waiver_covers(error, finding) && !shipped_of_another(error, server))
            return error;
    }
    return NULL;
}
