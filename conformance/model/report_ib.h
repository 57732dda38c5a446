/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about a RoCE or InfiniBand connection below the upper layer, for reports. They are not judged. */
#ifndef IWARP_CONFORMANCE_MODEL_REPORT_IB_H
#define IWARP_CONFORMANCE_MODEL_REPORT_IB_H

#include "engine/ib/ib_connections.h"
#include "engine/packet/decap.h"

#include <glib.h>

/* ICRCs in the packets of a connection. */
struct icrc_counts {
    uint64_t right, wrong, unknown; /* unknown: cut by the snap length */
    uint64_t taken[2];              /* of the wrong ICRCs: accepted, because the sender's ICRC is ignored; by side */
    uint32_t first_wrong;           /* frame; 0: none */
};

/* Pairs are ordered by role: the initiator's, the responder's. */
struct report_ib {
    enum ib_below below; /* the transport below */
    bool qp_known[2];
    uint32_t qp[2]; /* unknown for a tap, which invents them; likewise the path MTU */
    unsigned mtu;   /* path MTU; 0: not known */
    bool request_seen, reply_seen;
    uint8_t ird[2], ord[2]; /* as announced; valid with request_seen, reply_seen */
    bool rejected;
    uint16_t reject_reason;
    uint64_t retransmitted[2], repeated_responses[2], holes[2], rnr_naks[2], naks[2][5];
    struct icrc_counts icrc; /* accepted: by role */
};

/* "roce2", "roce1", "infiniband", "tap" */
const char *report_ib_transport_name(enum ib_below below);
/* The facts known so far. initiator: a side. */
struct report_ib *report_ib_new(const struct ib_connection *connection, unsigned initiator, enum ib_below below,
                                const struct icrc_counts *icrc);
/* "RoCE v2, queue pairs 0x12 and 0x11, path MTU 1024, IRD 4 and 16, ORD 4 and 16". Free with g_free(). */
gchar *report_ib_terms_text(const struct report_ib *ib);
/* "retransmitted 3 and 0 packets, 2 NAKs (PSN sequence error), ICRC right"; NULL: nothing to report. */
gchar *report_ib_trouble_text(const struct report_ib *ib);

/* An address and a port as an endpoint; link addresses (LID) have ip 0. */
struct endpoint report_ib_endpoint(const struct ib_address *address, uint16_t port);

#endif
