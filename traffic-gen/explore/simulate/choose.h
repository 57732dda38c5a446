/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a seed means: which conversations are played, on what network, with what fault. */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_CHOOSE_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_CHOOSE_H

#include "engine/core/rule.h"
#include "traffic-gen/explore/simulate/phrase.h"
#include "traffic-gen/scenario/scenario.h"
#include "traffic-gen/speak/faults/fault.h"

/* What one client says. */
struct talk {
    char *scenario; /* of the library; NULL: the script */
    char *script;
};

void talk_free(gpointer talk);

struct plan {
    uint64_t seed;
    bool roce, ipv6, vlan;
    char *net;                 /* as for iwarp-gen play --net; NULL: no trouble */
    GPtrArray *talks;          /* struct talk *: each client plays one, all at the same time */
    const struct fault *fault; /* of the first talk; NULL: all conform. A fault with a script is in the talk's script */
    bool rfc5666;              /* the checker judges by the older document */
};

struct plan_wish {
    const struct fault *fault; /* NULL: any or none */
    bool conforming;           /* no fault */
};

/* Free with plan_drop(). */
struct plan *plan_choose(uint64_t seed, const struct plan_wish *wish);
void plan_drop(struct plan *plan);

/* ---- parts of a plan ---- */

/* Takes the script. */
void plan_add_talk(struct plan *plan, const char *scenario, char *script);
/* The demands of a fault on the rest of the plan. */
enum {
    QUIET = 1,  /* the network makes no trouble */
    LONELY = 2, /* there are no other clients */
};
/* Chooses a fault, unless one is given, and the first talk, which has it. Returns its demands. */
unsigned plan_fault(struct plan *plan, const struct fault *fault, struct phrasing *phrasing);
/* The rule that a fault, or its stimulus, is about. */
const struct rule *rule_of_fault(const struct fault *fault);
bool plays_on_roce(const struct scenario *scenario);

/* ---- random scripts that conform; g_free() ---- */

/* Messages of RDMAP on iWARP, `statements` of them at most. */
char *choose_rdmap(struct phrasing *phrasing, unsigned statements);
/* Calls and Replies of NFS. */
char *choose_rpc(struct phrasing *phrasing, unsigned calls);
/* Work of two queue pairs, or of an NFS client and its server. */
char *choose_work(struct phrasing *phrasing, bool nfs);

#endif
