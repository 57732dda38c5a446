// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib-object.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As in GLib, a failed allocation ends the program; the page reports it. */
static gpointer or_abort(gpointer memory, gsize n)
{
    if (!memory && n > 0)
        g_error("out of memory: %zu octets", n);
    return memory;
}

static gsize product(gsize n, gsize size)
{
    gsize all;

    if (__builtin_mul_overflow(n, size, &all))
        g_error("out of memory: %zu times %zu octets", n, size);
    return all;
}

gpointer g_malloc(gsize n)
{
    return n == 0 ? NULL : or_abort(malloc(n), n);
}

gpointer g_malloc0(gsize n)
{
    return n == 0 ? NULL : or_abort(calloc(1, n), n);
}

gpointer g_malloc_n(gsize n, gsize size)
{
    return g_malloc(product(n, size));
}

gpointer g_malloc0_n(gsize n, gsize size)
{
    return g_malloc0(product(n, size));
}

gpointer g_realloc(gpointer memory, gsize n)
{
    if (n == 0) {
        free(memory);
        return NULL;
    }
    return or_abort(realloc(memory, n), n);
}

gpointer g_realloc_n(gpointer memory, gsize n, gsize size)
{
    return g_realloc(memory, product(n, size));
}

void g_free(gpointer memory)
{
    free(memory);
}

gpointer g_memdup2(gconstpointer memory, gsize n)
{
    return memory && n > 0 ? memcpy(g_malloc(n), memory, n) : NULL;
}

void g_log(const gchar *domain, GLogLevelFlags level, const gchar *format, ...)
{
    va_list arguments;

    (void)domain;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    if (level & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL))
        abort();
}

/* ---- one thread ---- */

gint(g_atomic_int_get)(const volatile gint *number)
{
    return *number;
}

void(g_atomic_int_set)(volatile gint *number, gint value)
{
    *number = value;
}

gint(g_atomic_int_add)(volatile gint *number, gint more)
{
    gint before = *number;

    *number += more;
    return before;
}

void g_mutex_init(GMutex *mutex)
{
    mutex->p = NULL;
}

void g_mutex_clear(GMutex *mutex)
{
    (void)mutex;
}

void g_mutex_lock(GMutex *mutex)
{
    (void)mutex;
}

void g_mutex_unlock(GMutex *mutex)
{
    (void)mutex;
}

/* ---- surroundings ---- */

gint64 g_get_monotonic_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

const gchar *g_getenv(const gchar *name)
{
    return getenv(name);
}

const gchar *g_get_host_name(void)
{
    const gchar *name = getenv("HOSTNAME");

    return name ? name : "localhost";
}
