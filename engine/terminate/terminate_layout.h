/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Terminates whose control word is not laid out as in RFC 5040 Figures 7 and 8: bit fields filled from the wrong end,
 * or the word in the wrong order of octets. As written, such a word reports nothing, and every field of it looks wrong;
 * as it was meant, it fits the octets after it. One mistake must be one finding.
 */
#ifndef IWARP_ENGINE_TERMINATE_TERMINATE_LAYOUT_H
#define IWARP_ENGINE_TERMINATE_TERMINATE_LAYOUT_H

#include "engine/terminate/terminate_hosts.h"
#include "wire/rdmap_terminate.h"

/*
 * p[0..n) is the payload of a Terminate, *terminate and *status what rdmap_terminate_decode() made of it. Returns NULL
 * when the control word is laid out right, or when nothing proves another reading; else *terminate and *status become
 * what the sender meant, and the text says how the word is laid out.
 *
 * host (NULL: nothing is remembered): a word with headers after it proves the layout of its host, and a word alone is
 * then read in the same way. Failing that, a word alone is read differently only when it is undefined as written, and
 * otherwise says that a CRC or a Marker was wrong.
 */
const char *rdmap_terminate_reread(struct rdmap_terminate *terminate, enum rdmap_terminate_status *status,
                                   const uint8_t *p, size_t n, const struct terminate_host *host);

/* From here on the host is known to have that layout (a text of rdmap_terminate_reread(); NULL: nothing happens). */
void rdmap_terminate_assume(const char *layout, const struct terminate_host *host);

/*
 * What a Terminate with these fields means, read by the letter, when its sender is known to have that layout (a text of
 * rdmap_terminate_reread()); only layer, etype and code of *out are set. False when that layout has moved more than
 * these fields, or what comes out is not defined.
 */
bool rdmap_terminate_meant(const char *layout, unsigned layer, unsigned etype, unsigned code,
                           struct rdmap_terminate *out);

/* Layer, EType and Error Code are defined by RFC 5040, RFC 5041, RFC 5044 or RFC 6581. */
bool rdmap_terminate_defined(const struct rdmap_terminate *terminate);

#endif
