/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks a device: each word on a fresh connection, several at the same time. How long it waits in haste follows from how
 * long the device has taken so far. A device that dies is revived by a command, and the word that it died of has "dead"
 * as its last output.
 */
#ifndef IWARP_TRAFFIC_LEARN_ASK_DEVICE_H
#define IWARP_TRAFFIC_LEARN_ASK_DEVICE_H

#include "traffic-gen/learn/exchange.h"

struct ask_device {
    struct talk_run *run;
    const struct learn_alphabet *alphabet; /* may have just some of the inputs of that name */
    const char *const *inputs;             /* their names */
    unsigned jobs;                         /* connections at the same time */
    int64_t quiet;                         /* ns without an octet, if not in haste: it has nothing more to say */
    const char *address;                   /* for the command */
    const char *reset;                     /* that revives a dead device; NULL: none */
    int64_t t_reset;
    void (*note)(const char *text);     /* says what takes long: a death, as it is seen; NULL: nobody wants to know */
    const char *life;                   /* what a living device says to the first input; set by ask_device_begin() */
    int64_t mean, deviation;            /* ns until it answered, of late */
    struct exchange_costs costs, signs; /* of questions; of signs of life */
    int64_t resets;                     /* ns of the command */
};

/* False with *why: there is no such device. */
bool ask_device_begin(struct ask_device *device, char **why);

/* Of struct asker; ctx: struct ask_device. */
bool ask_device(void *ctx, const struct question *questions, struct answer *answers, unsigned n,
                const struct manner *manner, char **why);

#endif
