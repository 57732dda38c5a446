/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What carries a conversation: MPA over the simulated TCP, a reliable connection of RoCE, or the socket of a suite.
 * Whatever a script says comes down to these calls; what is above them is the same on all.
 */
#ifndef IWARP_TRAFFIC_SAY_CARRIER_H
#define IWARP_TRAFFIC_SAY_CARRIER_H

#include "traffic-gen/say/conversation.h"

struct message;
struct words;

struct carrier {
    const char *name; /* of --transport */
    /* Makes the connection in the simulated network, as c->setup has it. NULL: it is there. */
    void (*connect)(struct conversation *c);
    /* Its life in the network, for connections that begin after it. */
    struct sim_life *(*life)(const struct conversation *c);
    /* Everything scripted so far for the peer of role, as sim_how.received counts it. NULL: nothing is counted. */
    uint64_t (*all_of_peer)(const struct conversation *c, enum role role);
    /* What role says as the connection comes about: MPA Request or Reply, ConnectRequest or ConnectReply. */
    void (*startup)(struct conversation *c, enum role role);
    /* One RDMA operation, or the answer to one (operations.h). */
    void (*message)(struct conversation *c, enum role role, const struct message *message);
    /* Nothing new, but a packet that shows that role is still there. */
    void (*silence)(struct conversation *c, enum role role, const struct sim_how *how);
    /* role ends the connection: orderly, or at once. */
    void (*end)(struct conversation *c, enum role role, bool reset, const struct sim_how *how);
    /* From here on the capture holds, or does not hold, the connection's packets. NULL: there is no capture. */
    void (*capturing)(struct conversation *c, enum role role, bool on, const struct sim_how *how);
    /* Of carriers of MPA, NULL of others: the next octets of role's stream, and how many there are so far. */
    void (*write)(struct conversation *c, enum role role, const uint8_t *p, size_t n, const struct sim_how *how);
    uint64_t (*written)(const struct conversation *c, enum role role);
    /*
     * Fills in what is known of a peer that is no part of the script, before the words of the statement change it; may
     * take words. False: it is not said. NULL: messages are as message_init() makes them.
     */
    bool (*fill_in)(struct conversation *c, struct words *words, struct message *message);
};

/* For carriers of MPA: role's own startup frame, as c->setup and c->changes have it; messages as FPDUs. */
void say_own_startup(struct conversation *c, enum role role);
void say_message_in_fpdus(struct conversation *c, enum role role, const struct message *message);

extern const struct carrier carrier_mpa, carrier_roce;
/* By its name; NULL: there is none. */
const struct carrier *carrier_find(const char *name);

static inline uint64_t carrier_all_of_peer(const struct conversation *c, enum role role)
{
    return c->carrier->all_of_peer ? c->carrier->all_of_peer(c, role) : 0;
}

/* When and how role says its next message: as c->how and c->early have it, which this resets. */
struct sim_how take_how(struct conversation *c, enum role role);
/* What the peer of `offender` does about the deviation that has happened. */
void say_aftermath(struct conversation *c, enum role offender);

#endif
