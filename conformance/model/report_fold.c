// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A device that does something wrong does it again and again. Findings of a connection that say the same, but for the
 * numbers in their texts, are listed three times; the others are counted with the third.
 */
#include "conformance/model/report.h"

struct fold {
    unsigned n;
    guint last; /* of those listed: index in the connection's findings */
};

/* A word with a digit in it is a number. */
gchar *report_fold_text(const char *message)
{
    GString *text = g_string_new(NULL);

    while (*message != '\0') {
        const char *end = message;
        bool number = false;

        for (; g_ascii_isalnum(*end); end++)
            number |= g_ascii_isdigit(*end);
        if (end == message)
            g_string_append_c(text, *message++);
        else
            g_string_append_len(text, number ? "#" : message, number ? 1 : end - message);
        message = end > message ? end : message;
    }
    return g_string_free(text, FALSE);
}

bool report_fold_finding(struct report_connection *connection, const struct report_finding *finding,
                         const char *message)
{
    gchar *text = report_fold_text(message);
    gchar *key = g_strdup_printf("%d %d %d %p %s", finding->rule, finding->severity, finding->direction,
                                 (const void *)finding->waiver, text);
    struct fold *fold;
    struct report_finding *listed;

    g_free(text);
    if (!connection->folds)
        connection->folds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    fold = g_hash_table_lookup(connection->folds, key);
    if (!fold) {
        fold = g_new0(struct fold, 1);
        g_hash_table_insert(connection->folds, g_strdup(key), fold);
    }
    g_free(key);
    if (fold->n < REPORT_EQUAL_LISTED) {
        fold->n++;
        fold->last = connection->findings->len;
        return false;
    }
    if (fold->last >= connection->findings->len) /* it was not kept */
        return false;
    listed = &g_array_index(connection->findings, struct report_finding, fold->last);
    if (listed->more++ == 0)
        listed->more_first = finding->frame;
    listed->more_last = finding->frame;
    return true;
}
