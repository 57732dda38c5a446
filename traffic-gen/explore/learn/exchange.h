/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends one word on one connection: each input's output is what the device sends until it is silent. */
#ifndef IWARP_TRAFFIC_EXPLORE_LEARN_EXCHANGE_H
#define IWARP_TRAFFIC_EXPLORE_LEARN_EXCHANGE_H

#include "traffic-gen/explore/learn/answers.h"
#include "traffic-gen/explore/learn/inputs.h"

struct talk_run;

/* Times in ns, summed over connections. */
struct exchange_costs {
    unsigned connections, inputs;
    int64_t start;   /* until connected; for an RPC service until established */
    int64_t answers; /* until messages came */
    int64_t silence; /* waiting to be sure that nothing more comes */
    int64_t end;     /* ends of connections */
    int64_t longest; /* longest wait for a message */
};

void exchange_costs_add(struct exchange_costs *sum, const struct exchange_costs *costs);

/* How long to wait, in ns. */
struct exchange_pace {
    int64_t unknown; /* for a message that may or may not come */
    int64_t known;   /* for a message known to come */
    int64_t silence; /* if no message is known to come */
    int64_t settle;  /* after the start-up */
};

struct exchange {
    struct talk_run *run;
    const struct learn_alphabet *alphabet;
    const struct learn_input *inputs; /* inputs that the word's indices mean */
    const struct question *question;
    struct answer *answer; /* result */
    struct exchange_pace pace;
    bool first_only; /* only waits for the device's first message */
    bool hasty;      /* messages at hang-up may have been answers */
    bool asked;      /* there was a connection */
    char *why;       /* why there was none; the caller frees it */
    struct exchange_costs costs;
};

/* Waits at most run->t_recover for a device that needs time to listen again. */
void exchange_run(struct exchange *exchange);

#endif
