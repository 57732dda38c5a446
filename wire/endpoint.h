/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One end of a TCP connection or UDP exchange: IP address and port. */
#ifndef IWARP_WIRE_ENDPOINT_H
#define IWARP_WIRE_ENDPOINT_H

#include <stdint.h>

struct endpoint {
    uint8_t ip;          /* 4 or 6 */
    uint8_t address[16]; /* network order; IPv4 uses the first four octets, the rest is zero */
    uint16_t port;
    uint32_t network; /* 0: the capture's own network; otherwise a network inside a tunnel, which may use the same
                         addresses */
};

#endif
