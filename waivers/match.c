// SPDX-License-Identifier: GPL-2.0-or-later
/* Which findings a waiver covers. */
#include "waivers/waivers.h"

#include <string.h>

static bool same_prefix(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned octets = bits / 8, rest = bits % 8;

    return memcmp(a, b, octets) == 0 && (rest == 0 || (a[octets] ^ b[octets]) >> (8 - rest) == 0);
}

static bool address_matches(const struct waiver_address *address, const struct endpoint *sender)
{
    return address->endpoint.ip == sender->ip &&
           same_prefix(address->endpoint.address, sender->address, address->prefix_length) &&
           (address->any_port || address->endpoint.port == sender->port);
}

bool waiver_in_scope(const struct waiver *waiver, const struct endpoint *sender, enum waiver_role role)
{
    if (waiver->role != WAIVER_ANY_ROLE && waiver->role != role)
        return false;
    if (!waiver->addresses)
        return true;
    for (guint i = 0; i < waiver->addresses->len; i++)
        if (address_matches(&g_array_index(waiver->addresses, struct waiver_address, i), sender))
            return true;
    return false;
}

/* A word with a digit in it, or an octet in hexadecimal: "ff", but not "be". */
static bool match_is_number(const char *word, size_t n)
{
    bool digit = false;

    for (size_t i = 0; i < n; i++)
        digit |= g_ascii_isdigit(word[i]);
    return digit || (n == 2 && g_ascii_isxdigit(word[0]) && g_ascii_isxdigit(word[1]) && strncmp(word, "be", 2) != 0);
}

size_t waiver_numbers(const char *text)
{
    size_t end = 0, from = 0;

    for (;;) {
        size_t n = 0;

        while (g_ascii_isalnum(text[from + n]))
            n++;
        if (n == 0 || !match_is_number(text + from, n))
            return end;
        end = from + n;
        if (text[end] != ' ')
            return end;
        from = end + 1;
    }
}

/* How many octets of the text match the beginning of the pattern, which is '#' or a literal character. */
static size_t match_step(const char *pattern, const char *text, const char *whole)
{
    bool in_word = text > whole && g_ascii_isalnum(text[-1]);

    if (*pattern == '#' && !in_word && waiver_numbers(text) > 0)
        return waiver_numbers(text);
    return *pattern == *text;
}

/* Takes time proportional to the product of both lengths at most: only the latest '*' is tried again. */
static bool text_fits(const char *pattern, const char *whole)
{
    const char *star = NULL, *from = NULL, *text = whole;

    while (*text != '\0') {
        size_t n = *pattern == '*' ? 0 : match_step(pattern, text, whole);

        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (n > 0) {
            pattern++;
            text += n;
        } else if (star) {
            pattern = star;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool same_if_given(const char *wanted, const char *found)
{
    return !wanted || (found && g_ascii_strcasecmp(wanted, found) == 0);
}

bool waiver_of_findings(const struct waiver *waiver)
{
    return waiver->operation || waiver->kind || waiver->found;
}

bool waiver_covers(const struct waiver *waiver, const struct waiver_finding *finding)
{
    return !waiver->one_case && rule_carried_by(&rule_catalogue[waiver->rule], finding->rule) &&
           waiver_in_scope(waiver, finding->sender, finding->role) &&
           same_if_given(waiver->operation, finding->operation) && same_if_given(waiver->kind, finding->kind) &&
           (!waiver->found || text_fits(waiver->found, finding->message));
}

const struct waiver *waivers_match(GPtrArray *waivers, const struct waiver_finding *finding)
{
    for (guint i = 0; i < waivers->len; i++) {
        struct waiver *waiver = g_ptr_array_index(waivers, i);

        if (!waiver_covers(waiver, finding))
            continue;
        g_atomic_int_set(&waiver->used, 1);
        if (!waiver->expired)
            return waiver;
    }
    return NULL;
}
