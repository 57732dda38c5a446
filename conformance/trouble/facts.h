/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is noted of a connection while it is read, for "What happened": when each side was heard last, how the
 * connection was asked for, answered and ended, and which Calls had no answer, or none that arrived. Facts: whether
 * they are trouble is decided when those of all connections are known (conformance/trouble/trouble.h).
 *
 * Memory: bounded, some 600 octets, and 24 or so for each of the latest answers and first answered XIDs.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_FACTS_H
#define IWARP_CONFORMANCE_TROUBLE_FACTS_H

#include "conformance/trouble/facts_path.h"
#include "engine/core/packed.h"
#include "engine/ib/ib_connections.h"
#include "engine/mpa/mpa.h"
#include "engine/packet/addressed.h"
#include "engine/rdma/ulp_across.h"
#include "wire/ib_cm.h"

struct trouble_repeated {
    struct trouble_event first, last;
    uint32_t n;
};

/* What asks for a connection, and what answers: of TCP, and of RDMA. */
enum trouble_step {
    STEP_SYN,
    STEP_SYN_ACK,
    STEP_REQUEST, /* MPA Request, ConnectRequest */
    STEP_WAIT,    /* MRA: the other side is asked for patience */
    STEP_REPLY,   /* MPA Reply, ConnectReply */
    STEP_READY,   /* ReadyToUse */
    STEP_REJECT,
    STEPS
};

enum trouble_end { END_NONE, END_FIN, END_RESET, END_DISCONNECT /* a DisconnectRequest */ };

enum trouble_fate {
    FATE_UNANSWERED,
    FATE_UNDELIVERED, /* the answer was sent, but not acknowledged */
    FATE_REFUSED,     /* the caller's transport refused the answer, or what was moved for it */
};

/* A Call that has no answer, or whose answer may not have arrived. */
struct trouble_call {
    const char *what; /* "READ"; static */
    uint32_t xid;
    uint8_t side; /* the caller */
    bool reverse;
    bool unsure;       /* the capture lacks something since the Call */
    bool acknowledged; /* the Call: the other side's transport has it */
    enum trouble_fate fate;
    struct trouble_event call, answer; /* answer: the first copy */
    uint64_t offset;                   /* of the answer, in its direction; without one, of the Call */
};

/* A Call that was answered. */
struct trouble_answered {
    uint32_t xid;
    struct trouble_event answer;
};

/* Calls that were answered late. */
struct trouble_slow {
    uint32_t n;
    struct trouble_call worst;
};

/* An error that says more about the server than about what it was asked for. */
struct trouble_error {
    const char *name, *advice; /* static: the error by name; what to look at */
    enum {
        ERROR_FAILS,
        ERROR_BUSY,  /* the caller has to try again later */
        ERROR_PROBE, /* the caller may have only tried, and goes on otherwise */
        ERROR_NOTED, /* the application gets it, and goes on */
    } how;
};

/* Calls that were answered with one error: all of them, or of ERROR_BUSY the longest time that the caller had to wait.
 */
struct trouble_failure {
    const struct trouble_error *error; /* static */
    const char *what;                  /* the first one's operation; static */
    struct trouble_repeated all;
    const char *what_now; /* ERROR_BUSY: the operation that waits at present, since: */
    struct trouble_repeated now;
};

/* What the peer owes after a request was answered: the outcome of an asynchronous COPY, what was recalled. */
enum trouble_debt { DEBT_OFFLOAD, DEBT_RECALL, DEBT_LAYOUT, DEBTS };

struct trouble_owed {
    uint32_t n, paid;
    struct trouble_event latest; /* incurred */
};

/* What one side sent, until one of them ended the connection. */
struct trouble_side {
    struct trouble_event first, last, spoke; /* spoke: other than to acknowledge */
    struct trouble_event ended;
    enum trouble_end how;
    uint64_t packets, parts; /* parts: FPDUs, or packets with parts of messages */
    bool acked_known;
    uint64_t acked; /* the other side has received what this one sent before that offset */
};

/* One side refused for good what the other one sent: a NAK, a Terminate. */
struct trouble_refusal {
    struct trouble_event when;
    uint8_t side;
    bool known;            /* what was refused: */
    uint64_t offset;       /* where it begins, in the other direction */
    uint32_t frame;        /* of it; 0: not known */
    const char *operation; /* "Send", "RDMA Write"; NULL: not known */
    char reason[64];       /* "NAK: invalid request" */
};

enum { TROUBLE_ODD = 8, TROUBLE_CALLS_MAX = 64, TROUBLE_ANSWERS = 32, TROUBLE_FIRST_ANSWERS = 64 };

