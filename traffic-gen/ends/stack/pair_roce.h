/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two ends said to each other (traffic-gen/ends/stack/pair.h), played on RoCE: their queue pairs post the same
 * Sends, RDMA Writes and Reads in any framing. Start-up frames become ConnectRequest and ConnectReply with the same
 * private data.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_PAIR_ROCE_H
#define IWARP_TRAFFIC_ENDS_STACK_PAIR_ROCE_H

#include "traffic-gen/ends/stack/pair.h"
#include "traffic-gen/speak/sim/rc.h"

/* Scripts all steps on a connection; side 0 opens it. NULL, or the step that does not exist on RoCE. */
const char *pair_play_roce(const struct pair *pair, struct rc_connection *rc);

#endif
