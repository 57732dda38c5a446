// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A faulty device repeats its fault. Equal findings on a connection, whose texts differ only in numbers, are listed
 * three times; further findings are counted with the third.
 */
#include "conformance/model/report.h"

#include <stddef.h>
#include <string.h>

/* Equal findings; text: from report_fold_text(). */
struct fold_key {
    const struct waiver *waiver;
    enum rule_id rule;
    enum rule_severity severity;
    enum direction direction;
    gchar text[FINDING_MESSAGE_SIZE];
};

struct fold {
    unsigned n;
    guint last; /* of the listed findings: indices into the connection's findings */
};

static guint fold_hash_of(gconstpointer data)
{
    const struct fold_key *key = data;

    return g_str_hash(key->text) ^ (guint)key->rule;
}

/* Clears members that the text does not use. */
static struct fold_key *key_copy(const struct fold_key *key)
{
    size_t size = offsetof(struct fold_key, text) + strlen(key->text) + 1;

    return memcpy(g_malloc(size), key, size);
}

static gboolean fold_equal(gconstpointer a, gconstpointer b)
{
    const struct fold_key *one = a, *other = b;

    return one->rule == other->rule && one->severity == other->severity && one->direction == other->direction &&
           one->waiver == other->waiver && strcmp(one->text, other->text) == 0;
}

/* A word with a digit counts as a number. text is as large as message. */
static void fold_text(gchar *text, const char *message)
{
    while (*message != '\0') {
        const char *end = message;
        bool number = false;

        for (; g_ascii_isalnum(*end); end++)
            number |= g_ascii_isdigit(*end);
        if (number)
            *text++ = '#';
        else
            do
                *text++ = *message++;
            while (message < end);
        message = end > message ? end : message;
    }
    *text = '\0';
}

gchar *report_fold_text(const char *message)
{
    gchar *text = g_malloc(strlen(message) + 1);

    fold_text(text, message);
    return text;
}

bool report_fold_finding(struct report_connection *connection, const struct report_finding *finding,
                         const char *message)
{
    struct fold_key key = {finding->waiver, finding->rule, finding->severity, finding->direction, ""};
    struct fold *fold;
    struct report_finding *listed;

    fold_text(key.text, message);
    if (!connection->folds)
        connection->folds = g_hash_table_new_full(fold_hash_of, fold_equal, g_free, g_free);
    fold = g_hash_table_lookup(connection->folds, &key);
    if (!fold) {
        fold = g_new0(struct fold, 1);
        g_hash_table_insert(connection->folds, key_copy(&key), fold);
    }
    if (fold->n < REPORT_EQUAL_LISTED) {
        fold->n++;
        fold->last = connection->findings->len;
        return false;
    }
    if (fold->last >= connection->findings->len) /* the finding was not kept */
        return false;
    listed = &g_array_index(connection->findings, struct report_finding, fold->last);
    if (listed->more++ == 0)
        listed->more_first = finding->frame;
    listed->more_last = finding->frame;
    return true;
}

static gint fold_by_place(gconstpointer a, gconstpointer b)
{
    const struct report_finding *first = a, *second = b;

    if (first->frame != second->frame)
        return first->frame < second->frame ? -1 : 1;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

void report_sort_findings(struct report_connection *connection)
{
    g_array_sort(connection->findings, fold_by_place);
    g_clear_pointer(&connection->folds, g_hash_table_unref); /* the indices in the table have changed */
}
