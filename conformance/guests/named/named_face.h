/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The face of upper layers that are recognised and counted, but have no rules (engine/rdma/ulp_named.h). */
#ifndef IWARP_CONFORMANCE_GUESTS_NAMED_NAMED_FACE_H
#define IWARP_CONFORMANCE_GUESTS_NAMED_NAMED_FACE_H

#include "conformance/model/guest.h"

extern const struct guest_face named_face;

#endif
