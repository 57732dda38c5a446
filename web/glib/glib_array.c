// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/glib/glib_sort.h"

#include <glib.h>

#include <string.h>

enum { ARRAY_MIN = 16 };

/* GArray's public part, and the hidden part. */
struct real_array {
    GArray shown;
    guint room, element;
    gboolean zero_ended, cleared;
    guint references;
    GDestroyNotify clear;
};

static struct real_array *real_array(GArray *array)
{
    return (struct real_array *)(gpointer)array;
}

static gchar *element_at(GArray *array, guint i)
{
    return array->data + (gsize)i * real_array(array)->element;
}

static void make_room(GArray *array, guint more)
{
    struct real_array *real = real_array(array);
    guint wanted = array->len + more + (real->zero_ended ? 1 : 0);

    if (wanted < more)
        g_error("adding %u to array would overflow", more);
    if (wanted <= real->room)
        return;
    real->room = MAX(MAX(wanted, ARRAY_MIN), real->room < G_MAXUINT / 2 ? 2 * real->room : wanted);
    array->data = g_realloc_n(array->data, real->room, real->element);
}

static void end_with_zero(GArray *array)
{
    if (real_array(array)->zero_ended)
        memset(element_at(array, array->len), 0, real_array(array)->element);
}

GArray *g_array_sized_new(gboolean zero_ended, gboolean cleared, guint element, guint room)
{
    struct real_array *real = g_new0(struct real_array, 1);

    real->element = element;
    real->zero_ended = zero_ended;
    real->cleared = cleared;
    real->references = 1;
    if (zero_ended || room > 0) {
        make_room(&real->shown, room);
        end_with_zero(&real->shown);
    }
    return &real->shown;
}

GArray *g_array_new(gboolean zero_ended, gboolean cleared, guint element)
{
    return g_array_sized_new(zero_ended, cleared, element, 0);
}

GArray *g_array_ref(GArray *array)
{
    real_array(array)->references++;
    return array;
}

static void clear_elements(GArray *array, guint from, guint n)
{
    for (guint i = from; real_array(array)->clear && i < from + n; i++)
        real_array(array)->clear(element_at(array, i));
}

void g_array_unref(GArray *array)
{
    if (--real_array(array)->references > 0)
        return;
    clear_elements(array, 0, array->len);
    g_free(array->data);
    g_free(array);
}

guint g_array_get_element_size(GArray *array)
{
    return real_array(array)->element;
}

void g_array_set_clear_func(GArray *array, GDestroyNotify clear)
{
    real_array(array)->clear = clear;
}

GArray *g_array_append_vals(GArray *array, gconstpointer data, guint n)
{
    if (n == 0)
        return array;
    make_room(array, n);
    memcpy(element_at(array, array->len), data, (gsize)n * real_array(array)->element);
    array->len += n;
    end_with_zero(array);
    return array;
}

GArray *g_array_insert_vals(GArray *array, guint at, gconstpointer data, guint n)
{
    if (n == 0)
        return array;
    if (at > array->len)
        g_array_set_size(array, at);
    make_room(array, n);
    memmove(element_at(array, at + n), element_at(array, at), (gsize)(array->len - at) * real_array(array)->element);
    memcpy(element_at(array, at), data, (gsize)n * real_array(array)->element);
    array->len += n;
    end_with_zero(array);
    return array;
}

GArray *g_array_set_size(GArray *array, guint n)
{
    if (n > array->len) {
        make_room(array, n - array->len);
        if (real_array(array)->cleared)
            memset(element_at(array, array->len), 0, (gsize)(n - array->len) * real_array(array)->element);
    } else {
        clear_elements(array, n, array->len - n);
    }
    array->len = n;
    if (array->data)
        end_with_zero(array);
    return array;
}

GArray *g_array_remove_index(GArray *array, guint i)
{
    clear_elements(array, i, 1);
    memmove(element_at(array, i), element_at(array, i + 1), (gsize)(array->len - i - 1) * real_array(array)->element);
    array->len--;
    end_with_zero(array);
    return array;
}

void g_array_sort(GArray *array, GCompareFunc compare)
{
    glib_sort(array->data, array->len, real_array(array)->element, compare);
}

/* ---- pointers ---- */

struct real_pointers {
    GPtrArray shown;
    guint room;
    GDestroyNotify clear;
};

static struct real_pointers *real_pointers(GPtrArray *array)
{
    return (struct real_pointers *)(gpointer)array;
}

static void pointers_make_room(GPtrArray *array, guint more)
{
    struct real_pointers *real = real_pointers(array);

    if (array->len + more <= real->room)
        return;
    real->room = MAX(MAX(array->len + more, ARRAY_MIN), 2 * real->room);
    array->pdata = g_realloc_n(array->pdata, real->room, sizeof *array->pdata);
}

GPtrArray *g_ptr_array_new_with_free_func(GDestroyNotify clear)
{
    struct real_pointers *real = g_new0(struct real_pointers, 1);

    real->clear = clear;
    return &real->shown;
}

GPtrArray *g_ptr_array_new(void)
{
    return g_ptr_array_new_with_free_func(NULL);
}

/* No caller in the tree holds a second reference. */
void g_ptr_array_unref(GPtrArray *array)
{
    g_ptr_array_set_size(array, 0);
    g_free(array->pdata);
    g_free(array);
}

void g_ptr_array_add(GPtrArray *array, gpointer pointer)
{
    pointers_make_room(array, 1);
    array->pdata[array->len++] = pointer;
}

void g_ptr_array_insert(GPtrArray *array, gint i, gpointer pointer)
{
    guint at = i < 0 ? array->len : (guint)i;

    pointers_make_room(array, 1);
    memmove(array->pdata + at + 1, array->pdata + at, (array->len - at) * sizeof *array->pdata);
    array->pdata[at] = pointer;
    array->len++;
}

void g_ptr_array_set_size(GPtrArray *array, gint n)
{
    guint wanted = (guint)n;

    if (wanted > array->len) {
        pointers_make_room(array, wanted - array->len);
        memset(array->pdata + array->len, 0, (wanted - array->len) * sizeof *array->pdata);
    }
    for (guint i = wanted; real_pointers(array)->clear && i < array->len; i++)
        if (array->pdata[i])
            real_pointers(array)->clear(array->pdata[i]);
    array->len = wanted;
}

gpointer g_ptr_array_steal_index(GPtrArray *array, guint i)
{
    gpointer stolen = array->pdata[i];

    memmove(array->pdata + i, array->pdata + i + 1, (array->len - i - 1) * sizeof *array->pdata);
    array->len--;
    return stolen;
}

gpointer g_ptr_array_steal_index_fast(GPtrArray *array, guint i)
{
    gpointer stolen = array->pdata[i];

    array->pdata[i] = array->pdata[--array->len];
    return stolen;
}

gpointer g_ptr_array_remove_index_fast(GPtrArray *array, guint i)
{
    gpointer removed = g_ptr_array_steal_index_fast(array, i);

    if (real_pointers(array)->clear)
        real_pointers(array)->clear(removed);
    return removed;
}

gboolean g_ptr_array_find_with_equal_func(GPtrArray *array, gconstpointer wanted, GEqualFunc equal, guint *found)
{
    for (guint i = 0; i < array->len; i++) {
        if (!(equal ? equal(array->pdata[i], wanted) : array->pdata[i] == wanted))
            continue;
        if (found)
            *found = i;
        return TRUE;
    }
    return FALSE;
}

void g_ptr_array_sort(GPtrArray *array, GCompareFunc compare)
{
    glib_sort(array->pdata, array->len, sizeof *array->pdata, compare);
}
