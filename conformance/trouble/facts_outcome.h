/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that fail again and again. Memory: nothing while all Calls succeed; otherwise some 4 KiB for a connection.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_FACTS_OUTCOME_H
#define IWARP_CONFORMANCE_TROUBLE_FACTS_OUTCOME_H

#include "conformance/trouble/facts_path.h"

struct trouble_facts;
struct trouble_error;

struct trouble_repeated {
    struct trouble_event first, last;
    uint32_t n;
};

/* What has to change before the request can succeed. */
enum trouble_subject {
    SUBJECT_REQUEST, /* its arguments */
    SUBJECT_STATEID, /* its stateid */
    SUBJECT_SLOT,    /* its place in the slot */
    SUBJECT_SESSION,
    SUBJECT_TIME, /* nothing: the caller has to wait */
};

/* What a caller has to do after an error, and what the report says if the caller does something else. */
struct trouble_cure {
    enum trouble_subject subject;
    uint8_t tries;     /* this many failures of the same request are normal */
    const char *fault; /* what the report says about the caller: "the client repeats ..." */
    const char *next;
};

/* A request, as far as it decides whether another request is the same. */
enum { TROUBLE_STATEIDS = 2, TROUBLE_ASKED = 32, TROUBLE_AGAIN = 16 };
struct trouble_asked {
    uint64_t number;  /* of the Call on its connection, from 1 */
    uint64_t request; /* hash of the arguments */
    struct trouble_stateid {
        uint32_t op;
        uint64_t hash; /* of the operation and its stateid */
    } stateid[TROUBLE_STATEIDS];
};

/* A request that was carried out in a slot of a session. */
struct trouble_turn {
    uint64_t slot; /* hash of session and slot; 0: none */
    uint32_t sequence;
    struct trouble_event event; /* of the Reply */
};

/* A request that failed, perhaps again. */
struct trouble_again {
    const struct trouble_error *error; /* static */
    const char *what;                  /* the operation that failed; static */
    uint64_t key;                      /* hash of its subject */
    bool weak;                         /* key is that of the whole request, because its stateid was not remembered */
    struct trouble_repeated all;
    struct trouble_event done; /* the request succeeded at last; frame 0: the request never succeeded */
    /* SUBJECT_SLOT: the first request whose sequence did not follow that of the request before in the same slot. */
    uint32_t slot, sequence;
    struct trouble_turn turn; /* the request before; slot 0: no request broke the order */
};

enum { TROUBLE_TURNS = 16 };

/*
 * Failures of the same request that are farther apart than this do not count together. What a client repeats by itself,
 * the client repeats within one lease, commonly 90 s: retransmissions follow after 60 s at most, a client that was
 * asked to wait tries again after 15 s at most, and leases are renewed after two thirds of their time. After a longer
 * time an application, or a person, asks again, and each time gets the answer.
 */
#define TROUBLE_AGAIN_NS INT64_C(90000000000)

struct trouble_outcome {
    struct trouble_asked asked[TROUBLE_ASKED]; /* by number */
    struct trouble_turn turn[TROUBLE_TURNS];
    struct trouble_again again[TROUBLE_AGAIN];
    unsigned n_again;
};

/* How a Call ended, for trouble_outcome_failed(). */
struct trouble_try {
    const struct trouble_error *error;
    const char *what; /* static */
    struct trouble_asked asked;
    uint32_t op;
    bool known;                  /* asked has the stateids */
    bool in_slot;                /* the Call belongs to a session: */
    uint64_t session, slot_hash; /* hashes; slot_hash: of session and slot */
    uint32_t slot, sequence;
    struct trouble_event event;
};

/* Whether Calls have to be remembered with trouble_outcome_asked(): a Call failed on this connection. */
bool trouble_outcome_wants(const struct trouble_facts *facts);
void trouble_outcome_asked(struct trouble_facts *facts, const struct trouble_asked *asked);
/* The request that was remembered under this number; NULL: none. */
const struct trouble_asked *trouble_outcome_of(const struct trouble_facts *facts, uint64_t number);
void trouble_outcome_failed(struct trouble_facts *facts, const struct trouble_try *try);
void trouble_outcome_succeeded(struct trouble_facts *facts, const struct trouble_try *try);
/* The place of a request in its slot: it was carried out. */
void trouble_outcome_turn(struct trouble_facts *facts, const struct trouble_try *try);
/* The next failure of a request does not belong to those before: it came too late, and they were few. */
static inline bool trouble_begins_anew(const struct trouble_repeated *before, int64_t time_ns,
                                       const struct trouble_cure *cure)
{
    return before->n > 0 && before->n <= cure->tries && time_ns - before->last.time_ns > TROUBLE_AGAIN_NS;
}
/* The same request failed more often than its caller may try. */
bool trouble_is_repeated(const struct trouble_again *again);
bool trouble_outcome_is_plain(const struct trouble_facts *facts);

#endif
