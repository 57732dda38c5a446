/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splits a finding's message, "expected ...; found ...", into its halves: reports begin with what was found. */
#ifndef IWARP_CONFORMANCE_MODEL_FINDING_WORDS_H
#define IWARP_CONFORMANCE_MODEL_FINDING_WORDS_H

#include <glib.h>

/* The "found" half, a part of the message; the whole message if it has another form. */
const char *finding_found(const char *message);
/* The "expected" half; NULL if the message has another form. g_free() it. */
gchar *finding_expected(const char *message);

#endif
