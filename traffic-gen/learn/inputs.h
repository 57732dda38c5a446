/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device can be asked: the alphabets of its machines. An input is said on a connection as it is then; what the
 * device does until it is quiet is the output.
 */
#ifndef IWARP_TRAFFIC_LEARN_INPUTS_H
#define IWARP_TRAFFIC_LEARN_INPUTS_H

#include "traffic-gen/suite/talk/rpc_talker.h"
#include "traffic-gen/suite/talk/talk.h"

struct learn_input {
    const char *name, *what;
    void (*say)(struct talk *talk, const struct learn_input *input); /* NULL: a Send of RPC-over-RDMA */
    const char *says;                                                /* a statement */
    struct talk_wish wish;                                           /* of a start-up frame */
    bool ends; /* the connection, by us: nothing can be said after it */
};

struct learn_alphabet {
    const char *name, *what;
    const struct learn_input *inputs;
    unsigned n;
    bool rpc;       /* on an established connection of RPC-over-RDMA */
    bool initiator; /* the device connects to us; what is said follows its Request */
};

extern const struct learn_alphabet learn_alphabets[];
extern const unsigned learn_alphabets_n;

/* NULL: there is none of that name. */
const struct learn_alphabet *learn_alphabet(const char *name);
/*
 * The same with only these inputs (comma-separated), copied to inputs[], which has room for all. False: *unknown, which
 * the caller frees, is none of them.
 */
bool learn_alphabet_choose(const struct learn_alphabet *whole, const char *names, struct learn_input *inputs,
                           struct learn_alphabet *out, char **unknown);

#endif
