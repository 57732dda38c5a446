/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts noted about a connection while it is read, for "What happened": when each side was last heard, how the
 * connection was requested, answered and ended, which Calls had no answer, and which answers did not arrive.
 * conformance/trouble/trouble.h decides which facts are trouble, once the facts of all connections are known. Memory:
 * bounded, some 600 octets, plus some 24 for each of the latest answers and first answered XIDs.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_FACTS_H
#define IWARP_CONFORMANCE_TROUBLE_FACTS_H

#include "conformance/trouble/facts_mount.h"
#include "conformance/trouble/facts_outcome.h"
#include "conformance/trouble/facts_path.h"
#include "conformance/trouble/facts_state.h"
#include "engine/core/packed.h"
#include "engine/ib/ib_connections.h"
#include "engine/mpa/mpa.h"
#include "engine/packet/addressed.h"
#include "engine/rdma/ulp_across.h"
#include "wire/ib_cm.h"

/* Requests for a connection, and the answers, over TCP and RDMA. */
enum trouble_step {
    STEP_SYN,
    STEP_SYN_ACK,
    STEP_REQUEST, /* MPA Request, ConnectRequest */
    STEP_WAIT,    /* MRA: asks the other side to wait */
    STEP_REPLY,   /* MPA Reply, ConnectReply */
    STEP_READY,   /* ReadyToUse */
    STEP_REJECT,
    STEPS
};

enum trouble_end { END_NONE, END_FIN, END_RESET, END_DISCONNECT /* a DisconnectRequest */ };

enum trouble_fate {
    FATE_UNANSWERED,
    FATE_UNDELIVERED, /* the answer was sent, but not acknowledged */
    FATE_REFUSED,     /* the caller's transport refused the answer, or the data moved for the answer */
};

/* How to enable the upper layer on a kind of server. */
struct trouble_enable {
    const char *server, *text; /* static; server: as in struct trouble_facts */
};

/* A Call without an answer, or with an answer that may not have arrived. */
struct trouble_call {
    const char *what; /* "READ"; static */
    uint32_t xid;
    uint8_t side; /* the caller */
    bool reverse;
    bool unsure;       /* packets since the Call are missing in the capture */
    bool acknowledged; /* the other side's transport has received the Call */
    enum trouble_fate fate;
    struct trouble_event call, answer; /* answer: the first copy */
    uint64_t offset;                   /* offset of the answer in its direction; of the Call if there is no answer */
};

/* A Call that was answered. */
struct trouble_answered {
    uint32_t xid;
    struct trouble_event answer;
};

/* Calls that were answered late. */
struct trouble_slow {
    uint32_t n, timed; /* timed: all Calls with a known latency */
    uint64_t sum_ns;   /* of their latencies */
    struct trouble_call worst;
};

/* What an error of one Call means. */
enum trouble_error_how {
    ERROR_ANSWER, /* nothing: an ordinary answer */
    ERROR_FAILS,
    ERROR_BUSY,  /* the caller must try again later */
    ERROR_PROBE, /* the caller may have been probing, and continues another way */
    ERROR_NOTED, /* the application gets the error, and continues */
};

struct trouble_error {
    const char *name, *advice; /* static: the error by name; what to look at */
    enum trouble_error_how how;
    const struct trouble_cure *cure; /* static: if the same request fails again; NULL: nothing follows */
};

/* Calls that were answered with the same error: all Calls; for ERROR_BUSY, those of the caller that waited longest. */
struct trouble_failure {
    const struct trouble_error *error; /* static */
    const char *what;                  /* the operation of the first Call; static */
    struct trouble_repeated all;
    const char *what_now; /* ERROR_BUSY: the operation that is waiting now; `now` has the beginning */
    struct trouble_repeated now;
};

/* What the peer owes after it answered a request: the outcome of an asynchronous COPY, the return of recalled items. */
enum trouble_debt { DEBT_OFFLOAD, DEBT_RECALL, DEBT_LAYOUT, DEBTS };

struct trouble_owed {
    uint32_t n, paid;
    struct trouble_event latest; /* the latest debt */
};

