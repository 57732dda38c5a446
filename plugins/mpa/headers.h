/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP and IP headers, which the TCP dissector does not pass on: of segments with and without payload, the options of
 * SYNs, FIN and RST. For each segment Wireshark asks the table "ip.proto" who dissects it; here that is a function that
 * reads the header, has the TCP dissector do its work, and then says that it is done.
 */
#ifndef IWARP_PLUGINS_MPA_HEADERS_H
#define IWARP_PLUGINS_MPA_HEADERS_H

#include "plugins/common/compat.h"

#include "engine/packet/addressed.h"

struct mpa_header {
    struct tcp_segment segment; /* without side; its payload is valid during the call */
    uint16_t port[2];           /* of its sender, and of its receiver */
    bool taken;                 /* the TCP dissector passed octets to us in this frame */
};

/* The header of the segment that is being dissected; NULL: it did not come this way. */
struct mpa_header *mpa_tcp_header(const packet_info *pinfo);

/* The first pass: the time of the latest packet, without the jumps of clocks (engine/packet/steady_clock.h). */
int64_t mpa_headers_time(const packet_info *pinfo);
/* The time of the latest TCP segment of the file; 0: none came this way. */
int64_t mpa_headers_end(void);

/* Called after the TCP dissector, for each segment, on every pass. */
typedef void (*mpa_after_tcp)(const struct mpa_header *header, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

void mpa_headers_register(mpa_after_tcp after);
void mpa_headers_handoff(void);
/* A file was opened. */
void mpa_headers_forget(void);

#endif
