/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers of TCP and IP, which the TCP dissector does not pass on. They include those of segments without payload, the
 * options of SYNs, FIN and RST. Wireshark looks up the dissector of each segment in the table "ip.proto"; there it
 * finds a function that reads the header, calls the TCP dissector, and then calls mpa_after_tcp.
 */
#ifndef IWARP_PLUGINS_MPA_HEADERS_H
#define IWARP_PLUGINS_MPA_HEADERS_H

#include "plugins/common/compat.h"

#include "engine/packet/addressed.h"

struct mpa_header {
    struct tcp_segment segment; /* without side; its payload is valid during the call */
    uint16_t port[2];           /* of the sender and of the receiver */
    bool taken;                 /* the TCP dissector passed octets to us in this frame */
};

/* The header of the segment that is being dissected; NULL: the segment did not come this way. */
struct mpa_header *mpa_tcp_header(const packet_info *pinfo);

/* First pass: the time of the latest packet, without jumps of the clock (engine/packet/steady_clock.h). */
int64_t mpa_headers_time(const packet_info *pinfo);
/* The time of the latest TCP segment of the file; 0: no segment came this way. */
int64_t mpa_headers_end(void);

/* Called after the TCP dissector, for each segment, on every pass. */
typedef void (*mpa_after_tcp)(const struct mpa_header *header, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

void mpa_headers_register(mpa_after_tcp after);
void mpa_headers_handoff(void);
/* A file was opened. */
void mpa_headers_forget(void);

#endif
