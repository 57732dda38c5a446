/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Enhanced start-ups, for all files of suite mpa2. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_MPA2_H
#define IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_MPA2_H

#include "traffic-gen/tester/suite/cases/suite_rows.h"

enum { READS = 16, ALL_RTR = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ };

#define ENHANCED            .revision = 2, .enhanced = true
#define CLIENT_SERVER       ENHANCED, .data = {.ird = READS, .ord = READS}
#define PEER_TO_PEER(types) ENHANCED, .data = {.peer_to_peer = true, .rtr = (types), .ird = READS, .ord = READS}

/* How our Reply contradicts the device's Request. */
enum bad_reply { BAD_NOTHING, BAD_ORD, BAD_RTR, BAD_MODEL };
/* The words that make our frame contradict the Request; the caller frees them. NULL: no Reply can; verdict is set. */
char *mpa2_bad_reply(struct talk *talk, enum bad_reply bad, const struct mpa_enhanced *request);

#endif
