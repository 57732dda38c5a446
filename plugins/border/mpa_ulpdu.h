/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the mpa plugin passes to the next layer with the ULPDU: the `data` of a dissector in the table "mpa.ulpdu".
 *
 * The table is keyed by the MPA revision in effect (0, 1, 2; 1 if the start of the connection is missing), because the
 * revision determines the versions of DDP and RDMAP (RFC 5044 Appendix C). The plugins find each other only by this
 * table, so this header is all that they share; `size` distinguishes layouts of the structures.
 */
#ifndef IWARP_PLUGINS_BORDER_MPA_ULPDU_H
#define IWARP_PLUGINS_BORDER_MPA_ULPDU_H

#include "plugins/common/compat.h"

#include "engine/stack/stack.h"

#define MPA_ULPDU_TABLE "mpa.ulpdu"

struct mpa_ulpdu;

/*
 * The single layer above registers a dissector with this name. It is called once for each MPA connection, on the first
 * pass, with a struct mpa_listener as its data. It sets begin() and the functions that draw, keeps nothing (because a
 * hostile capture can contain any number of connections), and returns 0. begin() is called before the first event that
 * only occurs with RDMA. From then on the listener receives the events of the engine's MPA layer as they occur.
 */
#define MPA_LISTENER_DISSECTOR "mpa.listener"

struct mpa_listener {
    uint32_t size;                 /* sizeof(struct mpa_listener) of the mpa plugin */
    uint32_t connection;           /* as in struct mpa_ulpdu */
    uint32_t tcp_stream;           /* the stream number in Wireshark */
    int64_t start_ns;              /* time of the first packet */
    uint16_t port[2];              /* TCP ports of the sides */
    struct terminate_host host[2]; /* of both sides: see struct stack_setup */
    bool payload_only;             /* see engine/mpa/mpa.h */
    /* Set by the listener: called at most once, with all members above set; sets the members below, up to ctx. */
    void (*begin)(struct mpa_listener *listener);
    struct stack_entrance entrance;
    /* The connection is over, and entrance.finish() was called: state for the first pass can be freed. May be NULL. */
    void (*over)(void *ctx);
    /* Current memory of the listener and the layers above it, in octets. May be NULL. */
    size_t (*octets)(const void *ctx);
    void *ctx; /* of over() and octets() */
    /*
     * Called for each TCP segment, with or without payload, on every pass, once the whole segment was dissected: draws
     * findings of the listener at that frame which could not be shown with a ULPDU. May be NULL.
     */
    void (*after_segment)(uint32_t connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
    /*
     * If no tree is wanted, mpa first offers a ULPDU without faults, octets[0..n), to this function, provided that the
     * table has that handle. The function either does all the work, mostly in the Info column, or does nothing and
     * returns false. Calling a dissector costs more. May be NULL.
     */
    bool (*brief)(packet_info *pinfo, const struct mpa_ulpdu *ulpdu, const uint8_t *octets, size_t n);
    dissector_handle_t handle;
};

/*
 * The heuristic list of dissectors for private data. Called for each start-up frame, on every pass, with a struct
 * mpa_private_data as the data, until one shows something and returns true; the tvb holds the private data of the upper
 * layer, and may be empty.
 */
#define MPA_STARTUP_LIST "mpa.startups"

struct mpa_private_data {
    uint32_t size;       /* sizeof(struct mpa_private_data) of the mpa plugin */
    uint32_t connection; /* as in struct mpa_ulpdu */
    enum mpa_startup_kind kind;
    struct place place; /* of the start-up frame */
};

struct mpa_ulpdu {
    uint32_t size;       /* sizeof(struct mpa_ulpdu) of the mpa plugin */
    uint32_t connection; /* counts MPA connections of the capture file from 0 */
    struct place place;  /* of the FPDU; place.frame: the frame that completed it */
    enum direction direction;
    uint64_t number; /* earlier FPDUs of this direction */
    enum mpa_crc_verdict crc;
    bool after_resync;                /* FPDUs are missing before this FPDU */
    struct mpa_parameters parameters; /* as negotiated when the FPDU was sent */
};

#endif
