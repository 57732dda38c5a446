/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes one connection packet by packet, without a simulation, for large captures. */
#ifndef IWARP_TRAFFIC_SPEAK_BULK_BULK_STREAM_H
#define IWARP_TRAFFIC_SPEAK_BULK_BULK_STREAM_H

#include "support/frames/frame.h"
#include "traffic-gen/speak/bulk/bulk.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"

struct bulk_stream {
    const struct bulk_options *options;
    struct capture_file *file;
    struct frame_path path;
    uint64_t written[2]; /* sequence numbers used, by TCP side; the Initiator is side 0 */
    uint32_t isn[2];
    struct mpa_framing framing[2];
    unsigned not_acked[2]; /* FPDUs since the last ACK */
    int64_t now;
    uint16_t ip_id;
    bool failed; /* writing failed, with errno */
    uint8_t *frame, *fpdu;
};

void bulk_stream_init(struct bulk_stream *stream, struct capture_file *file, const struct bulk_options *options,
                      uint16_t port);
/* Writes TCP's handshake and both start-up frames; the Reply's flags decide about Markers. */
void bulk_stream_startup(struct bulk_stream *stream, const struct mpa_startup *request,
                         const struct mpa_startup *reply);
/* Writes one FPDU in its own segment; the other side acknowledges every second one. */
void bulk_stream_ulpdu(struct bulk_stream *stream, unsigned side, const uint8_t *ulpdu, uint16_t n);
/* Writes both FINs; false with errno set when any write failed. */
bool bulk_stream_end(struct bulk_stream *stream);
/* The same without FINs: the connection stays open. */
bool bulk_stream_leave(struct bulk_stream *stream);

/* Octets in the file for an FPDU, including its part of an ACK. */
uint64_t bulk_stream_cost(unsigned ulpdu);

#endif
