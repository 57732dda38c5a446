/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NFS ends in memory against each other. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_NFS_ENDS_H
#define IWARP_TESTS_UNIT_SUPPORT_NFS_ENDS_H

#include "traffic-gen/ends/nfs/nfs_end.h"
#include "traffic-gen/ends/stack/pair.h"

/* As that side of the pair. */
void nfs_ends_attach(struct pair *pair, unsigned side, struct nfs_end *end);

#endif
