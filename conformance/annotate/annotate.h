/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --annotate: the capture again, each finding as a comment of its packet, the verdict as the section's. */
#ifndef IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_H
#define IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_H

#include "conformance/model/report.h"

/*
 * Writes the only capture of a concluded report, read again from the file `in`, to `out`: completely or not at all: it
 * is written next to `out` and takes its place when it is complete. False and *error when that failed. A capture that
 * ends inside a record is copied up to there. What is compressed is decompressed; the copy is not compressed.
 */
bool annotate_write(const struct report *report, const char *in, const char *out, GError **error);

#endif
