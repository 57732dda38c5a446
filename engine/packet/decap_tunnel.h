/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tunnels: from an outer packet to the one inside it, and the names of those that are not looked into. */
#ifndef IWARP_ENGINE_PACKET_DECAP_TUNNEL_H
#define IWARP_ENGINE_PACKET_DECAP_TUNNEL_H

#include "engine/packet/decap_link.h"

/* A tunnel is looked into that this field of the outer packet names. Not to be sure that it is one. */
bool tunnel_is_read(uint8_t protocol);

/*
 * Take the header of a tunnel off, and the link layer's of what is inside. LINK_OTHER: it is no such header, or nothing
 * is inside that is read. *network changes where the header names a network in which addresses may be those of another
 * one (VXLAN, Geneve).
 */
enum link_payload tunnel_in_ip(uint8_t protocol, struct slice *slice);
enum link_payload tunnel_in_udp(uint16_t destination_port, struct slice *slice, uint32_t *network);
/* slice: from the label stack on. */
enum link_payload tunnel_in_mpls(struct slice *slice);

/* Tunnels that are not looked into: index of a name, and the name; -1: the number is of none. */
enum tunnel_field { TUNNEL_ETHERTYPE, TUNNEL_IP_PROTOCOL, TUNNEL_UDP_PORT };
int tunnel_named(enum tunnel_field field, unsigned number);
enum { TUNNELS_NAMED = 19 };
/* "Teredo (UDP port 3544)" */
const char *tunnel_name(unsigned index);

#endif
