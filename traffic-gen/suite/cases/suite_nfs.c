// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite nfs: what the upper-layer binding (RFC 8267) demands from an NFSv4 server. Symbolic links are created and read
 * with each minor version: their text is DDP-eligible in both directions, and they need no open state. 16 segments are
 * what a server must accept (section 6.4.2); the lengths differ between stimuli.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

enum { ANSWERS = RPC_ANSWER_SUCCESS | RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK };

static const struct suite_case tests[] = {
#include "suite_nfs.inc"
};

const struct suite suite_nfs = {"nfs", tests, G_N_ELEMENTS(tests)};
