// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"

#include <ctype.h>
#include <stdio.h>

size_t octets_of(const char *text, uint8_t *out, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    size_t nibbles = 0;

    for (; *text; text++) {
        const char *digit;

        if (*text == '[') {
            size_t zeros = 0;

            while (*++text != ']')
                zeros = zeros * 10 + (size_t)(*text - '0');
            assert_true(nibbles % 2 == 0 && nibbles / 2 + zeros <= size);
            memset(out + nibbles / 2, 0, zeros);
            nibbles += 2 * zeros;
            continue;
        }
        if (*text == ' ')
            continue;
        digit = strchr(digits, tolower((unsigned char)*text));
        assert_true(digit && nibbles / 2 < size);
        if (nibbles % 2 == 0)
            out[nibbles / 2] = (uint8_t)((digit - digits) << 4);
        else
            out[nibbles / 2] |= (uint8_t)(digit - digits);
        nibbles++;
    }
    assert_int_equal(nibbles % 2, 0);
    return nibbles / 2;
}

void note(char *log, const char *format, ...)
{
    size_t n = strlen(log), more;
    va_list arguments;

    if (n > 0)
        log[n++] = ' ';
    va_start(arguments, format);
    more = (size_t)vsnprintf(log + n, NOTES_MAX - n, format, arguments);
    va_end(arguments);
    assert_true(n + more < NOTES_MAX);
}

void notes_expect(char *log, const char *expected)
{
    assert_string_equal(log, expected);
    log[0] = '\0';
}

uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

void fill_random(uint64_t *state, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)next_random(state);
}
