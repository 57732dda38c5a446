// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <string.h>

struct _GOptionGroup {
    GPtrArray *entries; /* GOptionEntry * of the caller */
    gpointer ctx;
};

struct _GOptionContext {
    GOptionGroup *group;
};

G_DEFINE_QUARK(g - option - context - error - quark, g_option_error)

GOptionGroup *g_option_group_new(const gchar *name, const gchar *description, const gchar *help, gpointer ctx,
                                 GDestroyNotify clear)
{
    GOptionGroup *group = g_new0(GOptionGroup, 1);

    (void)name, (void)description, (void)help, (void)clear;
    group->entries = g_ptr_array_new();
    group->ctx = ctx;
    return group;
}

void g_option_group_add_entries(GOptionGroup *group, const GOptionEntry *entries)
{
    for (; entries->long_name; entries++)
        g_ptr_array_add(group->entries, (gpointer)entries);
}

GOptionContext *g_option_context_new(const gchar *parameters)
{
    (void)parameters;
    return g_new0(GOptionContext, 1);
}

void g_option_context_set_help_enabled(GOptionContext *context, gboolean enabled)
{
    (void)context, (void)enabled; /* the program writes its own help */
}

void g_option_context_set_main_group(GOptionContext *context, GOptionGroup *group)
{
    context->group = group;
}

void g_option_context_free(GOptionContext *context)
{
    g_ptr_array_unref(context->group->entries);
    g_free(context->group);
    g_free(context);
}

/* The entry for a long name of n octets, or for a letter. */
static const GOptionEntry *find_entry(const GOptionContext *context, const gchar *name, gsize n, gchar letter)
{
    const GPtrArray *entries = context->group->entries;

    for (guint i = 0; i < entries->len; i++) {
        const GOptionEntry *entry = g_ptr_array_index(entries, i);

        if (name ? strlen(entry->long_name) == n && strncmp(entry->long_name, name, n) == 0
                 : entry->short_name == letter)
            return entry;
    }
    return NULL;
}

static void add_text(gchar ***list, const gchar *text)
{
    guint n = *list ? g_strv_length(*list) : 0;

    *list = g_renew(gchar *, *list, n + 2);
    (*list)[n] = g_strdup(text);
    (*list)[n + 1] = NULL;
}

static gboolean set_number(gint *out, const gchar *text, const gchar *shown, GError **error)
{
    gboolean negative = *text == '-';
    gchar *end;
    guint64 number = g_ascii_strtoull(text + negative, &end, 0);

    if (end == text + negative || *end || !g_ascii_isdigit(text[negative])) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "Cannot parse integer value “%s” for %s", text,
                    shown);
        return FALSE;
    }
    if (number > (guint64)G_MAXINT + negative) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "Integer value “%s” for %s out of range", text,
                    shown);
        return FALSE;
    }
    *out = (gint)(negative ? -(gint64)number : (gint64)number);
    return TRUE;
}

/* shown: the option as it was given */
static gboolean take_value(const GOptionContext *context, const GOptionEntry *entry, const gchar *shown,
                           const gchar *value, GError **error)
{
    switch (entry->arg) {
    case G_OPTION_ARG_CALLBACK:
        return ((GOptionArgFunc)entry->arg_data)(shown, value, context->group->ctx, error);
    case G_OPTION_ARG_STRING:
    case G_OPTION_ARG_FILENAME:
        g_free(*(gchar **)entry->arg_data);
        *(gchar **)entry->arg_data = g_strdup(value);
        return TRUE;
    case G_OPTION_ARG_STRING_ARRAY:
    case G_OPTION_ARG_FILENAME_ARRAY:
        add_text(entry->arg_data, value);
        return TRUE;
    case G_OPTION_ARG_INT:
        return set_number(entry->arg_data, value, shown, error);
    default:
        *(gboolean *)entry->arg_data = TRUE;
        return TRUE;
    }
}

/* Takes an option, and its value from the next word unless `value` is given. *i moves on to the last used word. */
static gboolean take_option(const GOptionContext *context, const GOptionEntry *entry, const gchar *shown,
                            const gchar *given, gchar **words, guint *i, GError **error)
{
    if (entry->arg == G_OPTION_ARG_NONE)
        return take_value(context, entry, shown, NULL, error);
    if (!given && words[*i + 1])
        given = words[++*i];
    if (given)
        return take_value(context, entry, shown, given, error);
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "Missing argument for %s", shown);
    return FALSE;
}

static gboolean unknown_option(const gchar *shown, GError **error)
{
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION, "Unknown option %s", shown);
    return FALSE;
}

static gboolean take_long(const GOptionContext *context, gchar **words, guint *i, GError **error)
{
    const gchar *word = words[*i], *value = strchr(word, '=');
    gsize n = (value ? (gsize)(value - word) : strlen(word)) - 2;
    const GOptionEntry *entry = find_entry(context, word + 2, n, 0);
    g_autofree gchar *shown = g_strndup(word, n + 2);

    if (!entry || (value && entry->arg == G_OPTION_ARG_NONE))
        return unknown_option(word, error);
    return take_option(context, entry, shown, value ? value + 1 : NULL, words, i, error);
}

static gboolean take_letters(const GOptionContext *context, gchar **words, guint *i, GError **error)
{
    for (const gchar *letter = words[*i] + 1; *letter; letter++) {
        const GOptionEntry *entry = find_entry(context, NULL, 0, *letter);
        g_autofree gchar *shown = g_strdup_printf("-%c", *letter);

        if (!entry)
            return unknown_option(words[*i], error);
        if (entry->arg != G_OPTION_ARG_NONE)
            return take_option(context, entry, shown, letter[1] ? letter + 1 : NULL, words, i, error);
        if (!take_value(context, entry, shown, NULL, error))
            return FALSE;
    }
    return TRUE;
}

gboolean g_option_context_parse_strv(GOptionContext *context, gchar ***arguments, GError **error)
{
    const GOptionEntry *rest = find_entry(context, "", 0, 0);
    gchar **words = *arguments;
    gboolean ended = FALSE;

    for (guint i = words[0] ? 1 : 0; words[i]; i++) {
        if (ended || words[i][0] != '-' || words[i][1] == '\0')
            add_text(rest->arg_data, words[i]);
        else if (strcmp(words[i], "--") == 0)
            ended = TRUE;
        else if (!(words[i][1] == '-' ? take_long : take_letters)(context, words, &i, error))
            return FALSE;
    }
    return TRUE;
}
