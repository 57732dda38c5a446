/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For <libxml/encoding.h>, which only needs the names. */
#ifndef IWARP_WEB_UNICODE_UCNV_H
#define IWARP_WEB_UNICODE_UCNV_H

#include <stdint.h>

typedef struct UConverter UConverter;
typedef uint16_t UChar;

#endif
