// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/printable.h"
#include "support/tested.h"

void tap_begin(FILE *out, unsigned n)
{
    /* The output conforms to both versions; prove, which sets this variable, rejects version 14 up to Perl 5.36. */
    fprintf(out, "TAP version %d\n1..%u", g_getenv("HARNESS_ACTIVE") ? 13 : 14, n);
    fputs(n == 0 ? " # SKIP nothing was exercised\n" : "\n", out);
}

/* In one line, with characters escaped that begin a directive. */
static void tap_write_text(FILE *out, const char *text)
{
    g_autofree char *printable = printable_text(text);

    for (const char *c = printable; *c; c++) {
        if (*c == '#' || *c == '\\')
            fputc('\\', out);
        fputc(*c, out);
    }
}

static void write_point(FILE *out, const struct tested_case *one, unsigned number)
{
    static const char *const directives[TESTED_OUTCOMES] = {[TESTED_WAIVED] = "TODO", [TESTED_SKIPPED] = "SKIP"};
    bool ok = one->outcome == TESTED_PASSED || one->outcome == TESTED_SKIPPED;
    const char *reason = one->reason ? one->reason : one->message;

    fprintf(out, "%s %u - ", ok ? "ok" : "not ok", number);
    tap_write_text(out, one->description);
    if (directives[one->outcome]) {
        fprintf(out, " # %s ", directives[one->outcome]);
        tap_write_text(out, reason ? reason : "");
    }
    fputc('\n', out);
}

/* A scalar in double quotes, valid as YAML and JSON. */
static void tap_write_quoted(FILE *out, const char *text)
{
    g_autofree gchar *printable = printable_lines(text);

    fputc('"', out);
    for (const char *c = printable; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void write_details(FILE *out, const struct tested_pair *detail)
{
    if (!detail->name)
        return;
    fputs("  ---\n", out);
    for (; detail->name; detail++) {
        fprintf(out, "  %s: ", detail->name);
        tap_write_quoted(out, detail->value ? detail->value : "");
        fputc('\n', out);
    }
    fputs("  ...\n", out);
}

void tap_comment(FILE *out, const char *text)
{
    fputs("# ", out);
    tap_write_text(out, text);
    fputc('\n', out);
}

unsigned tap_count(const struct tested_suite *suite)
{
    unsigned n = 0;

    for (guint i = 0; i < suite->cases->len; i++)
        n += g_array_index(suite->cases, struct tested_case, i).description != NULL;
    return n;
}

unsigned tap_suite(FILE *out, const struct tested_suite *suite, unsigned number)
{
    for (guint i = 0; i < suite->cases->len; i++) {
        const struct tested_case *one = &g_array_index(suite->cases, struct tested_case, i);
        g_auto(GStrv) remarks = g_strsplit(one->remarks ? one->remarks : "", "\n", -1);

        if (one->description) {
            write_point(out, one, ++number);
            write_details(out, one->details);
        }
        for (unsigned k = 0; remarks[k] && remarks[k + 1]; k++)
            tap_comment(out, remarks[k]);
    }
    return number;
}
