/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a server's rpcbind told a client about MOUNT, NLM and NSM, which a server of NFS versions 2 and 3 offers over
 * TCP (RFC 8267 section 5.1): a part of what is kept about a pair of addresses.
 */
#ifndef IWARP_ENGINE_ACROSS_ACROSS_AUXILIARY_H
#define IWARP_ENGINE_ACROSS_ACROSS_AUXILIARY_H

#include "engine/across/across_sought.h"

struct auxiliary_offer {
    bool offered, settled;
    bool doubtful;          /* an answer may be about another transport, or was not read */
    uint32_t lacking_frame; /* the latest answer that the program is not registered; 0: none */
    int64_t lacking_ns;
};

struct auxiliary {
    bool asked;  /* a question was about one of these programs */
    bool unread; /* a question was not read, and may be about any program */
    struct auxiliary_offer offer[NFS_AUXILIARIES];
};

/* The auxiliary program that the lookup is about, for TCP; -1: none. */
int auxiliary_of(const struct rpcbind_lookup *lookup);
/* rpcbind answers the lookup for TCP and for the addresses that the client uses. */
bool auxiliary_is_certain(const struct lookup_place *place, const struct rpcbind_lookup *lookup);
/* Takes rpcbind's answer to the question, unless it is RPCBIND_NO_ANSWER. */
void auxiliary_answered(struct auxiliary *auxiliary, const struct question *question, enum rpcbind_answer answer,
                        const struct lookup_place *place);
/* The question may have an answer that was not read. */
void auxiliary_doubt(struct auxiliary *auxiliary, const struct question *question);
/* Judges each program once, on a connection where the server speaks NFS version 2 or 3. */
void auxiliary_judge(struct auxiliary *auxiliary, const struct rpcrdma_across_record *record, struct verdict *verdict);

#endif
