/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One word, said to a device on one connection: after each input what the device does until it is quiet. */
#ifndef IWARP_TRAFFIC_LEARN_EXCHANGE_H
#define IWARP_TRAFFIC_LEARN_EXCHANGE_H

#include "traffic-gen/learn/answers.h"
#include "traffic-gen/learn/inputs.h"

struct talk_run;

/* Where the time goes, of all connections together; ns. */
struct exchange_costs {
    unsigned connections, inputs;
    int64_t start;   /* until there is a connection, for an RPC service one that is established */
    int64_t answers; /* until something came */
    int64_t silence; /* until it was clear that nothing more comes */
    int64_t end;     /* of the connection */
    int64_t longest; /* until something came */
};

void exchange_costs_add(struct exchange_costs *sum, const struct exchange_costs *costs);

/* How long to wait, ns. */
struct exchange_pace {
    int64_t unknown; /* for something that may or may not come */
    int64_t known;   /* for something that is known to come */
    int64_t silence; /* where none is known to come */
    int64_t settle;  /* after the start-up */
};

struct exchange {
    struct talk_run *run;
    const struct learn_alphabet *alphabet;
    const struct learn_input *inputs; /* that the word is of */
    const struct question *question;
    struct answer *answer; /* is filled in */
    struct exchange_pace pace;
    bool first_only; /* the first thing that the device says will do */
    bool hasty;      /* what it says only when we hang up may have been an answer */
    bool asked;      /* there was a connection */
    char *why;       /* there was none; the caller frees it */
    struct exchange_costs costs;
};

/* A device may take a moment until it listens again, at most run->t_recover. */
void exchange_run(struct exchange *exchange);

#endif
