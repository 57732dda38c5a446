/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tunnels: from an outer packet to its inner packet, and the names of tunnels that are not decoded. */
#ifndef IWARP_ENGINE_PACKET_DECAP_TUNNEL_H
#define IWARP_ENGINE_PACKET_DECAP_TUNNEL_H

#include "engine/packet/decap_link.h"

/* Whether this field of the outer packet names a decoded tunnel. The packet may still be something else. */
bool tunnel_is_read(uint8_t protocol);

/*
 * Remove the header of a tunnel, and the link-layer header inside. LINK_OTHER: another header, or undecodable contents.
 * *network changes if the header names a network whose addresses may exist in other networks, too (VXLAN, Geneve, the
 * key of GRE).
 */
enum link_payload tunnel_in_ip(uint8_t protocol, struct slice *slice, uint32_t *network);
enum link_payload tunnel_in_udp(uint16_t destination_port, struct slice *slice, uint32_t *network);
/* The number in the header of VXLAN and Geneve names the network, whatever the addresses of the tunnel are. */
bool tunnel_has_number(uint16_t destination_port);
/* slice: from the label stack on. */
enum link_payload tunnel_in_mpls(struct slice *slice);

/* Tunnels that are not decoded: index of a name, and the name; -1: no tunnel has this number. */
enum tunnel_field { TUNNEL_ETHERTYPE, TUNNEL_IP_PROTOCOL, TUNNEL_UDP_PORT };
int tunnel_named(enum tunnel_field field, unsigned number);
enum { TUNNELS_NAMED = 19 };
/* "Teredo (UDP port 3544)" */
const char *tunnel_name(unsigned index);

#endif
