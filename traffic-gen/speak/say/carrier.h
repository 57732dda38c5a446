/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carriers of a conversation: MPA over the simulated TCP, a reliable connection of RoCE, or the socket of a suite.
 * Scripts reach all carriers through these calls.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_CARRIER_H
#define IWARP_TRAFFIC_SPEAK_SAY_CARRIER_H

#include "traffic-gen/speak/say/conversation.h"

struct message;
struct words;

struct carrier {
    const char *name; /* as given to --transport */
    /* Opens the connection in the simulated network as c->setup says. NULL: the connection exists already. */
    void (*connect)(struct conversation *c);
    /* The simulated TCP or RC connection, which later connections can wait for. */
    struct sim_life *(*life)(const struct conversation *c);
    /* Counts everything scripted so far for the peer of role, as sim_how.received does. NULL: nothing is counted. */
    uint64_t (*all_of_peer)(const struct conversation *c, enum role role);
    /* Sends role's start-up frame: MPA Request or Reply, ConnectRequest or ConnectReply. */
    void (*startup)(struct conversation *c, enum role role);
    /* One RDMA operation, or the answer to one (operations.h). */
    void (*message)(struct conversation *c, enum role role, const struct message *message);
    /* Sends a packet without new data, which shows that role is still there. */
    void (*silence)(struct conversation *c, enum role role, const struct sim_how *how);
    /* role ends the connection, in order or at once. */
    void (*end)(struct conversation *c, enum role role, bool reset, const struct sim_how *how);
    /* Begins or stops capturing the connection's packets. NULL: there is no capture. */
    void (*capturing)(struct conversation *c, enum role role, bool on, const struct sim_how *how);
    /* Only for carriers of MPA: appends octets to role's stream; the number of octets so far. */
    void (*write)(struct conversation *c, enum role role, const uint8_t *p, size_t n, const struct sim_how *how);
    uint64_t (*written)(const struct conversation *c, enum role role);
    /*
     * Fills in what is known about a peer outside the script, before the words of the statement change the message; may
     * take words. False: the message is not sent. NULL: messages stay as message_init() made them.
     */
    bool (*fill_in)(struct conversation *c, struct words *words, struct message *message);
};

/* Only for carriers of MPA: sends role's start-up frame as c->setup and c->changes say; sends messages as FPDUs. */
void say_own_startup(struct conversation *c, enum role role);
void say_message_in_fpdus(struct conversation *c, enum role role, const struct message *message);

extern const struct carrier carrier_mpa, carrier_roce;
/* Finds a carrier by its name; NULL: unknown. */
const struct carrier *carrier_find(const char *name);

static inline uint64_t carrier_all_of_peer(const struct conversation *c, enum role role)
{
    return c->carrier->all_of_peer ? c->carrier->all_of_peer(c, role) : 0;
}

/* When and how role sends its next message, from c->how and c->early, which this resets. */
struct sim_how take_how(struct conversation *c, enum role role);
/* Carries out the reaction of `offender`'s peer to the deviation. */
void say_aftermath(struct conversation *c, enum role offender);

#endif
