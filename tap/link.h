/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recorded connection as packets of RoCE v2, with the marker of wire/tap_mark.h. Invented are: queue pair
 * numbers (even for the client, the next odd number for the server), packet sequence numbers from 0, packets of
 * LINK_MTU octets, Acknowledges, and the fields of connection management other than private data, IRD and ORD. Sides: 0
 * is the client, 1 the server.
 */
#ifndef IWARP_TAP_LINK_H
#define IWARP_TAP_LINK_H

#include "support/frames/capture_file.h"
#include "support/frames/frame.h"
#include "tap/event.h"
#include "wire/ib_cm.h"
#include "wire/tap_mark.h"

enum { LINK_CLIENT, LINK_SERVER, LINK_MTU = 4096 };

struct link {
    uint32_t number; /* of the connection in this capture */
    bool by_client;  /* the host that recorded it is the client */
    struct frame_path path;
    struct tap_mark mark;
    uint32_t psn[2];   /* of the next request, by side */
    uint32_t acked[2]; /* by side: its requests before this PSN have been acknowledged */
    uint32_t mad_psn[2];
    uint16_t ip_id[2];
};

/* Where packets are written; borrowed. */
struct link_output {
    struct capture_file *file;
    uint32_t snap; /* octets of a packet that are written; 0: all */
    uint64_t packets;
    bool failed;
};

/* Starts the connection of the event. False: its addresses are not IP addresses. */
bool link_init(struct link *link, uint32_t number, const struct tap_event *event);

/* Whether the addresses and ports of the event are those of the connection. */
bool link_is_of(const struct link *link, const struct tap_event *event);

/* A message: `length` octets, of which n are known. Returns the PSN of its last packet. */
struct link_message {
    unsigned side; /* the sender */
    const uint8_t *p;
    size_t n, length;
    bool invalidates; /* Send */
    uint32_t handle;  /* of the memory; Send: which it invalidates */
    uint64_t address;
    bool found; /* in the client's memory */
};

uint32_t link_send(struct link_output *out, struct link *link, int64_t time_ns, const struct link_message *message);
void link_write(struct link_output *out, struct link *link, int64_t time_ns, const struct link_message *message);
/* The Read Request; returns its PSN. message->side: the requester. Octets are not used. */
uint32_t link_read(struct link_output *out, struct link *link, int64_t time_ns, const struct link_message *message);
/* Its Response. message->side: the responder. */
void link_read_response(struct link_output *out, struct link *link, int64_t time_ns, uint32_t psn,
                        const struct link_message *message);
/* `side` has received all requests of the other side up to and including this PSN. */
void link_acknowledge(struct link_output *out, struct link *link, int64_t time_ns, unsigned side, uint32_t psn);
/*
 * Connection management: the caller sets attribute, IRD and ORD, private data, reason. `total`: the length of the
 * private data, if not all of them are there. False: some are missing, and the packet is cut before them.
 */
bool link_manage(struct link_output *out, struct link *link, int64_t time_ns, unsigned side, struct ib_cm *cm,
                 size_t total);
/*
 * Up to n messages of the connection are missing, on either side. A reader sees an acknowledged gap in the PSNs, as if
 * a capture had lost the packets.
 */
void link_skip(struct link_output *out, struct link *link, int64_t time_ns, uint32_t n);

#endif
