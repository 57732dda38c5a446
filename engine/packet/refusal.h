/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a packet does not count: its receiver does not accept it. */
#ifndef IWARP_ENGINE_PACKET_REFUSAL_H
#define IWARP_ENGINE_PACKET_REFUSAL_H

enum packet_refusal {
    REFUSED_CHECKSUM, /* of TCP or of the IPv4 header, or an IP datagram that is not whole; not the ICRC */
    REFUSED_FLAGS,    /* TCP: no ACK flag; only a SYN or a reset may lack it */
    REFUSED_ACK,      /* acknowledges what was never sent, or what is long past */
    REFUSED_WINDOW,   /* beyond the window that the receiver advertised */
    REFUSED_STAMP,    /* TCP: an old timestamp (RFC 7323 section 5) */
    REFUSED_VERSION,  /* InfiniBand: TVer is not 0 */
    REFUSED_PKEY,     /* InfiniBand: the P_Key of another partition */
    REFUSALS,
    ACCEPTED = REFUSALS,
    DOUBTFUL, /* only later packets decide: engine/packet/dispute.h */
};

#endif
