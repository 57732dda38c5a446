/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IWARP_WEB_GLIB_SORT_H
#define IWARP_WEB_GLIB_SORT_H

#include <glib.h>

/* Sorts n elements of `size` octets. Equal elements keep their order, which GLib promises but qsort() does not. */
void glib_sort(gpointer data, gsize n, gsize size, GCompareFunc compare);

#endif
