/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Follow" in Wireshark and -z follow in tshark, for the contents of TCP streams. Streams have the numbers of the TCP
 * streams, so filters and port names are those of Wireshark's own TCP follower.
 */
#ifndef IWARP_PLUGINS_COMMON_FOLLOW_H
#define IWARP_PLUGINS_COMMON_FOLLOW_H

#include "plugins/common/compat.h"

#include <epan/follow.h>

static inline char *follow_filter_of_packet(epan_dissect_t *edt, packet_info *pinfo, unsigned *stream,
                                            unsigned *sub_stream)
{
    return get_follow_conv_func(get_follow_by_name("TCP"))(edt, pinfo, stream, sub_stream);
}

static inline char *follow_filter_of_stream(unsigned stream, unsigned sub_stream)
{
    return get_follow_index_func(get_follow_by_name("TCP"))(stream, sub_stream);
}

static inline char *follow_filter_of_addresses(address *source, address *destination, int source_port,
                                               int destination_port)
{
    return get_follow_address_func(get_follow_by_name("TCP"))(source, destination, source_port, destination_port);
}

static inline char *follow_name_of_port(wmem_allocator_t *pool, unsigned port)
{
    return get_follow_port_to_display(get_follow_by_name("TCP"))(pool, port);
}

#endif
