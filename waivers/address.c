// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses in the scope of a waiver. */
#include "waivers/waivers.h"

#include <arpa/inet.h>
#include <string.h>

/*
 * The end of the IP address that begins at *text, which is moved past an opening bracket. *rest: the text after the
 * address. NULL: there is no closing bracket.
 */
static const char *end_of_ip(const char **text, const char **rest)
{
    const char *slash = strchr(*text, '/'), *colon = strchr(*text, ':');

    if (**text == '[') {
        const char *end = strchr(++*text, ']');

        *rest = end ? end + 1 : NULL;
        return end;
    }
    if (slash)
        *rest = slash;
    else if (colon && !strchr(colon + 1, ':'))
        *rest = colon;
    else
        *rest = *text + strlen(*text);
    return *rest;
}

static bool address_parse_ip(const char *text, const char *end, struct waiver_address *out)
{
    char address[INET6_ADDRSTRLEN + 1];

    if ((size_t)(end - text) >= sizeof address)
        return false;
    memcpy(address, text, (size_t)(end - text));
    address[end - text] = '\0';
    if (inet_pton(AF_INET, address, out->endpoint.address) == 1)
        out->endpoint.ip = 4;
    else if (inet_pton(AF_INET6, address, out->endpoint.address) == 1)
        out->endpoint.ip = 6;
    out->prefix_length = out->endpoint.ip == 4 ? 32 : 128;
    return out->endpoint.ip != 0;
}

bool waiver_address_parse(const char *text, struct waiver_address *out)
{
    const char *rest, *end = end_of_ip(&text, &rest);
    guint64 number;

    memset(out, 0, sizeof *out);
    out->any_port = true;
    if (!end || !address_parse_ip(text, end, out))
        return false;
    if (*rest == '\0')
        return true;
    if (*rest == '/') {
        if (!g_ascii_string_to_unsigned(rest + 1, 10, 0, out->prefix_length, &number, NULL))
            return false;
        out->prefix_length = (unsigned)number;
        return true;
    }
    if (*rest != ':' || !g_ascii_string_to_unsigned(rest + 1, 10, 1, 65535, &number, NULL))
        return false;
    out->endpoint.port = (uint16_t)number;
    out->any_port = false;
    return true;
}
