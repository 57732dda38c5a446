/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pcap-filter(7) for the packets of a run, for a capture made beside the run. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_CAPTURE_FILTER_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_CAPTURE_FILTER_H

#include <glib.h>
#include <stdbool.h>

struct capture_filter {
    const char *host, *port; /* of the device, or where the device connects: host "" is every address, port "0" any */
    bool rdma;               /* through an RDMA device: RoCE v2, or the TCP of an RNIC */
};

/* "tcp port 7174 and (host 192.0.2.1 or host 2001:db8::1)": all addresses of the name. NULL: *error is the reason. */
char *capture_filter_text(const struct capture_filter *of, GError **error);

#endif
