/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "What happened": what went wrong between a client and a server, in words, the worst trouble first. Conformance is
 * judged elsewhere: a fully conforming server may fail, and a working mount may break rules.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_TROUBLE_H
#define IWARP_CONFORMANCE_TROUBLE_TROUBLE_H

#include "conformance/trouble/around.h"
#include "conformance/trouble/facts.h"

#include <glib.h>

/* The worst first. */
enum trouble_kind {
    TROUBLE_CALL_LOOP,       /* several connections end over the same Call */
    TROUBLE_CALL_UNANSWERED, /* no answer will come, as far as the capture shows */
    TROUBLE_REPLY_REFUSED,
    TROUBLE_REPLY_UNDELIVERED,
    TROUBLE_SIZE, /* only small packets arrive */
    TROUBLE_WINDOW,
    TROUBLE_PSN, /* a side does not begin with the PSN that the set-up named */
    TROUBLE_NOT_READY,
    TROUBLE_READ_CONTINUED,
    TROUBLE_OWED, /* the outcome of a COPY, the return of recalled items */
    TROUBLE_CALLBACKS_DOWN,
    TROUBLE_SERVER_BUSY, /* the client must try again and again */
    TROUBLE_MOUNT,       /* the server refuses the mount, or the client does not continue it */
    TROUBLE_STATE,       /* client and server do not agree on state */
    TROUBLE_REPEATED,    /* a request fails again and again */
    TROUBLE_CALL_FAILED, /* for a reason within the server */
    TROUBLE_OUTAGE,
    TROUBLE_OPERATION_REFUSED,
    TROUBLE_NO_ANSWER, /* attempts to connect without an answer */
    TROUBLE_REFUSED,
    TROUBLE_REJECTED,
    TROUBLE_INCOMPLETE,
    TROUBLE_LATE_REPLY,
    TROUBLE_NOT_REGISTERED, /* according to rpcbind */
    TROUBLE_RPCBIND_SILENT,
    TROUBLE_EMPTY, /* connections without a message */
    TROUBLE_PLAIN_TCP,
    /* The kinds from here on are not failures. */
    TROUBLE_OUTSTANDING, /* Calls were not answered yet when the capture ended */
    TROUBLE_DIFFERS,     /* data read back differ from the data written */
    TROUBLE_ERROR,
    TROUBLE_SLOW,
    TROUBLE_STALL, /* packets were lost, and retransmitted late */
    TROUBLE_DELAYED_ACK,
    TROUBLE_CONGESTION,
    TROUBLE_WAITED,  /* a receiver was not ready */
    TROUBLE_PAUSED,  /* pause frames */
    TROUBLE_CLASSES, /* the two directions have different DSCPs */
    TROUBLE_CUT,     /* packets are cut */
    TROUBLE_COPIES,
    TROUBLE_ONE_DIRECTION, /* only one direction was captured */
    TROUBLE_LEFT_OUT,      /* no room for more */
    TROUBLE_KINDS
};

struct trouble {
    enum trouble_kind kind;
    gchar *client, *server; /* "10.9.0.1", "10.9.0.2:20049" */
    GArray *connections;    /* uint32_t: their numbers in the report; empty for other connections */
    uint32_t frame;         /* the beginning */
    int64_t time_ns;
    uint64_t count; /* number of the items that the kind counts: Calls, attempts, connections */
    uint64_t time;  /* in ns; 0: unknown or meaningless */
    gchar *words;   /* a sentence without its full stop */
    gchar *next;    /* advice, in the same form; NULL: none */
    bool lasting;   /* until the end of the capture, or longer */
    bool known;     /* an earlier report has the same trouble (merge --baseline), so the run does not fail */
};

/* Packets that are in the capture more than once. */
struct trouble_copies {
    struct trouble_event first;
    uint64_t n, packets; /* copies; all packets */
    bool two_points;     /* captured at both ends, and merged */
    int64_t apart_ns;    /* then: the longest time between a packet and its copy */
};

/* The trouble of a capture. */
struct troubles {
    GPtrArray *list;              /* struct trouble *, by client and server, the worst first */
    uint64_t calls, answers;      /* on connections that have ended: RPC Calls; of these, answered */
    uint64_t again;               /* of the calls: repeated on a later connection, and answered there */
    bool holes;                   /* part of a connection is missing in the capture */
    int64_t ended_ns;             /* when the capture ended, or its last packet; 0: the capture goes on */
    bool end_known;               /* not only the last packet */
    struct trouble_copies copies; /* left out */
    GPtrArray *facts;             /* struct trouble_facts *, of connections that have ended */
    struct around *around;        /* NULL: out of memory */
    uint64_t left_out;            /* facts left out for lack of room */
    unsigned strangers;           /* facts of connections without RDMA */
    unsigned sought;              /* facts of questions to rpcbind */
    unsigned sought_left_out;     /* the earliest of these, left out for lack of room */
};

struct troubles *troubles_new(void);
void troubles_free(struct troubles *troubles);
/* Takes ownership of the facts of a connection that has ended. */
void troubles_take(struct troubles *troubles, struct trouble_facts *facts);
/* The outcome of questions to rpcbind; replaces earlier outcomes. The facts are moved. */
void troubles_sought(struct troubles *troubles, GPtrArray *facts);
/* Makes the list from all facts taken so far. */
void troubles_conclude(struct troubles *troubles);
/*
 * For a report that was read from a file: words, next, client and server are copied. The caller adds the connections.
 */
struct trouble *troubles_add(struct troubles *troubles, const struct trouble *trouble);

/* "call-unanswered", for programs; TROUBLE_KINDS: the name is unknown. */
const char *trouble_kind_name(enum trouble_kind kind);
enum trouble_kind trouble_kind_of(const char *name);
/* The mount did not fail: it was slow, or the capture is unusual. */
bool trouble_is_note(enum trouble_kind kind);
/* The trouble belongs to this connection, not to the whole capture. */
bool trouble_is_about(const struct trouble *trouble, uint32_t connection);
/* Both are between the same client and server. */
bool trouble_same_pair(const struct trouble *a, const struct trouble *b);
/* Whether --fail-on=trouble counts this trouble: notes and known trouble do not count. */
bool trouble_fails(const struct trouble *trouble);
/* Whether there is any trouble other than notes. */
bool troubles_any(const struct troubles *troubles);
/* Whether any trouble fails. */
bool troubles_any_fails(const struct troubles *troubles);
/*
 * "no service for at least 62.2 s, 1 Call was never answered": the gravest trouble of all captures in a few words; if
 * nothing went wrong, the gravest note. NULL: none. g_free() it.
 */
gchar *troubles_headline(const struct troubles *const *of, unsigned n);
/* "07:34:50.123", UTC. g_free() it. */
gchar *trouble_clock(int64_t time_ns);

#endif
