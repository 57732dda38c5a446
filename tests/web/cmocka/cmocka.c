// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmocka.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_unit_tests(const struct CMUnitTest *tests, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *state = NULL;

        print_message("%s\n", tests[i].name);
        tests[i].test_func(&state);
    }
    return 0;
}

void print_message(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void test_failed(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    printf("%s:%d: ", file, line);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    exit(EXIT_FAILURE);
}

void check_true(bool held, const char *words, const char *file, int line)
{
    if (!held)
        test_failed(file, line, "%s", words);
}

void check_equal(uintmax_t one, uintmax_t other, bool wanted, const char *file, int line)
{
    if ((one == other) != wanted)
        test_failed(file, line, "%#" PRIxMAX " %s %#" PRIxMAX, one, wanted ? "!=" : "==", other);
}

void check_same_text(const char *one, const char *other, const char *file, int line)
{
    if (strcmp(one, other) != 0)
        test_failed(file, line, "\"%s\" != \"%s\"", one, other);
}

void check_same_octets(const void *one, const void *other, size_t n, const char *file, int line)
{
    const uint8_t *p = one, *q = other;

    for (size_t i = 0; i < n; i++)
        if (p[i] != q[i])
            test_failed(file, line, "octet %zu of %zu: %#x != %#x", i, n, p[i], q[i]);
}
