/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endpoints that talk on live connections by themselves: a service's side of one connection, or a client's. Each kind
 * is a queue pair with a ULP on top; this is its interface to the code that owns the sockets.
 */
#ifndef IWARP_TRAFFIC_LIVE_PLAY_ENDPOINT_H
#define IWARP_TRAFFIC_LIVE_PLAY_ENDPOINT_H

#include "traffic-gen/ends/stack/queue_pair.h"
#include "traffic-gen/live/tcp/live.h"

/* The user's wishes for the start-up, and for a client's work. */
struct endpoint_options {
    unsigned revision; /* of MPA; as Responder the highest accepted */
    bool markers;
    enum { ENDPOINT_CRC_DEFAULT, ENDPOINT_CRC_ON, ENDPOINT_CRC_AS_PEER } crc; /* DEFAULT: the kind decides */
    bool peer_to_peer, plain; /* Initiator; plain: revision 2 without enhanced data */
    uint64_t count;
    size_t size;
    bool verify;
    int64_t first_delay_ns; /* Initiator: between the Reply and the first FPDU */
    int64_t t_startup;      /* time for the peer's start-up frame; 0: the end's default */
    int64_t t_rest;         /* time for the rest of an FPDU that has begun; 0: the kind decides */
    const char *misbehave;  /* id of a mutant (traffic-gen/tester/mutants/misbehave.h); NULL: conforming */
    bool verbose;           /* report events on standard error */
    bool on_device;         /* client: on an RDMA device, not on TCP */
};

struct endpoint_kind {
    const char *name, *summary;
    const GOptionEntry *entries; /* its own options; NULL: none */
    bool (*configured)(void);    /* whether one of its options was given; NULL: it has none */
    bool misbehaves;             /* supports options->misbehave */
    bool on_devices;             /* also runs on the queue pair of an RDMA device (traffic-gen/live/verbs/verbs.h) */
    /* Called before the first and after the last connection, for shared state. Both may be NULL. */
    bool (*open)(const struct endpoint_options *options, char **error);
    void (*close)(void);
    /* Called after open: opens further listeners, until the loop ends. NULL: none. */
    bool (*listen)(struct live_loop *loop, const char *host, char **error);
    /* The TCP connection is established; options and stream are borrowed. */
    void *(*make)(const struct endpoint_options *options, const struct stream *stream);
    void (*free)(void *endpoint); /* the connection is over */
    struct qp *(*qp)(void *endpoint);
    void (*tick)(void *endpoint); /* NULL: qp_tick() is enough */
    /* Called at the end: what went wrong, or NULL. NULL: nothing ever goes wrong. */
    const char *(*trouble)(void *endpoint);
};

/* The MPA options of its queue pair. crc_default: the meaning of ENDPOINT_CRC_DEFAULT. */
struct mpa_end_wish endpoint_wish(const struct endpoint_options *options, enum mpa_end_role role, bool crc_default);

/* ---- running endpoints ---- */

struct serve_options {
    const char *host, *port;
    bool on_devices; /* on RDMA devices, not on TCP */
    const struct endpoint_kind *kind;
    struct endpoint_options endpoint;
    unsigned connections;     /* ends after this many; 0: never */
    unsigned connections_max; /* at a time; 0: no limit */
    const char *record;       /* capture file, created when it listens; NULL: none, required with RDMA devices */
};

/* Runs until a signal, or the last connection is over. False: *why. */
bool serve(const struct serve_options *options, char **why);

enum client_end { CLIENT_DONE, CLIENT_FAILED, CLIENT_NOT_CONNECTED };

#define CLIENT_STOPPED "stopped" /* *why after a signal */
/* Runs one connection, recorded to a file of that name unless NULL; *why unless CLIENT_DONE. */
enum client_end client_run(const char *host, const char *port, const struct endpoint_kind *kind,
                           const struct endpoint_options *options, int64_t timeout_ns, const char *record, char **why);

/* ---- kinds ---- */

extern const struct endpoint_kind rping_server, rping_client; /* rping of the RDMA tools */
extern const struct endpoint_kind nfs_service;
extern const struct endpoint_kind sink_server;
extern const struct endpoint_kind write_client, read_client, send_client; /* transfer octets to or from a sink */
extern const struct endpoint_kind echo_server, rpc_server; /* traffic-gen/tester/mutants/sample_device.h */
extern const struct endpoint_kind echo_device, rpc_device; /* the same devices as Initiators */

#endif
