// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For a program built without the verbs transport (CMake's option IWARP_VERBS): addresses are recognised and refused.
 */
#include "traffic-gen/live/tcp/internal.h"
#include "traffic-gen/live/verbs/verbs.h"

#include <string.h>

const char *verbs_address(const char *text)
{
    return g_str_has_prefix(text, "rdma:") ? text + strlen("rdma:") : NULL;
}

bool verbs_possible(GError **error)
{
    g_set_error_literal(
        error, live_error(), 1,
        "addresses that begin with rdma: need the verbs transport, but this program was built without it "
        "(IWARP_VERBS)");
    return false;
}

struct verbs_link *verbs_connect(struct live_loop *loop, const char *host, const char *port,
                                 const struct verbs_options *options, const struct live_events *events, GError **error)
{
    (void)loop, (void)host, (void)port, (void)options, (void)events;
    verbs_possible(error);
    return NULL;
}

struct verbs_listener *verbs_listen(struct live_loop *loop, const char *host, const char *port,
                                    unsigned connections_max, const struct verbs_options *options, verbs_accept accept,
                                    void *ctx, GError **error)
{
    (void)loop, (void)host, (void)port, (void)connections_max, (void)options, (void)accept, (void)ctx;
    verbs_possible(error);
    return NULL;
}

/* The other functions are never called, as there is no link or listener. */

uint16_t verbs_listener_port(const struct verbs_listener *listener)
{
    (void)listener;
    return 0;
}

void verbs_listener_close(struct verbs_listener *listener)
{
    (void)listener;
}

const struct stream *verbs_stream(struct verbs_link *link)
{
    (void)link;
    return NULL;
}

const char *verbs_peer_name(const struct verbs_link *link)
{
    (void)link;
    return NULL;
}

const char *verbs_own_name(struct verbs_link *link)
{
    (void)link;
    return NULL;
}

const char *verbs_device_name(const struct verbs_link *link)
{
    (void)link;
    return NULL;
}

bool verbs_was_up(const struct verbs_link *link)
{
    (void)link;
    return false;
}

int64_t verbs_moved_at(const struct verbs_link *link)
{
    (void)link;
    return 0;
}

void verbs_forget(struct verbs_link *link)
{
    (void)link;
}
