// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/capture_filter.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

enum { ROCE_PORT = 4791 };

#define FILTER_ERROR g_quark_from_static_string("iwarp-test-capture-filter")

/* " and host A", " and (host A or host B)"; false: the name has no address. */
static bool add_hosts(const char *host, GString *text, GError **error)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    g_autoptr(GString) hosts = g_string_new(NULL);
    struct addrinfo *found = NULL;
    unsigned n = 0;
    int wrong = getaddrinfo(host, NULL, &hints, &found);

    if (wrong != 0) {
        g_set_error(error, FILTER_ERROR, 0, "%s: %s", host, gai_strerror(wrong));
        return false;
    }
    for (const struct addrinfo *each = found; each; each = each->ai_next) {
        char number[NI_MAXHOST];

        if (getnameinfo(each->ai_addr, each->ai_addrlen, number, sizeof number, NULL, 0, NI_NUMERICHOST) != 0)
            continue;
        number[strcspn(number, "%")] = '\0'; /* without the interface of a link-local address */
        g_string_append_printf(hosts, "%shost %s", n++ ? " or " : "", number);
    }
    freeaddrinfo(found);
    g_string_append_printf(text, n > 1 ? " and (%s)" : " and %s", hosts->str);
    return true;
}

char *capture_filter_text(const struct capture_filter *of, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (strcmp(of->port, "0") == 0) {
        g_set_error(error, FILTER_ERROR, 0,
                    "--capture-filter: which port --listen gets is not known yet; name one "
                    "(--listen :7174)");
        return NULL;
    }
    if (of->rdma)
        g_string_append_printf(text, "(udp port %d or tcp port %s)", ROCE_PORT, of->port);
    else
        g_string_append_printf(text, "tcp port %s", of->port);
    if (*of->host && !add_hosts(of->host, text, error))
        return NULL;
    return g_string_free(g_steal_pointer(&text), FALSE);
}
