/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The face of RPC-over-RDMA, and of NFS over it, for checker and reports. */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_FACE_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_FACE_H

#include "conformance/model/guest.h"

extern const struct guest_face rpcrdma_face;

#endif
