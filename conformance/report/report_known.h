/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Under a FAIL: which of the waiver files that come with iwarp-check explain it. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_KNOWN_H
#define IWARP_CONFORMANCE_REPORT_REPORT_KNOWN_H

#include "conformance/model/report.h"

/* "9 of 12 findings would be waived if the iWARP device is siw of Linux 6.1 (--waivers=linux-6.1-siw)"; NULL: it does
 * not fail, or none explains anything. g_free() it. */
gchar *known_text(const struct report *report);

#endif
