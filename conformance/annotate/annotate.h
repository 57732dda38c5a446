/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --annotate: copies the capture with each finding as a comment of its packet, and the verdict as a comment of the
 * section.
 */
#ifndef IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_H
#define IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_H

#include "conformance/model/report.h"

/*
 * Copies the only capture of a concluded report, read again from the file `in`, to `out`. The copy is written next to
 * `out`, and replaces `out` only when it is complete. False and *error if this failed. A capture that ends inside a
 * record is copied up to the record. A compressed capture is decompressed; the copy is not compressed.
 */
bool annotate_write(const struct report *report, const char *in, const char *out, GError **error);

#endif
