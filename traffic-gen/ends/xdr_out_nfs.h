/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of NFS by the templates of traffic-gen/say/nfs_messages.h, as part of an XDR stream. */
#ifndef IWARP_TRAFFIC_ENDS_XDR_OUT_NFS_H
#define IWARP_TRAFFIC_ENDS_XDR_OUT_NFS_H

#include "traffic-gen/ends/xdr_out.h"
#include "traffic-gen/say/nfs_messages.h"

/* Appends the arguments of a procedure. False: a word of options->ops could not be understood. */
bool xdr_out_nfs(struct xdr_out *out, const struct nfs_template *procedure, const struct nfs_options *options);

#endif
