// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses in text form. */
#include "traffic-gen/live/tcp/internal.h"

#include <arpa/inet.h>
#include <string.h>

GQuark live_error(void)
{
    return g_quark_from_static_string("live");
}

static bool is_port(const char *text)
{
    guint64 port;

    return g_ascii_string_to_unsigned(text, 10, 0, 65535, &port, NULL);
}

bool live_parse_address(const char *text, char **host, char **port, GError **error)
{
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;
    bool bracketed = n >= 2 && text[0] == '[' && text[n - 1] == ']';

    if (!colon || !is_port(colon + 1)) {
        g_set_error(error, live_error(), 0, "'%s' does not end with a port from 0 to 65535: expected HOST:PORT", text);
        return false;
    }
    if (!bracketed && memchr(text, ':', n)) {
        g_set_error(error, live_error(), 0, "'%s': an IPv6 address needs brackets: [2001:db8::1]:7174", text);
        return false;
    }
    *host = bracketed ? g_strndup(text + 1, n - 2) : g_strndup(text, n);
    *port = g_strdup(colon + 1);
    return true;
}

struct addrinfo *live_resolve(const char *host, const char *port, bool passive, GError **error)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0};
    struct addrinfo *addresses = NULL;
    int status = getaddrinfo(*host ? host : NULL, port, &hints, &addresses);

    if (status == 0)
        return addresses;
    g_set_error(error, live_error(), 0, "%s: %s", *host ? host : port, gai_strerror(status));
    return NULL;
}

void live_name(const struct sockaddr *address, socklen_t n, char name[LIVE_NAME])
{
    char host[INET6_ADDRSTRLEN + 20], port[8];

    if (getnameinfo(address, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        g_strlcpy(name, "?", LIVE_NAME);
    else
        g_snprintf(name, LIVE_NAME, address->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}
