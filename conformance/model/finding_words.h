/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A finding's message, "expected ...; found ...", in its two halves: reports begin with what was found. */
#ifndef IWARP_CONFORMANCE_MODEL_FINDING_WORDS_H
#define IWARP_CONFORMANCE_MODEL_FINDING_WORDS_H

#include <glib.h>

/* What was found, within the message; a message of another form as a whole. */
const char *finding_found(const char *message);
/* What was expected; NULL for a message of another form. g_free() it. */
gchar *finding_expected(const char *message);

#endif