/* Packets of one side, until either side ended the connection. */
struct trouble_side {
    struct trouble_event first, last, spoke; /* spoke: sent more than acknowledgements */
    struct trouble_event ended;
    enum trouble_end how;
    uint64_t packets, parts; /* parts: FPDUs, or packets with parts of messages */
    bool acked_known;
    uint64_t acked; /* the other side has received everything that this side sent before this offset */
};

/* A final refusal (NAK, Terminate) of something that the other side sent. */
struct trouble_refusal {
    struct trouble_event when;
    uint8_t side;
    bool known;            /* whether it is known what was refused; if so: */
    uint64_t offset;       /* the beginning of the refused data, in the other direction */
    uint32_t frame;        /* 0: unknown */
    const char *operation; /* "Send", "RDMA Write"; NULL: unknown */
    char reason[96];       /* "NAK: invalid request" */
};

/* The first PSN of one side (RoCE, InfiniBand): the PSN that the set-up named, and the PSN that the side used. An event
 * with frame 0 did not happen. */
struct trouble_psn {
    uint32_t named, first; /* named by the other side; used */
    struct trouble_event named_at, first_at;
    bool sent;                /* the side has sent a packet with the named PSN */
    struct trouble_event nak; /* the other side wants the named PSN */
};

enum { TROUBLE_ODD = 8, TROUBLE_CALLS_MAX = 64, TROUBLE_ANSWERS = 32, TROUBLE_FIRST_ANSWERS = 64 };

struct trouble_facts {
    uint32_t id;       /* of the connection in the report; 0: it carries no RDMA */
    bool ib, rdma;     /* neither is set: no RDMA was recognised */
    bool may_call;     /* RoCE or InfiniBand, and no upper layer that is not judged was recognised */
    const char *plain; /* an upper layer without RDMA; its first Call: */
    struct trouble_event plain_call;
    bool usual_port;                        /* the server's port is one of an upper layer: */
    const char *enable;                     /* what to look at if nothing listens there; NULL: unknown */
    const struct trouble_enable *enable_on; /* the same for known kinds of servers, ended by {NULL}; NULL: none */
    const char *where;                      /* the usual port; NULL: there is none */
    struct ulp_sought *sought;              /* not a connection, but questions to rpcbind; NULL: a connection */
    bool roles_known;
    bool hole;              /* part of the connection is missing in the capture */
    struct endpoint end[2]; /* by side */
    uint8_t opener;         /* the side that requested the connection, possibly presumed */
    uint8_t closer;         /* the side that ended the connection first; valid if either side has ended it */
    struct trouble_repeated step[STEPS];
    uint8_t step_side[STEPS]; /* the side that sent the step last */
    uint16_t reject_reason;
    uint8_t revision; /* of the first MPA Request */
    struct trouble_side side[2];
    struct trouble_path path[2];      /* by side */
    struct trouble_psn psn[2];        /* by side */
    const struct around_pair *around; /* valid while the list of trouble is made; NULL: unknown */
    struct trouble_event first, last;
    int64_t until_ns; /* silence is proven up to this time */
    struct trouble_owed owed[DEBTS];
    struct trouble_slow slow;
    struct trouble_failure *failure; /* one for each error that occurred, which are few; NULL: none */
    unsigned n_failures, room_failures;
    struct trouble_outcome *outcome;   /* NULL: no Call failed */
    struct trouble_mount *mount;       /* NULL: nothing was mounted */
    struct trouble_state *state;       /* NULL: no flag was set, and nothing recalled */
    struct trouble_repeated path_down; /* SEQUENCE reports that the callback path is down; n 0: it no longer does */
    struct trouble_refusal refusal;    /* the first */
    struct trouble_repeated differs;   /* data that were read back and differ from the data written */
    char *differs_words;               /* about the first difference; NULL: none */
    const char *server; /* "linux", "ganesha": the server that made the file handles in Calls; NULL: unknown */
    uint64_t parts;     /* of both sides */
    struct trouble_event answered; /* the latest answer to a Call */
    uint64_t calls, answers;       /* Calls, without copies; how many of them were answered */
    uint64_t statuses;             /* answers whose status is known, and answers without a status */
    uint32_t odd[TROUBLE_ODD];     /* XIDs of the first Calls whose answers do not end them according to the rules */
    unsigned n_odd;
    uint32_t n_open, n_listed; /* Calls kept as struct trouble_call; how many of these are listed: */
    struct trouble_call *open; /* by frame; NULL: none */
    unsigned room;
    struct trouble_call *latest; /* a ring once it has TROUBLE_ANSWERS entries; NULL: none */
    unsigned n_latest, room_latest;
    struct trouble_answered *early; /* the first TROUBLE_FIRST_ANSWERS; NULL: none */
    unsigned n_early, room_early;
};

