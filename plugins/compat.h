/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between the Wireshark versions that the plugins support (4.0, 4.2, 4.4, 4.6), in one place.
 * The names here are those of the newest version where one exists.
 */
#ifndef IWARP_PLUGINS_COMPAT_H
#define IWARP_PLUGINS_COMPAT_H

#include <epan/packet.h>
#include <ws_version.h>

#include <stdbool.h>

#define IWARP_WS_AT_LEAST(major, minor)                                                                                \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* What a heuristic dissector returns and what a boolean preference is: gboolean (int) until 4.2, then bool. */
#if IWARP_WS_AT_LEAST(4, 4)
typedef bool compat_bool;
#else
typedef gboolean compat_bool;
#endif

/* The user callbacks of wmem changed with 4.4. */
typedef compat_bool compat_wmem_result;

/* val_to_str() takes an allocator since 4.6. */
#if IWARP_WS_AT_LEAST(4, 6)
#define compat_val_to_str(pool, value, strings, format) val_to_str((pool), (value), (strings), (format))
#else
#define compat_val_to_str(pool, value, strings, format) val_to_str((value), (strings), (format))
#endif

/* "5 octets" after a number: macros since 3.x, their home moved with 4.4. */
#if IWARP_WS_AT_LEAST(4, 4)
#include <epan/tfs.h>
#include <epan/unit_strings.h>
#endif

#if IWARP_WS_AT_LEAST(4, 2)
#define COMPAT_DEFERRED_SET(flags) (flags)
#endif

#endif
