// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/stderr_line.h"

#include "support/printable.h"

#include <stdarg.h>
#include <stdio.h>

void stderr_line(const char *program, const char *format, ...)
{
    va_list arguments;
    g_autofree gchar *text = NULL, *printable = NULL;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    printable = printable_text(text);
    fprintf(stderr, "%s: %s\n", program, printable);
}