/* NULL: out of memory. */
struct trouble_facts *trouble_facts_new(void);
void trouble_facts_free(struct trouble_facts *facts);
/* The octets of what the facts own about requests, mounts and state. */
size_t trouble_facts_owned(const struct trouble_facts *facts);

/* Packs the facts of an idle connection, and frees the unpacked facts. False: out of memory; the facts are kept. */
bool trouble_facts_pack(struct trouble_facts *facts, struct packed *packed);
/* NULL: out of memory. */
struct trouble_facts *trouble_facts_unpack(struct packed *packed);

/* For questions to rpcbind. NULL: out of memory. */
struct trouble_facts *trouble_facts_sought(const struct ulp_sought *sought, int64_t until_ns);

/* ---- while the connection is read; facts may be NULL ---- */

void trouble_segment(struct trouble_facts *facts, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                     uint64_t acked);
/* A FIN after all earlier octets, or a valid reset (which a third party could not forge). */
void trouble_ended(struct trouble_facts *facts, unsigned side, bool reset, const struct place *place);
void trouble_startup(struct trouble_facts *facts, const struct mpa_startup_event *event);
void trouble_ib_packet(struct trouble_facts *facts, unsigned side, const struct ib_datagram *datagram,
                       const struct ib_packet *packet);
void trouble_managed(struct trouble_facts *facts, unsigned side, const struct ib_cm *cm, const struct place *place);
void trouble_refused(struct trouble_facts *facts, const struct trouble_refusal *refusal);
/* An FPDU, or a packet with a part of a message. */
void trouble_part(struct trouble_facts *facts, const struct place *place);
/* A Read Request of `side`, or the end of the other side's Read Response to one. */
void trouble_asks(struct trouble_facts *facts, unsigned side, bool request, const struct place *place);
/* The connection speaks an upper layer without RDMA. */
void trouble_plain(struct trouble_facts *facts, const char *what, const struct tcp_segment *segment);
/* Whether the traffic of the connection is still unknown. */
static inline bool trouble_is_blank(const struct trouble_facts *facts)
{
    return facts->parts == 0 && !facts->plain && facts->step[STEP_REQUEST].n == 0;
}
/* A debt is incurred, or paid. */
void trouble_owes(struct trouble_facts *facts, enum trouble_debt debt, struct trouble_event event);
void trouble_pays(struct trouble_facts *facts, enum trouble_debt debt);
void trouble_callbacks(struct trouble_facts *facts, bool down, struct trouble_event event);
/* A Call to the server failed. error, what: static. */
void trouble_failed(struct trouble_facts *facts, const struct trouble_error *error, const char *what,
                    struct trouble_event event);
/* The answer to a Call does not end the Call according to the rules. */
void trouble_odd(struct trouble_facts *facts, uint32_t xid);
/* An answer to a Call: call->offset is that of the answer. */
void trouble_answered(struct trouble_facts *facts, const struct trouble_call *call);

/* ---- at the end of the connection ---- */

/* The side does not begin with the PSN that the set-up named, and the capture is not to blame. */
bool trouble_psn_is_wrong(const struct trouble_psn *psn);
/* A Call that is still outstanding. */
void trouble_unanswered(struct trouble_facts *facts, const struct trouble_call *call);
/* Data read back differ from the data written; words are copied. */
void trouble_differs(struct trouble_facts *facts, struct trouble_event event, const char *words);
/* The connection began and ended, each Call was answered in time, and there is no trouble. */
bool trouble_facts_are_plain(const struct trouble_facts *facts);
/* Whether there is something to report although the connection carries no RDMA. */
bool trouble_is_stranger(const struct trouble_facts *facts);
/* Finds the answers that did not arrive. Call it last, when acked of both sides and until_ns are set. */
void trouble_settle(struct trouble_facts *facts);

static inline bool trouble_happened(const struct trouble_event *event)
{
    return event->frame != 0;
}

#endif
