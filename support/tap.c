// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/tap.h"

#include "support/printable.h"

#include <stdarg.h>

void tap_begin(struct tap *tap, FILE *out, unsigned n)
{
    *tap = (struct tap){.out = out};
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

void tap_point(struct tap *tap, bool ok, const char *description, const char *directive, const char *reason)
{
    fprintf(tap->out, "%s %u - ", ok ? "ok" : "not ok", ++tap->number);
    tap_write_text(tap->out, description);
    if (directive) {
        fprintf(tap->out, " # %s ", directive);
        tap_write_text(tap->out, reason ? reason : "");
    }
    fputc('\n', tap->out);
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

void tap_yaml(const struct tap *tap, const char *key, ...)
{
    va_list rest;

    fputs("  ---\n", tap->out);
    va_start(rest, key);
    for (; key; key = va_arg(rest, const char *)) {
        fprintf(tap->out, "  %s: ", key);
        tap_write_quoted(tap->out, va_arg(rest, const char *));
        fputc('\n', tap->out);
    }
    va_end(rest);
    fputs("  ...\n", tap->out);
}

void tap_comment(const struct tap *tap, const char *text)
{
    fputs("# ", tap->out);
    tap_write_text(tap->out, text);
    fputc('\n', tap->out);
}
