/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For <pcap/pcap.h>, which only needs the name. */
#ifndef IWARP_WEB_NETDB_H
#define IWARP_WEB_NETDB_H

struct addrinfo;

#endif
