/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminates whose control word is not laid out as in RFC 5040 Figures 7 and 8: bit fields filled from the wrong end,
 * or the octets of the word in the wrong order. Read as written, such a word makes no sense, and all its fields look
 * wrong; read as intended, it fits the octets after it. One mistake must be one finding.
 */
#ifndef IWARP_ENGINE_TERMINATE_TERMINATE_LAYOUT_H
#define IWARP_ENGINE_TERMINATE_TERMINATE_LAYOUT_H

#include "engine/terminate/terminate_hosts.h"
#include "wire/rdmap_terminate.h"

/*
 * p[0..n) is the payload of a Terminate, *terminate and *status the result of rdmap_terminate_decode(). Returns NULL
 * when the control word is laid out right, or when nothing proves another reading; otherwise *terminate and *status
 * become what the sender intended, and the text describes the layout.
 *
 * host (NULL: nothing is remembered): a word with headers after it proves the layout of its host, and a word alone is
 * then read in the same way. Without such proof, a word alone is read differently only if it is undefined as written,
 * and otherwise reports a wrong CRC or Marker.
 */
const char *rdmap_terminate_reread(struct rdmap_terminate *terminate, enum rdmap_terminate_status *status,
                                   const uint8_t *p, size_t n, const struct terminate_host *host);

/* From here on the host is known to have that layout (a text from rdmap_terminate_reread(); NULL: no effect). */
void rdmap_terminate_assume(const char *layout, const struct terminate_host *host);

/*
 * What a Terminate that literally has these fields means, when its sender is known to have that layout (a text from
 * rdmap_terminate_reread()); only layer, etype and code of *out are set. False when that layout moves other fields,
 * too, or when the result is undefined.
 */
bool rdmap_terminate_meant(const char *layout, unsigned layer, unsigned etype, unsigned code,
                           struct rdmap_terminate *out);

/* Layer, EType and Error Code are defined by RFC 5040, RFC 5041, RFC 5044 or RFC 6581. */
bool rdmap_terminate_defined(const struct rdmap_terminate *terminate);

#endif
