/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way to the wire: a packet socket on a network interface (packet(7)), or the other end of a TAP device. A packet
 * socket sends through the interface, so the device must be another machine, or in another network namespace; a TAP
 * device sends to this machine's kernel. If a virtual machine holds the TAP device, a packet socket is used, and frames
 * reach the guest.
 */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_LINK_H
#define IWARP_TRAFFIC_LIVE_WIRE_LINK_H

#include "traffic-gen/live/wire/packet.h"

enum { WIRE_FRAME_ROOM = 65536 + 64 };

struct wire_link {
    int fd; /* non-blocking, for polling */
    unsigned mtu;
    bool is_tap;
};

/* Receives frames to that MAC address and to groups. False with *why, which the caller frees. */
bool wire_link_open(const char *interface, const uint8_t mac[WIRE_MAC], struct wire_link *out, char **why);
void wire_link_close(struct wire_link *link);
/* Frames that cannot be sent are lost, as on any wire. */
void wire_link_send(const struct wire_link *link, const uint8_t *frame, size_t n);
/* Octets of the next frame; 0: none. *sums_due: wire_packet_parse(). */
size_t wire_link_receive(const struct wire_link *link, uint8_t frame[WIRE_FRAME_ROOM], bool *sums_due);

#endif
