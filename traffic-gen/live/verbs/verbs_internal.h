/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the parts of the verbs transport: connections (verbs_link.c), listeners (verbs_listen.c), queue pairs
 * (verbs_qp.c) and their memory (verbs_memory.c), asynchronous events (verbs_async.c).
 */
#ifndef IWARP_TRAFFIC_LIVE_VERBS_VERBS_INTERNAL_H
#define IWARP_TRAFFIC_LIVE_VERBS_VERBS_INTERNAL_H

#include "traffic-gen/ends/stack/queue_pair.h"
#include "traffic-gen/live/tcp/internal.h"
#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/live/verbs/verbs_calls.h"

enum { VERBS_PRIVATE_MAX = 255 };

/* "memory of the device: Cannot allocate memory; ... (RLIMIT_MEMLOCK ...)", for g_free(). number: errno. */
char *verbs_trouble(const char *what, int number);

/* ---- connections ---- */

struct verbs_watch {
    struct live_watch watch;
    struct verbs_link *link;
};

enum verbs_state {
    VERBS_RESOLVING,  /* the peer's address, then the route */
    VERBS_OPEN,       /* the device is known: calls `opened` */
    VERBS_CONNECTING, /* has connected or accepted */
    VERBS_UP,
    VERBS_CLOSING, /* this side has disconnected */
    VERBS_OVER,    /* `closed` is due in the loop's next turn */
};

struct verbs_link {
    struct live_part part;
    const struct verbs_calls *v;
    struct live_loop *loop;
    struct verbs_options options;
    struct live_events events;
    struct stream stream;
    struct verbs_watch manager, completions; /* fd -1: closed */
    struct rdma_event_channel *channel;
    struct rdma_cm_id *id;
    struct verbs_listener *listener; /* the listener that accepted it; NULL: none, or freed */
    struct verbs_qp *qp;             /* NULL: not made yet, or freed */
    enum verbs_state state;
    bool accepted; /* this side is the Responder */
    bool was_up;
    bool was_rejected; /* the peer answered with a rejection */
    bool orderly;      /* either side disconnected without an earlier error */
    bool forgotten;
    bool watched;      /* gets the device's asynchronous events */
    unsigned reported; /* asynchronous event, in verbs_async.c; 0: none */
    int64_t deadline, moved_at;
    char peer[LIVE_NAME], own[LIVE_NAME];
    char *why;
    /* Terms of the peer's REQ or REP; Reads as seen from this side. */
    unsigned peer_ird, peer_ord;
    uint8_t peer_data[VERBS_PRIVATE_MAX];
    uint8_t peer_length;
};

struct verbs_link *verbs_link_new(const struct verbs_calls *v, struct live_loop *loop,
                                  const struct verbs_options *options);
/* The link of a part of the loop; NULL: another kind of part. */
struct verbs_link *verbs_link_of(GList *part);
/* Gives the id its own channel. False: the link is over. */
bool verbs_link_accept(struct verbs_link *link, struct rdma_cm_id *id, const struct rdma_conn_param *asked);
/* For an accepted connection: calls `opened`. */
void verbs_link_open(struct verbs_link *link);
/* After `opened`, when the queue pair exists: connects or accepts. */
void verbs_link_go(struct verbs_link *link, struct rdma_conn_param *terms);
void verbs_link_reject(struct verbs_link *link, const uint8_t *p, uint8_t n);
/* The connection works: something was received. */
void verbs_link_up(struct verbs_link *link);
void verbs_link_disconnect(struct verbs_link *link);
/* Ends the link for that reason, unless there is an earlier reason; copied. */
void verbs_link_break(struct verbs_link *link, const char *why);
/* Ends the link. Takes ownership of why, a sentence for the user; NULL: no reason. */
void verbs_link_fail(struct verbs_link *link, char *why);

/* A connection from this listener has ended. */
void verbs_listener_left(struct verbs_listener *listener);

/* ---- queue pairs ---- */

extern const struct qp_provider verbs_provider;

void verbs_qp_established(struct verbs_qp *qp);
/* Handles completions. */
void verbs_qp_poll(struct verbs_qp *qp);
/* Notes a device's error; only the first counts. Takes ownership of why. */
void verbs_qp_break(struct verbs_qp *qp, enum qp_status status, char *why);
/* Nothing more will come: calls `ended`. */
void verbs_qp_end(struct verbs_qp *qp);
bool verbs_qp_is_broken(const struct verbs_qp *qp);
/* Destroys the device's objects; the link forgets the queue pair. */
void verbs_qp_release(struct verbs_qp *qp);

/* ---- memory ---- */

/* A region of struct memory, on the device. */
struct verbs_region {
    struct ibv_mr *mr;
    struct ibv_mw *mw; /* the peer's window on it; NULL: the peer uses the region itself */
    uint32_t rkey;     /* of the window, after binding */
    uint64_t address, n;
    unsigned window_access;
};

/* Registered octets of this side for Sends and Writes. */
struct verbs_buffer {
    struct verbs_buffer *next;
    uint8_t *p;
    size_t size;
    struct ibv_mr *mr;
};

struct verbs_memory {
    const struct verbs_calls *v;
    struct ibv_pd *pd;
    bool iwarp, windows;
    struct verbs_buffer *free;
    size_t free_octets;
};

/* False with errno. attributes: of the device. */
bool verbs_memory_open(struct verbs_memory *memory, const struct verbs_calls *v, struct ibv_context *context,
                       const struct ibv_device_attr *attributes);
/* Call after all regions and buffers were given back. */
void verbs_memory_close(struct verbs_memory *memory);
/* Whether the device has memory windows that a peer can invalidate. */
bool verbs_has_windows(const struct ibv_device_attr *attributes);
/* NULL with errno. A window is not bound yet. */
struct verbs_region *verbs_region_new(struct verbs_memory *memory, uint8_t *octets, uint64_t n, unsigned rights,
                                      bool invalidable);
void verbs_region_free(struct verbs_memory *memory, struct verbs_region *region);
/* NULL with errno. */
struct verbs_buffer *verbs_buffer_take(struct verbs_memory *memory, size_t n);
void verbs_buffer_give(struct verbs_memory *memory, struct verbs_buffer *buffer);

/* ---- asynchronous events ---- */

/* Call when the queue pair is made, and when it is destroyed. */
void verbs_async_watch(struct verbs_link *link);
void verbs_async_leave(struct verbs_link *link);
/* Breaks the queue pair if an error of the queue pair, or of the device, was reported. */
void verbs_async_take(struct verbs_link *link);

#endif
