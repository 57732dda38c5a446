/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that both ends keep on a connection: flags in answers that stay, and layouts that were recalled. Memory:
 * nothing until a flag or a recall comes.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_FACTS_STATE_H
#define IWARP_CONFORMANCE_TROUBLE_FACTS_STATE_H

#include "conformance/trouble/facts_outcome.h"

enum { STATEID_LEN = 16 };

struct trouble_state {
    uint32_t flags;                  /* sr_status_flags that ask the client to do something */
    struct trouble_repeated flagged; /* SEQUENCEs since a flag was set */
    uint32_t tested;                 /* since then: TEST_STATEID and FREE_STATEID; the first stateid of these: */
    uint8_t stateid[STATEID_LEN];
    bool others; /* there were other stateids */
    bool over;   /* the flags are gone */
    struct trouble_recall {
        uint8_t stateid[STATEID_LEN]; /* of the latest CB_LAYOUTRECALL of a file */
        struct trouble_event sent, answered;
    } recall;
    struct trouble_behind { /* the first operation with an older stateid than the recall that the client had answered */
        const char *what;   /* static; NULL: none */
        uint32_t seqid, due;
        struct trouble_event event, recalled;
    } behind;
};

/* sr_status_flags of a Reply, without those about callbacks. */
void trouble_state_flags(struct trouble_facts *facts, uint32_t flags, struct trouble_event event);
void trouble_state_tested(struct trouble_facts *facts, const uint8_t stateid[STATEID_LEN]);
void trouble_state_recalled(struct trouble_facts *facts, const uint8_t stateid[STATEID_LEN],
                            struct trouble_event event);
/* The client accepted the latest recall. */
void trouble_state_accepted(struct trouble_facts *facts, struct trouble_event event);
/* The client uses this stateid of a layout. */
void trouble_state_layout(struct trouble_facts *facts, const char *what, const uint8_t stateid[STATEID_LEN],
                          struct trouble_event event);
/* The flags stay although the client has tried to clear them, or they stay for a long time. */
bool trouble_state_stays(const struct trouble_state *state);
bool trouble_state_is_plain(const struct trouble_facts *facts);

#endif
