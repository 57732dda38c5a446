/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of the help that name the judged upper layer. */
#ifndef IWARP_CONFORMANCE_GUESTS_WORDS_GUEST_WORDS_H
#define IWARP_CONFORMANCE_GUESTS_WORDS_GUEST_WORDS_H

#define HELP_ULP     "NFS/RDMA"
#define HELP_MESSAGE "RPC-over-RDMA message"
#define HELP_LAYER   "nfs"

#endif