struct trouble_facts {
    uint32_t id;       /* of the connection in the report; 0: it carries no RDMA */
    bool ib, rdma;     /* neither: no RDMA was recognised */
    const char *plain; /* an upper layer without RDMA, in: */
    struct trouble_event plain_call;
    bool usual_port;           /* the server's is one of an upper layer: */
    const char *enable;        /* where nothing listens: what to look at, or the usual port; NULL: nothing is known */
    const char *where;         /* the usual port; NULL: there is none */
    struct ulp_sought *sought; /* no connection, but what rpcbind was asked; NULL: a connection */
    bool roles_known;
    bool hole;              /* something is missing in the capture */
    struct endpoint end[2]; /* by side */
    uint8_t opener;         /* the side that asked for the connection, or is presumed to have */
    uint8_t closer;         /* the side that ended the connection first; valid if either has ended it */
    struct trouble_repeated step[STEPS];
    uint8_t step_side[STEPS]; /* that sent it last */
    uint16_t reject_reason;
    struct trouble_side side[2];
    struct trouble_path path[2]; /* by side */
    struct trouble_event first, last;
    int64_t until_ns; /* to this time silence is proven */
    struct trouble_owed owed[DEBTS];
    struct trouble_slow slow;
    struct trouble_failure *failure; /* NULL: none. One for each error that there was: they are few */
    unsigned n_failures, room_failures;
    struct trouble_repeated path_down; /* SEQUENCE says that the callback path is down; n 0: it does not, any more */
    struct trouble_refusal refusal;    /* the first */
    struct trouble_repeated differs;   /* octets that were read back */
    char *differs_words;               /* of the first; NULL: none */
    const char *server;                /* "linux", "ganesha": whose file handles Calls have; NULL: not known */
    uint64_t parts;                    /* of both sides */
    struct trouble_event answered;     /* the latest answer to a Call */
    uint64_t calls, answers;           /* Calls that were counted once, and those of them that were answered */
    uint32_t odd[TROUBLE_ODD];         /* XIDs of the first Calls whose answers are no answers by the rules */
    unsigned n_odd;
    uint32_t n_open, n_listed; /* Calls of struct trouble_call, and how many of them are listed: */
    struct trouble_call *open; /* by frame; NULL: none */
    unsigned room;
    struct trouble_call *latest; /* a ring of TROUBLE_ANSWERS, as soon as there are as many; NULL: none */
    unsigned n_latest, room_latest;
    struct trouble_answered *early; /* the first TROUBLE_FIRST_ANSWERS; NULL: none */
    unsigned n_early, room_early;
};

/* NULL: memory is lacking. */
struct trouble_facts *trouble_facts_new(void);
void trouble_facts_free(struct trouble_facts *facts);

/* Packs the facts of an idle connection, and frees them. False: memory is lacking, and the facts stay. */
bool trouble_facts_pack(struct trouble_facts *facts, struct packed *packed);
/* NULL: memory is lacking. */
struct trouble_facts *trouble_facts_unpack(struct packed *packed);

/* Of questions to rpcbind. NULL: memory is lacking. */
struct trouble_facts *trouble_facts_sought(const struct ulp_sought *sought, int64_t until_ns);

/* ---- while the connection is read; facts may be NULL ---- */

void trouble_segment(struct trouble_facts *facts, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                     uint64_t acked);
/* A FIN after all octets before it, or a reset that counts: one that a third party has forged may not. */
void trouble_ended(struct trouble_facts *facts, unsigned side, bool reset, const struct place *place);
void trouble_startup(struct trouble_facts *facts, const struct mpa_startup_event *event);
void trouble_ib_packet(struct trouble_facts *facts, unsigned side, const struct ib_datagram *datagram,
                       const struct ib_packet *packet);
void trouble_managed(struct trouble_facts *facts, unsigned side, const struct ib_cm *cm, const struct place *place);
void trouble_refused(struct trouble_facts *facts, const struct trouble_refusal *refusal);
/* An FPDU, or a packet with a part of a message. */
void trouble_part(struct trouble_facts *facts, const struct place *place);
/* It speaks an upper layer without RDMA. */
void trouble_plain(struct trouble_facts *facts, const char *what, const struct tcp_segment *segment);
/* Nothing is known so far of what goes over the connection. */
static inline bool trouble_is_blank(const struct trouble_facts *facts)
{
    return facts->parts == 0 && !facts->plain && facts->step[STEP_REQUEST].n == 0;
}
/* A debt is incurred, or paid. */
void trouble_owes(struct trouble_facts *facts, enum trouble_debt debt, struct trouble_event event);
void trouble_pays(struct trouble_facts *facts, enum trouble_debt debt);
void trouble_callbacks(struct trouble_facts *facts, bool down, struct trouble_event event);
/* A Call to the server has failed. error, what: static. */
void trouble_failed(struct trouble_facts *facts, const struct trouble_error *error, const char *what,
                    struct trouble_event event);
/* What came in answer to a Call does not end it by the rules. */
void trouble_odd(struct trouble_facts *facts, uint32_t xid);
/* An answer to a Call: call->offset is the answer's. */
void trouble_answered(struct trouble_facts *facts, const struct trouble_call *call);

/* ---- at its end ---- */

/* A Call that is outstanding. */
void trouble_unanswered(struct trouble_facts *facts, const struct trouble_call *call);
/* Octets that were read back are not those that were written; words are copied. */
void trouble_differs(struct trouble_facts *facts, struct trouble_event event, const char *words);
/* The connection began and ended, each Call was answered in time, and there is no trouble. */
bool trouble_facts_are_plain(const struct trouble_facts *facts);
/* It carries no RDMA: is there anything to say of it all the same? */
bool trouble_is_stranger(const struct trouble_facts *facts);
/* After all of them, with acked of both sides and until_ns set: which answers did not arrive. */
void trouble_settle(struct trouble_facts *facts);

static inline bool trouble_happened(const struct trouble_event *event)
{
    return event->frame != 0;
}

#endif
