// SPDX-License-Identifier: GPL-2.0-or-later
/* NFS version 3: RFC 1813 section 3. */
#include "traffic-gen/stack/nfs_server_internal.h"

static const nfs_serve procedures[] = {nfs_serve_null};

const struct nfs_version nfs_v3 = {NFS_PROGRAM, 3, G_N_ELEMENTS(procedures), procedures};
