/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Negotiations that scenarios and faults start from. */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_SETUPS_H
#define IWARP_TRAFFIC_SPEAK_SAY_SETUPS_H

#include "traffic-gen/speak/say/conversation.h"

/* Uses revision rev in both frames; flags of Request and Reply. */
#define SETUP(rev, request_flags, reply_flags)                                                                         \
    {                                                                                                                  \
        .wish = {                                                                                                      \
            [INITIATOR] = {.revision = (rev), .flags = (request_flags)},                                               \
            [RESPONDER] = {.revision = (rev), .flags = (reply_flags)},                                                 \
        }                                                                                                              \
    }

/* Uses revision 2 with enhanced data: peer-to-peer unless the RTR sets are empty. */
#define ENHANCED(flags_, rtr_, ird_, ord_)                                                                             \
    {                                                                                                                  \
        .revision = 2, .flags = (flags_) | MPA_FLAG_S,                                                                 \
        .enhanced = {.peer_to_peer = (rtr_) != 0, .rtr = (rtr_), .ird = (ird_), .ord = (ord_)}, .ulp_length = 8        \
    }

static const struct conversation_setup setup_rev1 = SETUP(1, MPA_FLAG_C, MPA_FLAG_C);
static const struct conversation_setup setup_rev0 = SETUP(0, MPA_FLAG_M | MPA_FLAG_C, MPA_FLAG_M | MPA_FLAG_C);
static const struct conversation_setup setup_rev2 = {
    .wish = {ENHANCED(MPA_FLAG_C, 0, 16, 8), ENHANCED(MPA_FLAG_C, 0, 8, 16)}};

#endif
