/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work for real ends (iwarp-scenario(5), WORK). Queue pairs of the stack receive the work round by round and answer
 * each other by themselves. Two of them play it in a simulated network; or one plays its side on any transport, with a
 * peer that plays the other side.
 */
#ifndef IWARP_TRAFFIC_SCENARIO_WORK_H
#define IWARP_TRAFFIC_SCENARIO_WORK_H

#include "traffic-gen/ends/nfs/client/nfs_client.h"
#include "traffic-gen/ends/stack/pair.h"
#include "traffic-gen/speak/say/conversation.h"

/* Memory of one side, registered anew for each connection. */
struct work_region {
    char *name;
    uint32_t stag;
    uint64_t to, octets;
    unsigned rights; /* initial value of every octet; -1: pseudo-random octets, always the same */
    bool invalidable;
    int fill; /* every octet at the beginning; -1: octets as by chance, always the same ones */
};

enum work_kind { WORK_POST, WORK_RECEIVES, WORK_TERMINATE, WORK_CLOSE, WORK_RESET, WORK_JOB, WORK_CHANGE };

struct work_item {
    enum work_kind kind;
    unsigned line, number; /* of its statement */
    struct qp_work post;   /* its octets come from region `from`, or are a pattern */
    int from;              /* of this side's regions; -1: none */
    uint64_t from_offset;
    unsigned receives;  /* posted */
    unsigned terminate; /* layer << 12 | type << 8 | code */
    /* For an NFS client; the work owns the texts. CHANGE: the server's host sets path to this many octets. */
    struct nfs_job job;
};

/* Work that both sides post at the same time; the next round begins when all of it is done and answered. */
struct work_round {
    unsigned from[2], n[2]; /* of the items of each side */
    int64_t wait_ns;        /* silence before it */
};

/* How the Initiator's NFS client does its jobs. */
struct work_nfs {
    bool on; /* the ends are an NFS client and an NFS server */
    struct nfs_client_options client;
};

struct work_connection {
    struct rpc_end_options options[2]; /* private data belong to the work's texts; without nfs only .qp counts */
    struct work_nfs nfs;
    uint32_t isn[2];    /* by role; 0: default */
    uint16_t mss, port; /* 0: default */
    bool responder_opens;
    bool parallel;            /* begins with the previous connection, not after it */
    unsigned round, n_rounds; /* of the work's rounds */
};

struct work {
    char *name;          /* of the text, for messages */
    GArray *regions[2];  /* struct work_region */
    GArray *items[2];    /* struct work_item */
    GArray *rounds;      /* struct work_round */
    GArray *connections; /* struct work_connection, at least one */
    GStringChunk *texts;
};

struct work *work_new(const char *name);
void work_free(struct work *work);

/* ---- one end of one connection ---- */

struct work_end;

struct work_end_events {
    void *ctx;
    /* The connection is over in both directions. why: work that was not done, FILE:LINE first; NULL: all is done. */
    void (*done)(void *ctx, const char *why);
};

/* stream is borrowed. NULL events: none. */
struct work_end *work_end_new(const struct work *work, unsigned connection, enum role role, const struct stream *stream,
                              const struct work_end_events *events);
/* Call before the start of an NFS client: its server's place; texts are borrowed. No effect on other ends. */
void work_end_settle(struct work_end *end, const struct nfs_client_place *place);
/* Must not be called from an event. */
void work_end_free(struct work_end *end);
/* The TCP connection is established. */
void work_end_start(struct work_end *end);

/* Input from the transport. */
void work_end_receive(struct work_end *end, const uint8_t *p, size_t n);
void work_end_receive_fin(struct work_end *end);
void work_end_receive_reset(struct work_end *end);
void work_end_room(struct work_end *end);
void work_end_tick(struct work_end *end);
/* Connects the end to its side of the pair, which then gives the input. */
void work_end_attach(struct work_end *end, struct pair *pair, unsigned side);

/*
 * An end begins unled: it starts its next round when its own work is completed and all messages of this round have come
 * from the peer; after the last round the Initiator closes. A led end waits for work_end_next().
 */
void work_end_lead(struct work_end *end);
/* Posts the next round; after the last one the Initiator closes. False when nothing was left. */
bool work_end_next(struct work_end *end);

/* Something under way needs time: tick the end. */
bool work_end_busy(const struct work_end *end);
const char *work_end_trouble(const struct work_end *end); /* NULL: none; see events.done */
/* The octets of region `index` now. */
const uint8_t *work_end_region(const struct work_end *end, unsigned index);

/* ---- both ends ---- */

/* Plays all connections in the stage's network. False: *error, FILE:LINE first. */
bool work_play(const struct work *work, struct stage *stage, char **error);

#endif
