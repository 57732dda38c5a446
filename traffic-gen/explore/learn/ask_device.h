/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks a device: each word on a fresh connection, several in parallel. A hasty wait depends on the device's earlier
 * times. A command revives a dead device, and the last output of the word that killed it is "dead".
 */
#ifndef IWARP_TRAFFIC_EXPLORE_LEARN_ASK_DEVICE_H
#define IWARP_TRAFFIC_EXPLORE_LEARN_ASK_DEVICE_H

#include "traffic-gen/explore/learn/exchange.h"

struct ask_device {
    struct talk_run *run;
    const struct learn_alphabet *alphabet; /* may have only some of its inputs */
    const char *const *inputs;             /* names of the inputs */
    unsigned jobs;                         /* parallel connections */
    int64_t quiet;                         /* ns of silence after which an output is complete, if not in haste */
    const char *address;                   /* for the reset command */
    const char *reset;                     /* command that revives a dead device; NULL: none */
    int64_t t_reset;
    void (*note)(const char *text);     /* reports slow events, such as a death; NULL: nobody listens */
    const char *life;                   /* a living device's output for the first input; set by ask_device_begin() */
    int64_t mean, deviation;            /* of the device's recent answers, in ns */
    struct exchange_costs costs, signs; /* of questions; of signs of life */
    int64_t resets;                     /* time of reset commands, in ns */
};

/* False with *why: the device cannot be reached. */
bool ask_device_begin(struct ask_device *device, char **why);

/* The function for struct asker; ctx: struct ask_device. */
bool ask_device(void *ctx, const struct question *questions, struct answer *answers, unsigned n,
                const struct manner *manner, char **why);

#endif
