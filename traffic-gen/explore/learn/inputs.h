/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The alphabets for machines of devices. An input is sent in the current state of a connection; the output is what the
 * device sends until it is silent.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_LEARN_INPUTS_H
#define IWARP_TRAFFIC_EXPLORE_LEARN_INPUTS_H

#include "traffic-gen/tester/suite/rpc/rpc_talker.h"
#include "traffic-gen/tester/suite/talk/talk.h"

struct learn_input {
    const char *name, *what;
    void (*say)(struct talk *talk, const struct learn_input *input); /* NULL: a Send of RPC-over-RDMA */
    const char *says;                                                /* as a statement */
    struct talk_wish wish;                                           /* for a start-up frame */
    bool ends; /* ends the connection from our side: no input can follow */
};

struct learn_alphabet {
    const char *name, *what;
    const struct learn_input *inputs;
    unsigned n;
    bool rpc;       /* on an established connection of RPC-over-RDMA */
    bool initiator; /* the device connects to us; inputs follow its Request */
};

extern const struct learn_alphabet learn_alphabets[];
extern const unsigned learn_alphabets_n;

/* NULL: unknown name. */
const struct learn_alphabet *learn_alphabet(const char *name);
/*
 * The same with only these inputs (separated by commas), copied to inputs[], which has room for all. False: *unknown,
 * which the caller frees, is not an input.
 */
bool learn_alphabet_choose(const struct learn_alphabet *whole, const char *names, struct learn_input *inputs,
                           struct learn_alphabet *out, char **unknown);

#endif
