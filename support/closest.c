// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/closest.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 64 };

/*
 * Number of characters to add, remove, replace or swap with their neighbour to turn a into b, both at most
 * NAME_MAX_LENGTH: the optimal string alignment distance, which needs only three rows.
 */
static size_t closest_distance(const char *a, size_t a_n, const char *b, size_t b_n)
{
    size_t rows[3][NAME_MAX_LENGTH + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t k = 0; k <= b_n; k++)
        above[k] = k;
    for (size_t i = 1; i <= a_n; i++) {
        size_t *oldest = before;

        row[0] = i;
        for (size_t k = 1; k <= b_n; k++) {
            row[k] = MIN(MIN(above[k], row[k - 1]) + 1, above[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = MIN(row[k], before[k - 2] + 1);
        }
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_n];
}

struct closest closest_to(const char *word, size_t n)
{
    return (struct closest){.word = word, .n = strnlen(word, n), .distance = SIZE_MAX};
}

char *closest_hint(const struct closest *closest, const char *otherwise)
{
    return closest->name ? g_strdup_printf(" (did you mean '%s'?)", closest->name) : g_strdup(otherwise);
}

void closest_consider(struct closest *closest, const char *name)
{
    size_t name_n = strlen(name), far;

    if (closest->n == 0 || closest->n > NAME_MAX_LENGTH || name_n > NAME_MAX_LENGTH)
        return;
    far = closest_distance(closest->word, closest->n, name, name_n);
    if (far > MAX(closest->n / 3, 1) || far >= closest->n || far >= closest->distance)
        return;
    closest->distance = far;
    closest->name = name;
}
