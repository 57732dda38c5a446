/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verbs transport: connections of an RDMA device (RoCE, InfiniBand, hardware or software iWARP), made by the RDMA
 * connection manager, for the stack. Each offers a struct stream whose provider makes the device's queue pair
 * (traffic-gen/ends/queue_pair.h), so whatever runs on qp_new(options, memory, stream, events) runs here too:
 *
 *   - `opened` comes before the connection exists. The owner makes its queue pair on verbs_stream() there, one for each
 *     connection, and calls qp_start(), which connects or accepts with the private data of options.mpa;
 *   - memory belongs to the queue pair's device from qp_new() on: what was registered earlier is unknown to it;
 *   - `receive`, `receive_fin`, `receive_reset` and `room` never come; what happens comes as events of the queue pair;
 *   - `closed` is the last event, and follows `ended` of the queue pair, which is freed there.
 *
 * Whatever is below RDMA operations (MPA, DDP and RDMAP headers, Terminates; the packets of RoCE) can be neither seen
 * nor chosen here.
 */
#ifndef IWARP_TRAFFIC_LIVE_VERBS_VERBS_H
#define IWARP_TRAFFIC_LIVE_VERBS_VERBS_H

#include "traffic-gen/live/tcp/live.h"

struct verbs_link;
struct verbs_listener;

struct verbs_options {
    const char *source; /* this side's address, and with it device and GID, to connect from; NULL: as routes say */
    int64_t connect_timeout_ns, close_timeout_ns; /* 0: 10 s */
};

/* "rdma:HOST:PORT": what follows "rdma:", for live_parse_address(); NULL: another address. */
const char *verbs_address(const char *text);

/* Whether connections are possible on this host. False with an error that says what is missing: the module of the
 * program, libraries, kernel modules, devices. */
bool verbs_possible(GError **error);

/* NULL with an error; a connection that cannot be made comes with `closed`. */
struct verbs_link *verbs_connect(struct live_loop *loop, const char *host, const char *port,
                                 const struct verbs_options *options, const struct live_events *events, GError **error);

/* For each connection: fill in *events, or return false to refuse it. stream and name are already valid. */
typedef bool (*verbs_accept)(void *ctx, struct verbs_link *link, struct live_events *events);
/* At most connections_max at a time, others wait; 0: any number. */
struct verbs_listener *verbs_listen(struct live_loop *loop, const char *host, const char *port,
                                    unsigned connections_max, const struct verbs_options *options, verbs_accept accept,
                                    void *ctx, GError **error);
uint16_t verbs_listener_port(const struct verbs_listener *listener); /* when port was "0" */
void verbs_listener_close(struct verbs_listener *listener);

/* Valid until `closed`. Regions can be ended by the peer unless stream->no_remote_invalidation. */
const struct stream *verbs_stream(struct verbs_link *link);
const char *verbs_peer_name(const struct verbs_link *link); /* "192.0.2.1:20049" */
/* Of this side; valid as long as the link. */
const char *verbs_own_name(struct verbs_link *link);
const char *verbs_device_name(const struct verbs_link *link); /* "rxe0"; NULL: not known yet */
/* Both sides had agreed to connect. */
bool verbs_was_up(const struct verbs_link *link);
/* The peer, or its host, has refused the connection: if neither is the case, nobody has answered. */
bool verbs_was_rejected(const struct verbs_link *link);
/* When something was last received or done; live_now() terms. */
int64_t verbs_moved_at(const struct verbs_link *link);
/* No events any more, not even `closed`; the connection ends at once. A queue pair on it is freed first. */
void verbs_forget(struct verbs_link *link);

#endif
