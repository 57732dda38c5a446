// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/named/named_face.h"
#include "conformance/guests/rpcrdma/rpcrdma_face.h"
#include "conformance/guests/rpcrdma/rpcrdma_stats.h"

const struct guest_face *const guest_faces[] = {
    &rpcrdma_face,
    &named_face, /* guests without a face of their own */
    NULL,
};

const struct stat_guest *const stat_guest = &rpcrdma_stat_guest;
