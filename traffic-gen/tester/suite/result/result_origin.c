// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/result/result.h"

#include "engine/core/rule.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 65536, HASH_SHOWN = 16 };

/* Characters that a shell leaves alone. */
static bool origin_is_plain(const char *word)
{
    return *word && !strpbrk(word, " \t\n'\"\\$&;|<>()*?[]#~!`{}");
}

/* The first word is the program with its command. */
char *origin_command(int argc, char *const *argv)
{
    GString *text = g_string_new(argv[0]);

    for (int i = 1; i < argc; i++) {
        g_autofree char *word = origin_is_plain(argv[i]) ? g_strdup(argv[i]) : g_shell_quote(argv[i]);

        g_string_append_printf(text, " %s", word);
    }
    return g_string_free(text, FALSE);
}

char *origin_catalogue(void)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    char *text;

    for (unsigned i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_catalogue[i];
        const char *const parts[] = {rule->id, rule->level, rule_severity_name(rule->severity), rule->text};

        for (unsigned k = 0; k < G_N_ELEMENTS(parts); k++)
            g_checksum_update(sum, (const guchar *)parts[k], (gssize)strlen(parts[k]) + 1);
    }
    text = g_strdup_printf("%d rules, SHA-256 %.*s", RULE_COUNT, HASH_SHOWN, g_checksum_get_string(sum));
    g_checksum_free(sum);
    return text;
}

void origin_add_recording(struct suite_report *report, const char *path)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    FILE *in = fopen(path, "rb");
    guchar octets[CHUNK];
    bool good = in != NULL;
    size_t n;

    while (good && (n = fread(octets, 1, sizeof octets, in)) > 0)
        g_checksum_update(sum, octets, (gssize)n);
    good = good && !ferror(in);
    suite_report_add_recording(report, path, good ? g_checksum_get_string(sum) : NULL);
    if (in)
        fclose(in);
    g_checksum_free(sum);
}
