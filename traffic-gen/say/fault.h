/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults: each breaks one rule in an otherwise conforming conversation, and is registered under the id of that rule.
 *
 * For rules about reactions there are two: ID, where the stimulus is answered wrongly, and ID+ok, where it is
 * answered as the standard says: perhaps by its scenario as it is. ID/name is another way to break the same rule.
 */
#ifndef IWARP_TRAFFIC_SAY_FAULT_H
#define IWARP_TRAFFIC_SAY_FAULT_H

#include "traffic-gen/say/conversation.h"

/* What the peer of the offender does about it. */
enum aftermath {
    GOES_ON,    /* harmless to the peer */
    TERMINATED, /* the peer sends a Terminate and closes */
    CLOSED,     /* the peer closes without a word */
};

struct fault {
    const char *id;
    const char *scenario; /* it is made for; any other will do where the place exists, unless play or script is set */
    const char *summary;
    const char *also; /* ids of findings that the stimulus itself is worth, comma-separated; NULL: none */
    /* Which frame or FPDU: the role's startup frame, or its first FPDU from index on for which where() holds. */
    enum role role;
    unsigned index;
    bool (*where)(const struct fpdu_write *w); /* NULL: any */
    bool enhanced; /* needs a startup frame with S = 1 and at least four octets for the upper layer */
    void (*startup)(struct startup_write *w);        /* before encoding */
    void (*startup_octets)(struct startup_write *w); /* before sending */
    void (*fpdu)(struct fpdu_write *w);              /* before encoding */
    void (*fpdu_octets)(struct fpdu_write *w);       /* before sending */
    bool persistent;                                 /* every FPDU from the place on */
    enum aftermath aftermath;
    unsigned more;      /* FPDUs that the offender still sends before the peer acts: what completes a false length */
    uint16_t terminate; /* layer and type, code; 0: 0x2002 (LLP, MPA, CRC) */
    void (*setup)(struct conversation_setup *setup); /* changes the first conversation before it begins */
    void (*play)(struct stage *stage);               /* a script of its own instead of the scenario */
    const char *script;                              /* the same as text (script.h) */
};

/* All faults, in the order of the tables. */
const struct fault *fault_at(unsigned index); /* NULL past the end */
/* Rules that others state, or are judged along with: faults are registered under those. */
struct fault_alias {
    const char *id, *others; /* comma-separated */
};
extern const struct fault_alias fault_aliases[]; /* id NULL ends */

/* ID+ok whose scenario is the proper answer. */
bool fault_changes_nothing(const struct fault *fault);
/* By its id, or by that of a rule that states the same; NULL: there is none. */
const struct fault *fault_find(const char *id);

/* The tables, one per family. */
struct fault_table {
    const struct fault *faults;
    unsigned n;
};
extern const struct fault_table fpdu_faults, crc_faults, marker_faults, startup_faults, negotiation_faults,
    order_faults, rtr_faults, tcp_faults, reaction_faults, startup_reaction_faults, ddp_faults, rdmap_faults,
    terminate_faults, atomic_faults, rdmap_reaction_faults, rpcrdma_header_faults, rpcrdma_reaction_faults,
    rpcrdma_answer_faults, rpcrdma_unanswered_faults, history_faults, rpc_faults, nfs_refused_faults,
    rpcrdma_xid_faults, rpcrdma_credit_faults, rpcrdma_threshold_faults, rpcrdma_memory_faults, rpcrdma_payload_faults,
    rpcrdma_reply_faults, nfs_faults, proper_faults;

#endif
