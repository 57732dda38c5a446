/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "What happened": what went wrong between a client and a server, in words, the worst first. Conformance is judged
 * elsewhere: a server may die in full conformance, and a mount that works may break rules.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_TROUBLE_H
#define IWARP_CONFORMANCE_TROUBLE_TROUBLE_H

#include "conformance/trouble/facts.h"

#include <glib.h>

/* The worst first. */
enum trouble_kind {
    TROUBLE_CALL_LOOP,       /* several connections end over the same Call */
    TROUBLE_CALL_UNANSWERED, /* and never will be, as far as captured */
    TROUBLE_REPLY_REFUSED,
    TROUBLE_REPLY_UNDELIVERED,
    TROUBLE_SIZE, /* only small packets arrive */
    TROUBLE_WINDOW,
    TROUBLE_NOT_READY,
    TROUBLE_READ_CONTINUED,
    TROUBLE_OWED, /* the outcome of a COPY, what was recalled */
    TROUBLE_CALLBACKS_DOWN,
    TROUBLE_SERVER_BUSY, /* the client has to try again and again */
    TROUBLE_CALL_FAILED, /* for a reason that is the server's */
    TROUBLE_OUTAGE,
    TROUBLE_OPERATION_REFUSED,
    TROUBLE_NO_ANSWER, /* to attempts to connect */
    TROUBLE_REFUSED,
    TROUBLE_REJECTED,
    TROUBLE_INCOMPLETE,
    TROUBLE_LATE_REPLY,
    TROUBLE_NOT_REGISTERED, /* rpcbind says */
    TROUBLE_RPCBIND_SILENT,
    TROUBLE_EMPTY, /* connections without a message */
    TROUBLE_PLAIN_TCP,
    TROUBLE_DIFFERS, /* from here on nothing failed; here, octets that were read back are not those written */
    TROUBLE_ERROR,
    TROUBLE_SLOW,
    TROUBLE_STALL, /* packets were lost, and sent again late */
    TROUBLE_DELAYED_ACK,
    TROUBLE_CONGESTION,
    TROUBLE_WAITED, /* for a receiver that was not ready */
    TROUBLE_COPIES,
    TROUBLE_ONE_DIRECTION, /* was captured */
    TROUBLE_LEFT_OUT,      /* there is no room for more */
    TROUBLE_KINDS
};

struct trouble {
    enum trouble_kind kind;
    gchar *client, *server; /* "10.9.0.1", "10.9.0.2:20049" */
    GArray *connections;    /* uint32_t: their numbers in the report; of others, none */
    uint32_t frame;         /* where it begins */
    int64_t time_ns;
    uint64_t count; /* of what the kind counts: Calls, attempts, connections */
    uint64_t time;  /* how long it lasted, in ns; 0: that is not known, or means nothing */
    gchar *words;   /* what happened: a sentence without its full stop */
    gchar *next;    /* what to do about it, likewise; NULL: nothing is known */
    bool known;     /* an earlier report has this trouble (merge --baseline), so that the trouble does not fail */
};

/* Packets that a capture has more than once. */
struct trouble_copies {
    struct trouble_event first;
    uint64_t n, packets; /* copies, of all packets */
};

/* Of a capture. */
struct troubles {
    GPtrArray *list;              /* struct trouble *, by client and server, the worst first */
    uint64_t calls, answers;      /* of connections that are over: Calls of RPC, and those that were answered */
    uint64_t again;               /* of the calls, those that were made again on a later connection, and answered */
    bool holes;                   /* the capture lacks something of a connection */
    struct trouble_copies copies; /* that were left out */
    GPtrArray *facts;             /* struct trouble_facts *, of connections that are over */
    uint64_t left_out;            /* of these, for which there was no room */
    unsigned strangers;           /* facts of connections without RDMA */
    unsigned sought;              /* facts of questions to rpcbind */
    unsigned sought_left_out;     /* of these, the earliest, for which there was no room */
};

struct troubles *troubles_new(void);
void troubles_free(struct troubles *troubles);
/* Of a connection that is over. It is taken over. */
void troubles_take(struct troubles *troubles, struct trouble_facts *facts);
/* What became of questions to rpcbind, in place of all that was known before. The facts are moved. */
void troubles_sought(struct troubles *troubles, GPtrArray *facts);
/* Makes the list of all that was taken so far. */
void troubles_conclude(struct troubles *troubles);
/* For a report that was read: words, next, client and server are copied. It is the caller's to add connections. */
struct trouble *troubles_add(struct troubles *troubles, const struct trouble *trouble);

/* "call-unanswered", for programs; TROUBLE_KINDS: no kind has this name. */
const char *trouble_kind_name(enum trouble_kind kind);
enum trouble_kind trouble_kind_of(const char *name);
/* Nothing went wrong with the mount: it was slow, or the capture is odd. */
bool trouble_is_note(enum trouble_kind kind);
/* What it says is about this connection, not about the capture. */
bool trouble_is_about(const struct trouble *trouble, uint32_t connection);
/* Whether --fail-on=trouble counts it: a note, or known trouble, does not count. */
bool trouble_fails(const struct trouble *trouble);
/* Is there any that is not a note? */
bool troubles_any(const struct troubles *troubles);
/* Is there any that fails? */
bool troubles_any_fails(const struct troubles *troubles);
/*
 * "5 Calls were never answered": the worst of all these captures, in few words, and where nothing went wrong, what
 * makes it slow. NULL: there is none. g_free() it.
 */
gchar *troubles_headline(const struct troubles *const *of, unsigned n);
/* "07:34:50.123", UTC. g_free() it. */
gchar *trouble_clock(int64_t time_ns);

#endif
