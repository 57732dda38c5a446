// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of the stack on the talker's TCP connection; the watcher sees every octet, too. */
#include "traffic-gen/tester/suite/rpc/rpc_port.h"

#include "traffic-gen/tester/suite/talk/talk_port.h"

#include <string.h>

enum { READS = 16, READS_MAX = 256 };

/* ---- the transport ---- */

/* The end has copied the stream, so this context stays when another talker uses the connection. */
struct socket_line {
    struct rpc_talker *talker;
    struct stream stream;
};

static void socket_handed_over(struct rpc_talker *talker)
{
    struct socket_line *line = talker->line.state;

    line->talker = talker;
}

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    struct rpc_talker *talker = ((struct socket_line *)ctx)->talker;

    talk_write_of_end(talker->talk, p, n, talker->open);
}

static size_t socket_on_room(void *ctx)
{
    (void)ctx;
    return SIZE_MAX; /* talk_write() waits */
}

static void socket_on_close(void *ctx, bool reset)
{
    struct rpc_talker *talker = ((struct socket_line *)ctx)->talker;

    if (reset)
        talk_reset(talker->talk);
    else
        talk_finish(talker->talk);
}

static int64_t on_now(void *ctx)
{
    (void)ctx;
    return talk_now();
}

/* ---- start-up ---- */

/*
 * As Initiator: the start-up that the device accepts. As Responder: what the device asks for, plus Reads of our own
 * even if its Request has ORD 0, as from some clients.
 */
static struct mpa_enhanced our_reads(const struct talk *talk)
{
    const struct startup_terms *terms = &talk_job(talk)->run->terms;
    const struct startup_given *given = &talk_job(talk)->run->given;
    const struct mpa_startup *request = talk_is_initiator(talk) ? NULL : talk_frame(talk, false);
    struct mpa_enhanced reads = {.ird = READS, .ord = READS};

    if (talk_is_initiator(talk))
        return terms->enhanced ? terms->data : reads;
    if (request && request->has_enhanced)
        reads.ird = CLAMP(request->enhanced.ord, READS, READS_MAX);
    if (given->fields & STARTUP_IRD)
        reads.ird = given->terms.data.ird;
    if (given->fields & STARTUP_ORD)
        reads.ord = given->terms.data.ord;
    return reads;
}

static void socket_make_end(struct rpc_talker *talker, const struct talker_wish *wish, bool crc)
{
    struct talk *talk = talker->talk;
    const struct startup_terms *terms = &talk_job(talk)->run->terms;
    const struct mpa_enhanced reads = our_reads(talk);
    const struct qp_options options = {
        .mpa = {.role = talk_is_initiator(talk) ? MPA_END_INITIATOR : MPA_END_RESPONDER,
                .revision = talk_is_initiator(talk) ? MAX(terms->revision, 1) : 2,
                .crc = crc,
                .markers = terms->markers,
                .enhanced = terms->enhanced,
                .enhanced_data = reads},
        .ird = MAX(READS, reads.ird),
        .ord = READS,
    };
    struct socket_line *line = g_new0(struct socket_line, 1);

    line->talker = talker;
    line->stream = (struct stream){
        .ctx = line, .write = on_write, .room = socket_on_room, .close = socket_on_close, .now = on_now, .mss = 1460};
    talker->line.state = line;
    rpc_talker_make_end(talker, wish, &options, &line->stream);
}

static bool hear_frame(struct rpc_talker *talker)
{
    struct talk *talk = talker->talk;
    const struct mpa_startup *theirs = talk_hear_frame(talk);

    if (!theirs || (theirs->kind == MPA_REPLY && theirs->flags & MPA_FLAG_R))
        talk_note_refusal(talk, false);
    if (!theirs)
        talk_inconclusive(talk, "expected a start-up frame; found %s", talk_found(talk));
    else if (theirs->kind == MPA_REPLY && theirs->flags & MPA_FLAG_R)
        talk_inconclusive(talk, "the start-up was rejected: %s", talk_found(talk));
    else
        return true;
    return false;
}

static void socket_take_frame(struct rpc_talker *talker)
{
    uint8_t frame[TALK_FRAME_ROOM];
    const size_t n = talk_frame_octets(talker->talk, false, frame);

    qp_receive(rpc_end_qp(talker->end), frame, n);
    talker->open = true;
}

static bool start_as_client(struct rpc_talker *talker, const struct talker_wish *wish)
{
    struct talk *talk = talker->talk;

    socket_make_end(talker, wish, !talk_job(talk)->run->terms.no_crc);
    qp_start(rpc_end_qp(talker->end));
    if (!hear_frame(talker))
        return false;
    talk_begin_operation(talk);
    if (talk_settle_time(talk) > 0)
        talk_sleep(talk, talk_settle_time(talk));
    socket_take_frame(talker);
    return true;
}

/* Some clients refuse a Reply with C = 1 when their Request had C = 0. */
static bool start_as_server(struct rpc_talker *talker, const struct talker_wish *wish)
{
    struct talk *talk = talker->talk;
    bool heard = hear_frame(talker);

    socket_make_end(talker, wish, heard && talk_frame(talk, false)->flags & MPA_FLAG_C);
    if (!heard)
        return false;
    qp_start(rpc_end_qp(talker->end));
    socket_take_frame(talker);
    talk_begin_operation(talk);
    return true;
}

static bool socket_open(struct rpc_talker *talker, const struct talker_wish *wish)
{
    return talk_open(talker->talk) &&
           (talk_is_initiator(talker->talk) ? start_as_client(talker, wish) : start_as_server(talker, wish));
}

/* ---- receiving ---- */

static void socket_feed(struct rpc_talker *talker, const struct talk_heard *heard)
{
    /* The octets move when more arrive. */
    g_autofree uint8_t *octets = g_memdup2(heard->octets, heard->n);

    qp_receive(rpc_end_qp(talker->end), octets, heard->n);
}

static enum rpc_port_event socket_hear(struct rpc_talker *talker, int64_t ns)
{
    const struct talk_heard *heard = talk_hear(talker->talk, ns);

    switch (heard->what) {
    case TALK_FIN:
        if (!talker->fed_end)
            qp_receive_fin(rpc_end_qp(talker->end));
        return RPC_PORT_CLOSED;
    case TALK_RESET:
        if (!talker->fed_end)
            qp_receive_reset(rpc_end_qp(talker->end));
        return RPC_PORT_BROKEN;
    case TALK_SILENCE:
        return RPC_PORT_SILENCE;
    default:
        socket_feed(talker, heard);
        return RPC_PORT_HEARD;
    }
}

const struct rpc_port rpc_port_socket = {.open = socket_open, .hear = socket_hear, .handed_over = socket_handed_over};
