/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IWARP_TARGET_ROLES_H
#define IWARP_TARGET_ROLES_H

#include "lab/target/options.h"

/* Each role runs until a signal (true), or until it cannot continue (false; the reason was printed). */
bool responder_run(const struct target_options *options);
bool initiator_run(const struct target_options *options); /* also true when --patience has run out */

#endif
