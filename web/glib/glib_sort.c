// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/glib/glib_sort.h"

#include <string.h>

static void merge_halves(gchar *data, gsize half, gsize n, gsize size, GCompareFunc compare, gchar *scratch)
{
    gchar *left = scratch, *left_end = scratch + half * size, *right = data + half * size, *right_end = data + n * size;

    memcpy(scratch, data, half * size);
    while (left < left_end) {
        gchar **from = right < right_end && compare(right, left) < 0 ? &right : &left;

        memcpy(data, *from, size);
        data += size;
        *from += size;
    }
}

static void sort_part(gchar *data, gsize n, gsize size, GCompareFunc compare, gchar *scratch)
{
    gsize half = n / 2;

    if (n < 2)
        return;
    sort_part(data, half, size, compare, scratch);
    sort_part(data + half * size, n - half, size, compare, scratch);
    if (compare(data + (half - 1) * size, data + half * size) > 0)
        merge_halves(data, half, n, size, compare, scratch);
}

void glib_sort(gpointer data, gsize n, gsize size, GCompareFunc compare)
{
    gchar *scratch = g_malloc_n(n / 2 + 1, size);

    sort_part(data, n, size, compare, scratch);
    g_free(scratch);
}
