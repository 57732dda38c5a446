/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that put the facts into words. */
#ifndef IWARP_CONFORMANCE_TROUBLE_SAYING_H
#define IWARP_CONFORMANCE_TROUBLE_SAYING_H

#include "conformance/stats/units.h"
#include "conformance/trouble/trouble.h"

/* Several connections that ended because of one Call. */
struct loop {
    const struct trouble_facts *first, *last;
    const struct trouble_call *call;
    GPtrArray *members; /* const struct trouble_facts * */
};

enum { LOOPS_MAX = 32 };

/* A client and a server, and the connections between them, ordered by their first frames. */
struct saying {
    struct troubles *troubles;
    struct endpoint client, server; /* the server's port is that of its first connection */
    bool alone;                     /* almost all packets of the capture are between these two */
    uint16_t rdma_port;             /* of a connection with RDMA; 0: unknown */
    GPtrArray *facts;               /* const struct trouble_facts * */
    struct loop loop[LOOPS_MAX];    /* found by say_calls(): groups with several members */
    unsigned n_loops;
    const struct trouble_facts *refused; /* of say_mount(): the connection on which a mount was refused; NULL: none */
    bool stays;                          /* say_state() reports flags of SEQUENCE that stay */
    GArray *repeated;                    /* of say_outcome() */
    GArray *early;                       /* answers at the beginning of connections, by XID; for say_calls() */
};

static inline const struct trouble_facts *facts_at(const struct saying *saying, guint i)
{
    return g_ptr_array_index(saying->facts, i);
}

static inline bool has_ended(const struct trouble_facts *facts)
{
    return facts->side[0].how != END_NONE || facts->side[1].how != END_NONE;
}

/* When the connection ended, or the time after which nothing came. */
static inline int64_t end_of(const struct trouble_facts *facts)
{
    return has_ended(facts) ? facts->side[facts->closer].ended.time_ns : facts->until_ns;
}

/* When the capture ended, as far as known. */
static inline int64_t capture_end_of(const struct saying *saying, const struct trouble_facts *facts)
{
    return saying->troubles->ended_ns > facts->until_ns ? saying->troubles->ended_ns : facts->until_ns;
}

static inline uint64_t time_from(int64_t then, int64_t now)
{
    return now > then ? (uint64_t)now - (uint64_t)then : 0;
}

/* Both ends agreed on an RDMA connection, or continued one. */
static inline bool is_established(const struct trouble_facts *facts)
{
    return facts->rdma && (facts->parts > 0 ||
                           (facts->step[STEP_REJECT].n == 0 && facts->step[facts->ib ? STEP_READY : STEP_REPLY].n > 0));
}

/* "the client", "the server" */
const char *side_name(const struct trouble_facts *facts, unsigned side);
/* "the client closed the connection in frame 12"; only if has_ended(). g_free() it. */
gchar *ending_text(const struct trouble_facts *facts);
/* Takes ownership of words. facts: the first connection concerned; say_also() adds more. */
struct trouble *say(const struct saying *saying, enum trouble_kind kind, const struct trouble_facts *facts,
                    struct trouble_event event, gchar *words);
void say_also(struct trouble *trouble, const struct trouble_facts *facts);
/* The advice. Takes ownership of the text. */
void say_next(struct trouble *trouble, gchar *next);

/* Each function adds its trouble to the list. */
void say_attempts(const struct saying *saying); /* attempts to connect */
void say_calls(struct saying *saying);          /* Calls and Replies */
void say_differs(const struct saying *saying);  /* data that were read back */
void say_owed(const struct saying *saying);     /* debts of a peer */
void say_outcome(struct saying *saying);        /* requests that fail again and again */
void say_mount(struct saying *saying);          /* mounts that fail */
/* Whether say_mount() reports this error. */
bool mount_says(const struct saying *saying, const struct trouble_error *error);
void say_state(struct saying *saying); /* state of both ends */
/* Whether say_state() reports the reason for which this operation fails. */
bool state_says(const struct saying *saying, const char *what);
/* How many failures with this error say_outcome() reports. */
uint64_t outcome_says(const struct saying *saying, const struct trouble_error *error);
void say_failures(const struct saying *saying); /* errors of the server, and late answers */
void say_path(const struct saying *saying);     /* what the path and the transports did */
void say_around(const struct saying *saying);   /* what surrounds RDMA */
void say_service(const struct saying *saying);  /* outages */
void say_empty(const struct saying *saying);    /* connections without a message */
void say_sought(const struct saying *saying);   /* questions to rpcbind without a useful answer */
void say_capture(const struct saying *saying);  /* what the capture lacks */
bool says_one_direction(const struct saying *saying);
/* ---- what surrounds RDMA ---- */

/* An ICMP message says that packets of this side on the connection do not arrive. */
bool around_refuses(const struct trouble_facts *facts, unsigned side);
/* Why packets of this side do not arrive; NULL: unknown, else *next is the advice. g_free() both. */
gchar *around_reason(const struct saying *saying, const struct trouble_facts *facts, unsigned side, gchar **next);
/* What the ICMP says that around_refuses() found. g_free() it. */
gchar *around_reason_alone(const struct trouble_facts *facts, unsigned side);
/* Why a Call that was acknowledged has no answer. NULL: the service is to blame. g_free() the result. */
gchar *around_advice(const struct trouble_facts *facts, const struct trouble_call *call);

/* How to enable the upper layer on the server; NULL: unknown. */
const char *how_to_enable(const struct saying *saying, const struct trouble_facts *facts);
/* The connection was requested, but not set up. */
bool trouble_attempt_failed(const struct trouble_facts *facts);

/* ---- rpcbind ---- */

/*
 * The program was sought, the answer was negative or missing, and no connection shows that the answer was not needed.
 */
bool sought_in_vain(const struct saying *saying, const struct trouble_facts *facts);
/* The port that rpcbind announced for RDMA before `time_ns`, if it differs from this port; NULL: none. */
const struct ulp_sought *sought_elsewhere(const struct saying *saying, uint16_t port, int64_t time_ns);
/* The two hosts want RDMA, and do not get it from this time on. */
bool rpcbind_matters(const struct saying *saying, int64_t time_ns);
/* The advice, and how to do without rpcbind. g_free() it. */
gchar *rpcbind_is_not_needed(const struct trouble_facts *facts, const char *advice);

bool in_a_loop(const struct saying *saying, const struct trouble_call *call);

#endif
