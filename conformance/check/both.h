/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --both: compares the captures of a client and of a server, packet by packet. */
#ifndef IWARP_CONFORMANCE_CHECK_BOTH_H
#define IWARP_CONFORMANCE_CHECK_BOTH_H

#include "conformance/input/capture.h"
#include "conformance/model/between.h"

/* Reads both files to their ends. NULL with the error set: a file cannot be opened. Free it with between_free(). */
struct between *both_compare(char *const files[BETWEEN_ENDS], struct capture_error *error);

#endif
