/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between the Wireshark versions that the plugins support (4.0, 4.2, 4.4, 4.6). Names are those of the
 * newest version, if it has one.
 */
#ifndef IWARP_PLUGINS_COMMON_COMPAT_H
#define IWARP_PLUGINS_COMMON_COMPAT_H

#include <epan/packet.h>
#include <ws_version.h>

#include <stdbool.h>

#define IWARP_WS_AT_LEAST(major, minor)                                                                                \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* The type of boolean preferences, and of the values that heuristic dissectors and wmem callbacks return: gboolean
 * (int) up to 4.2, then bool. */
#if IWARP_WS_AT_LEAST(4, 4)
typedef bool compat_bool;
#else
typedef gboolean compat_bool;
#endif

/* val_to_str() takes an allocator since 4.6. */
#if IWARP_WS_AT_LEAST(4, 6)
#define compat_val_to_str(pool, value, strings, format) val_to_str((pool), (value), (strings), (format))
#else
#define compat_val_to_str(pool, value, strings, format) val_to_str((value), (strings), (format))
#endif

#if !IWARP_WS_AT_LEAST(4, 4)
#define tvb_get_uint8 tvb_get_guint8
#endif

/* Renamed with 4.6. */
#if IWARP_WS_AT_LEAST(4, 6)
#define compat_dissector_try_uint dissector_try_uint_with_data
#else
#define compat_dissector_try_uint dissector_try_uint_new
#endif

/* Whether addresses and ports alone identify a TCP conversation. Since 4.2 a preference adds the interface or VLAN. */
#if IWARP_WS_AT_LEAST(4, 2)
#include <epan/prefs.h>
#define compat_ports_identify_conversation() (prefs.conversation_deinterlacing_key == 0)
#else
#define compat_ports_identify_conversation() true
#endif

/* Since 4.4 true_false_string and its stock values have their own header, which no other header includes. */
#if IWARP_WS_AT_LEAST(4, 4)
#include <epan/tfs.h>
#endif

/* Since 4.2 takes the number of streams, and a function that finds a part of a stream ("sub-stream"). */
#if IWARP_WS_AT_LEAST(4, 2)
#define compat_register_follow_stream(protocol, tap, of_packet, of_stream, of_addresses, port, handler, count, part)   \
    register_follow_stream((protocol), (tap), (of_packet), (of_stream), (of_addresses), (port), (handler), (count),    \
                           (part))
#else
#define compat_register_follow_stream(protocol, tap, of_packet, of_stream, of_addresses, port, handler, count, part)   \
    ((void)(count), (void)(part),                                                                                      \
     register_follow_stream((protocol), (tap), (of_packet), (of_stream), (of_addresses), (port), (handler)))
#endif

/* Since 4.4 conversation filters carry data of the dissector that registers them. */
#if IWARP_WS_AT_LEAST(4, 4)
#define COMPAT_OF_PACKET packet_info *pinfo, void *data G_GNUC_UNUSED
#define compat_register_conversation_filter(protocol, name, is_valid, build)                                           \
    register_conversation_filter((protocol), (name), (is_valid), (build), NULL)
#else
#define COMPAT_OF_PACKET                    packet_info *pinfo
#define compat_register_conversation_filter register_conversation_filter
#endif

#endif
