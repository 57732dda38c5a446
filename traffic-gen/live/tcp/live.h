/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live transport: TCP sockets for the stack, driven by one thread. A connection has the same struct stream as in
 * the simulated network, and can be recorded to a capture file.
 */
#ifndef IWARP_TRAFFIC_LIVE_TCP_LIVE_H
#define IWARP_TRAFFIC_LIVE_TCP_LIVE_H

#include "support/frames/capture_file.h"
#include "traffic-gen/ends/stack/stream.h"

#include <glib.h>

struct live_loop;
struct live_socket;

/* Events of a connection. All except receive may be NULL. */
struct live_events {
    void *ctx;
    void (*opened)(void *ctx); /* the TCP connection is established or accepted */
    void (*receive)(void *ctx, const uint8_t *p, size_t n);
    void (*receive_fin)(void *ctx);
    void (*receive_reset)(void *ctx);
    void (*room)(void *ctx); /* there is room to write again */
    void (*tick)(void *ctx); /* time has passed; about every 10 ms while the connection exists */
    /*
     * Both directions are over, or connecting failed (why is a sentence for the user; else NULL). Always the last
     * event, and never called from within a function of this transport.
     */
    void (*closed)(void *ctx, const char *why);
};

struct live_loop *live_loop_new(void);
/* Resets open connections, with `closed` for each; stops listening. Must not be called from within an event. */
void live_loop_end(struct live_loop *loop);
void live_loop_free(struct live_loop *loop); /* resets open connections, without events */
/*
 * Runs until nothing is open, live_stop(), or the deadline (as live_now(); INT64_MAX: none). False at the deadline. May
 * be called again, even after live_stop(). One run at a time, not from within an event.
 */
bool live_run(struct live_loop *loop, int64_t until_ns);
void live_stop(struct live_loop *loop); /* also safe in a signal handler */
/* SIGINT and SIGTERM stop this loop; a second signal ends the program at once. NULL: restores the old handlers. */
void live_stop_on_signals(struct live_loop *loop);
bool live_stopped(const struct live_loop *loop); /* live_run() ended by live_stop() */
int64_t live_now(void);                          /* in ns; real time that never goes back */

struct live_options {
    size_t pile_max;             /* octets queued for a slow reader before stream.room returns 0; 0: any */
    uint16_t mss;                /* maximum, without TCP options; 0: the system's */
    int64_t connect_timeout_ns;  /* 0: 10 s */
    int64_t close_timeout_ns;    /* after FIN, for the peer to read the rest and to close; 0: 10 s. Then RST */
    struct capture_file *record; /* records both directions as packets, NULL: none; may be shared */
};

/* "host:port", "[v6]:port", ":port" (all addresses, to listen). False with an error that names the mistake. */
bool live_parse_address(const char *text, char **host, char **port, GError **error);

/* NULL with an error when the name cannot be resolved or no socket created; `closed` reports a refused connection. */
struct live_socket *live_connect(struct live_loop *loop, const char *host, const char *port,
                                 const struct live_options *options, const struct live_events *events, GError **error);

struct live_listener;
/* Called for each connection: fill in *events, or return false to reset it. stream and name are already valid. */
typedef bool (*live_accept)(void *ctx, struct live_socket *socket, struct live_events *events);
/* Accepts at most connections_max at a time, others wait; 0: no limit. */
struct live_listener *live_listen(struct live_loop *loop, const char *host, const char *port, unsigned connections_max,
                                  const struct live_options *options, live_accept accept, void *ctx, GError **error);
uint16_t live_listener_port(const struct live_listener *listener); /* useful after port "0" */
/* Records connections accepted from now on. file is borrowed. */
void live_listener_record(struct live_listener *listener, struct capture_file *file);
void live_listener_close(struct live_listener *listener);

/* The stream for the stack; valid until `closed`. stream->mss is the connection's once it is open. */
const struct stream *live_stream(struct live_socket *socket);
const char *live_peer_name(const struct live_socket *socket); /* "192.0.2.1:7174" */
/* Octets written that the peer's TCP has not acknowledged. */
size_t live_unacknowledged(const struct live_socket *socket);
/* No more events, not even `closed`; an open connection is reset. */
void live_forget(struct live_socket *socket);

#endif
