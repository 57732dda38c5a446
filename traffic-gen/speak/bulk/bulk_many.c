// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many short connections: start-up, four FPDUs (Send, answer, RDMA Read Request and Response), both FINs. Several are
 * under way at any time, their packets interleaved; one in twenty is left open.
 */
#include "traffic-gen/speak/bulk/bulk.h"

#include "traffic-gen/speak/bulk/bulk_stream.h"
#include "wire/rdmap.h"

#include <errno.h>
#include <glib.h>

enum {
    UNDER_WAY = 64,
    LEFT_OPEN_EVERY = 20,
    MANY_PORT = 7174,
    SERVER_HOST = 1,
    FIRST_CLIENT_HOST = 2,
    FIRST_CLIENT_PORT = 1024,
    CLIENT_PORTS = 64000,
    PAYLOAD = 64,
    READ_SIZE = 256,
};

enum turn { TURN_STARTUP, TURN_ASK, TURN_ANSWER, TURN_READ, TURN_RESPONSE, TURN_END, TURNS };

struct many {
    struct capture_file *file;
    const struct bulk_options *options;
    struct bulk_stream *streams; /* UNDER_WAY streams: for the connections from `first` on */
    int64_t now;
    bool failed;
    uint8_t ulpdu[DDP_UNTAGGED_HEADER_LEN + READ_SIZE];
};

static void many_begin(struct many *many, struct bulk_stream *stream, uint64_t number)
{
    struct mpa_startup request = {.kind = MPA_REQUEST, .revision = 1, .flags = many->options->no_crc ? 0 : MPA_FLAG_C};
    struct mpa_startup reply = {
        .kind = MPA_REPLY, .revision = 1, .flags = request.flags | (many->options->markers ? MPA_FLAG_M : 0)};

    bulk_stream_init(stream, many->file, many->options, MANY_PORT);
    stream->path.host[0] = (uint8_t)(FIRST_CLIENT_HOST + number / CLIENT_PORTS);
    stream->path.host[1] = SERVER_HOST;
    stream->path.port[0] = (uint16_t)(FIRST_CLIENT_PORT + number % CLIENT_PORTS);
    stream->isn[0] += (uint32_t)number * 64013;
    stream->isn[1] += (uint32_t)number * 128021;
    stream->now = many->now;
    bulk_stream_startup(stream, &request, &reply);
}

static void many_say(struct many *many, struct bulk_stream *stream, unsigned side, const struct ddp_segment *ddp,
                     size_t payload)
{
    size_t header = ddp_header_encode(ddp, many->ulpdu, sizeof many->ulpdu);

    bulk_stream_ulpdu(stream, side, many->ulpdu, (uint16_t)(header + payload));
}

static void many_fill(uint8_t *p, size_t n, uint64_t number)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(number + i * 31);
}

static void take_turn(struct many *many, struct bulk_stream *stream, uint64_t number, enum turn turn)
{
    struct ddp_segment untagged = {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = 1};
    struct ddp_segment request = {
        .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_REQUEST, .qn = DDP_QN_READ_REQUEST, .msn = 1};
    struct rdmap_read_request read = {.sink_stag = (uint32_t)(number * 2654435761u),
                                      .sink_to = 0,
                                      .size = READ_SIZE,
                                      .source_stag = (uint32_t)(number * 40503u + 77),
                                      .source_to = number * 4096};
    struct ddp_segment response = {
        .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_RESPONSE, .stag = read.sink_stag};

    stream->now = many->now;
    switch (turn) {
    case TURN_STARTUP:
        many_begin(many, stream, number);
        break;
    case TURN_ASK:
    case TURN_ANSWER:
        many_fill(many->ulpdu + DDP_UNTAGGED_HEADER_LEN, PAYLOAD, number);
        many_say(many, stream, turn == TURN_ANSWER, &untagged, PAYLOAD);
        break;
    case TURN_READ:
        rdmap_read_request_encode(&read, many->ulpdu + DDP_UNTAGGED_HEADER_LEN, RDMAP_READ_REQUEST_LEN);
        many_say(many, stream, 0, &request, RDMAP_READ_REQUEST_LEN);
        break;
    case TURN_RESPONSE:
        many_fill(many->ulpdu + DDP_TAGGED_HEADER_LEN, READ_SIZE, number);
        many_say(many, stream, 1, &response, READ_SIZE);
        break;
    case TURN_END:
        if (number % LEFT_OPEN_EVERY == LEFT_OPEN_EVERY - 1)
            bulk_stream_leave(stream);
        else
            bulk_stream_end(stream);
        break;
    case TURNS:
        break;
    }
    many->now = stream->now;
    many->failed |= stream->failed;
}

bool bulk_many_play(struct capture_file *file, const struct bulk_options *options)
{
    struct many many = {.file = file, .options = options, .now = INT64_C(1700000000) * 1000000000};
    uint64_t turns = options->connections + (uint64_t)(UNDER_WAY / TURNS) * (TURNS - 1);

    /* Connection c has its turns at c, c + stride, c + 2 * stride, ..., so that several overlap. */
    many.streams = g_new0(struct bulk_stream, UNDER_WAY);
    for (uint64_t at = 0; at < turns && !many.failed; at++) {
        for (unsigned turn = 0; turn < TURNS && !many.failed; turn++) {
            uint64_t after = (uint64_t)turn * (UNDER_WAY / TURNS);

            if (at >= after && at - after < options->connections)
                take_turn(&many, &many.streams[(at - after) % UNDER_WAY], at - after, (enum turn)turn);
        }
    }

    int error = errno;

    g_free(many.streams);
    errno = error;
    return !many.failed;
}
