/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verbs transport: connections of an RDMA device (RoCE, InfiniBand, hardware or software iWARP) for the stack, made
 * by the RDMA connection manager. Each has a struct stream whose provider makes the device's queue pair
 * (traffic-gen/ends/stack/queue_pair.h), so users of qp_new(options, memory, stream, events) run here unchanged,
 * except:
 * - `opened` comes before the connection exists. The owner then makes its queue pair on verbs_stream(), one for each
 *   connection, and calls qp_start(), which connects or accepts with the private data of options.mpa;
 * - memory belongs to the queue pair's device from qp_new() on, which does not know regions registered earlier;
 * - `receive`, `receive_fin`, `receive_reset` and `room` never come; the queue pair has events instead;
 * - `closed` is the last event. It follows the queue pair's `ended`, where the owner frees the queue pair.
 *
 * Layers below RDMA operations (MPA, DDP and RDMAP headers, Terminates; the packets of RoCE) can be neither seen nor
 * chosen here.
 */
#ifndef IWARP_TRAFFIC_LIVE_VERBS_VERBS_H
#define IWARP_TRAFFIC_LIVE_VERBS_VERBS_H

#include "traffic-gen/live/tcp/live.h"

struct verbs_link;
struct verbs_listener;

struct verbs_options {
    const char *source; /* this side's address, which selects device and GID; NULL: chosen by routing */
    int64_t connect_timeout_ns, close_timeout_ns; /* 0: 10 s */
};

/* "rdma:HOST:PORT": the text after "rdma:", for live_parse_address(); NULL: another kind of address. */
const char *verbs_address(const char *text);

/*
 * Whether this host can make connections. False with an error that names what is missing: the program's module,
 * libraries, kernel modules, devices.
 */
bool verbs_possible(GError **error);

/* NULL with an error; `closed` reports a failure to connect. */
struct verbs_link *verbs_connect(struct live_loop *loop, const char *host, const char *port,
                                 const struct verbs_options *options, const struct live_events *events, GError **error);

/* Called for each connection: fill in *events, or return false to refuse it. stream and name are already valid. */
typedef bool (*verbs_accept)(void *ctx, struct verbs_link *link, struct live_events *events);
/* Accepts at most connections_max at a time, others wait; 0: no limit. */
struct verbs_listener *verbs_listen(struct live_loop *loop, const char *host, const char *port,
                                    unsigned connections_max, const struct verbs_options *options, verbs_accept accept,
                                    void *ctx, GError **error);
uint16_t verbs_listener_port(const struct verbs_listener *listener); /* useful after port "0" */
void verbs_listener_close(struct verbs_listener *listener);

/* Valid until `closed`. The peer can end regions unless stream->no_remote_invalidation. */
const struct stream *verbs_stream(struct verbs_link *link);
const char *verbs_peer_name(const struct verbs_link *link); /* "192.0.2.1:20049" */
/* This side's address; valid as long as the link. */
const char *verbs_own_name(struct verbs_link *link);
const char *verbs_device_name(const struct verbs_link *link); /* "rxe0"; NULL: unknown */
/* Whether both sides had agreed to connect. */
bool verbs_was_up(const struct verbs_link *link);
/* Whether the peer, or its host, has refused: if neither is true, nobody has answered. */
bool verbs_was_rejected(const struct verbs_link *link);
/* When something was last received or done (as live_now()). */
int64_t verbs_moved_at(const struct verbs_link *link);
/* No more events, not even `closed`; the connection ends at once. Free its queue pair first. */
void verbs_forget(struct verbs_link *link);

#endif
