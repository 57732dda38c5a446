// SPDX-License-Identifier: GPL-2.0-or-later
/* The talker's start-up: Request and Reply as the case wants them, and the terms of both. */
#include "traffic-gen/tester/suite/talk/talk_internal.h"
#include "wire/rpcrdma_private_data.h"

#include <string.h>

enum { RECEIVES_DEFAULT = 64, RECEIVE_SIZE_DEFAULT = 4096, RPC_INLINE = 4096, FEW_PIECES = 4, LATE_PART = 10 };

static const struct talk_wish no_wish;
static const int64_t greeting_pause = 40 * INT64_C(1000000);
static const int64_t late_pause = INT64_C(1000000000);
static const int64_t piece_pause = 30 * INT64_C(1000000), many_pieces_pause = INT64_C(1000000);

bool talk_is_initiator(const struct talk *talk)
{
    return talk->job.run->dut == DUT_RESPONDER;
}

const struct mpa_startup *talk_frame(const struct talk *talk, bool ours)
{
    enum watch_side side = ours ? WATCH_SUITE : WATCH_DUT;

    return talk->startup.frame[side].known ? &talk->startup.frame[side].frame : NULL;
}

size_t talk_frame_octets(const struct talk *talk, bool ours, uint8_t out[TALK_FRAME_ROOM])
{
    const struct talk_frame_kept *kept = &talk->startup.frame[ours ? WATCH_SUITE : WATCH_DUT];

    memcpy(out, kept->octets, kept->n);
    return kept->n;
}

bool talk_is_operating(const struct talk *talk)
{
    return talk->startup.operating;
}

const struct advert *talk_advert(const struct talk *talk)
{
    return &talk->startup.advert;
}

bool talk_hurries(const struct talk *talk)
{
    return talk_settle_time(talk) == 0 && talk_is_initiator(talk) && !talk->startup.at_once;
}

const struct advert_memory *talk_region(struct talk *talk, enum advert_region region)
{
    if (region < talk->startup.advert.n && talk->startup.advert.regions[region].stag != 0)
        return &talk->startup.advert.regions[region];
    if (region == REGION_SHARED)
        talk_not_applicable(talk, "the device advertises no memory that all its connections share (region %u)", region);
    else
        talk_not_applicable(talk, "the device's private data advertise no such region (%u)", region);
    return NULL;
}

bool talk_crc(const struct talk *talk)
{
    return talk->saying.said && talk->saying.said->crc;
}

const struct mpa_framing *talk_framing(const struct talk *talk, bool ours)
{
    return &talk->saying.said->framing[(talk_role(talk) == INITIATOR) == ours ? INITIATOR : RESPONDER];
}

uint16_t talk_dut_ird(const struct talk *talk)
{
    const struct mpa_startup *theirs = talk_frame(talk, false);

    if (!theirs || !theirs->has_enhanced || theirs->enhanced.ird == MPA_IRD_ORD_NOT_NEGOTIATED)
        return 1;
    return theirs->enhanced.ird;
}

/* ---- our frame ---- */

/*
 * A Reply's IRD answers the Request's ORD, and vice versa (RFC 6581 section 9.1), unless the user has set the number of
 * Reads.
 */
static struct mpa_enhanced talk_startup_answer(const struct talk_run *run, const struct mpa_enhanced *request)
{
    const unsigned none = MPA_IRD_ORD_NOT_NEGOTIATED;
    unsigned reads = run->given.fields & STARTUP_ORD ? run->given.terms.data.ord : STARTUP_READS;

    return (struct mpa_enhanced){
        .peer_to_peer = request->peer_to_peer,
        .rtr = request->peer_to_peer ? request->rtr : 0,
        .ird = run->given.fields & STARTUP_IRD ? run->given.terms.data.ird : request->ord,
        .ord = (uint16_t)(request->ird == none ? none : MIN(request->ird, reads)),
    };
}

static struct mpa_enhanced talk_startup_asked(const struct startup_terms *terms, const struct talk_wish *wish)
{
    const struct mpa_enhanced usual = {.ird = STARTUP_READS, .ord = STARTUP_READS};

    if (wish->data.peer_to_peer || wish->data.ird != 0 || wish->data.ord != 0 || wish->data.rtr != 0)
        return wish->data;
    return terms->enhanced ? terms->data : usual;
}

static uint8_t our_flags(const struct talk *talk, const struct talk_wish *wish)
{
    const struct startup_terms *terms = &talk->job.run->terms;
    const struct mpa_startup *request = talk_frame(talk, false);
    bool no_crc = wish->no_crc || terms->no_crc;

    if (terms->crc_follows && request && !talk_is_initiator(talk))
        no_crc |= !(request->flags & MPA_FLAG_C);
    return (uint8_t)((wish->markers || terms->markers ? MPA_FLAG_M : 0) | (wish->crc || !no_crc ? MPA_FLAG_C : 0));
}

static uint8_t asked_revision(const struct startup_terms *terms, const struct talk_wish *wish)
{
    if (wish->revision_0 || wish->revision != 0)
        return wish->revision_0 ? 0 : wish->revision;
    if (wish->enhanced)
        return 2;
    return terms->revision ? terms->revision : 1;
}

static struct mpa_startup our_request(const struct talk *talk, const struct talk_wish *wish)
{
    const struct startup_terms *terms = &talk->job.run->terms;
    bool usual = !wish->revision_0 && wish->revision == 0 && !wish->enhanced;
    bool enhanced = usual ? terms->enhanced : wish->enhanced;

    return (struct mpa_startup){.kind = MPA_REQUEST,
                                .flags = our_flags(talk, wish) | (enhanced ? MPA_FLAG_S : 0),
                                .revision = asked_revision(terms, wish),
                                .has_enhanced = enhanced,
                                .enhanced = talk_startup_asked(terms, wish)};
}

static struct mpa_startup our_reply(const struct talk *talk, const struct talk_wish *wish)
{
    const struct mpa_startup *request = talk_frame(talk, false);
    struct mpa_startup frame = {.kind = MPA_REPLY, .flags = our_flags(talk, wish), .revision = wish->revision};

    if (frame.revision == 0)
        frame.revision = request ? request->revision : 1;
    if (request && request->revision == 0)
        frame.flags |= MPA_FLAG_M | MPA_FLAG_C;
    if (request && request->has_enhanced && request->revision >= 2) {
        frame.flags |= MPA_FLAG_S;
        frame.has_enhanced = true;
        frame.enhanced = talk_startup_answer(talk->job.run, &request->enhanced);
    }
    return frame;
}

static size_t our_words(const struct talk *talk, const struct talk_wish *wish, uint8_t out[ADVERT_WISH_LEN])
{
    const struct rpcrdma_private_data rpc = {
        .version = RPCRDMA_PD_VERSION, .send_size = RPC_INLINE, .receive_size = RPC_INLINE};
    struct advert_wish advert = wish->advert;

    switch (talk->job.run->terms.words) {
    case PRIVATE_DATA_NONE:
        return 0;
    case PRIVATE_DATA_RPC:
        return rpcrdma_private_data_encode(&rpc, out, ADVERT_WISH_LEN);
    case PRIVATE_DATA_ADVERT:
        break;
    }
    /* An Initiator without private data does not expect ours. */
    if (!talk_is_initiator(talk) && talk->startup.advert.n == 0 && advert.flags == 0)
        return 0;
    if (advert.receives == 0 && advert.size == 0 && advert.flags == 0)
        advert = (struct advert_wish){RECEIVES_DEFAULT, RECEIVE_SIZE_DEFAULT, ADVERT_ECHO};
    return advert_wish_encode(&advert, talk->job.run->lab, out);
}

/* The octets of that frame; NULL: the wish cannot be expressed. */
static GByteArray *make_frame(struct talk *talk, const struct talk_wish *wish)
{
    uint8_t words[ADVERT_WISH_LEN];
    size_t n = our_words(talk, wish, words);
    const struct mpa_startup frame = talk_is_initiator(talk) ? our_request(talk, wish) : our_reply(talk, wish);
    struct startup_wish *own = &talk->saying.said->setup.wish[talk_role(talk)];
    GByteArray *octets;

    *own = (struct startup_wish){
        .revision = frame.revision,
        .flags = frame.flags,
        .enhanced = frame.enhanced,
        .ulp_data = wish->private_data ? wish->private_data : words,
        .ulp_length = wish->private_data ? wish->private_length : (uint16_t)n,
    };
    octets = talk_octets(talk, NULL, 0, "startup %s", wish->frame ? wish->frame : "");
    *own = (struct startup_wish){0};
    return octets;
}

static bool talk_startup_is_usual(const struct talk_wish *wish)
{
    return !wish || (wish->revision == 0 && !wish->revision_0 && !wish->markers && !wish->no_crc && !wish->crc &&
                     !wish->enhanced && !wish->in_pieces && !wish->in_octets && !wish->late && !wish->in_halves &&
                     !wish->cuts && !wish->frame && !wish->private_data);
}

/* Each part in a segment of its own. */
static void send_in_pieces(struct talk *talk, const struct talk_wish *wish, const GByteArray *octets)
{
    static const size_t usual[] = {5, 19}; /* within the key, within PD_Length */
    const size_t *cuts = wish->cuts ? wish->cuts : usual;
    const size_t n = wish->in_octets ? octets->len - 1 : wish->cuts ? wish->n_cuts : G_N_ELEMENTS(usual);
    size_t sent = 0;

    for (size_t i = 0; i < n; i++) {
        size_t end = wish->in_octets ? i + 1 : MIN(cuts[i], octets->len);

        talk_write(talk, octets->data + sent, end - sent);
        sent = end;
        talk_sleep(talk, n > FEW_PIECES ? many_pieces_pause : piece_pause);
    }
    talk_write(talk, octets->data + sent, octets->len - sent);
}

/*
 * Like the delay of a lost segment (RFC 6298 section 2.1), but only a small part of the time that a device has to wait.
 */
static void pause_late(struct talk *talk)
{
    talk_sleep(talk, MIN(late_pause, talk_t_start(talk) / LATE_PART));
}

/* Keeps the start-up frame of a side, as far as there is room. */
static void keep_startup(struct talk *talk, enum watch_side side, const uint8_t *p, size_t n)
{
    struct talk_frame_kept *kept = &talk->startup.frame[side];
    size_t need;

    kept->n = MIN(n, TALK_FRAME_ROOM);
    memcpy(kept->octets, p, kept->n);
    kept->known = mpa_startup_decode(&kept->frame, &need, kept->octets, kept->n) == MPA_STARTUP_OK;
}

void talk_write_of_end(struct talk *talk, const void *p, size_t n, bool is_stimulus)
{
    const bool said = talk->job.result->said || is_stimulus;

    if (!talk->startup.frame[WATCH_SUITE].known && n <= TALK_FRAME_ROOM)
        keep_startup(talk, WATCH_SUITE, p, n);
    talk_write(talk, p, n);
    talk->job.result->said = said;
}

bool talk_send_frame(struct talk *talk, const struct talk_wish *wish)
{
    bool said = talk->job.result->said || !talk_startup_is_usual(wish);
    g_autoptr(GByteArray) octets = make_frame(talk, wish ? wish : &no_wish);

    if (!octets)
        return false;
    talk_mark(talk, DUE_TERMINATE);
    keep_startup(talk, WATCH_SUITE, octets->data, octets->len);
    if (wish && wish->late)
        pause_late(talk);
    if (wish && (wish->in_pieces || wish->in_octets || wish->cuts))
        send_in_pieces(talk, wish, octets);
    else if (wish && wish->in_halves) {
        const guint half = octets->len / 2;

        talk_write(talk, octets->data, half);
        pause_late(talk);
        talk_write(talk, octets->data + half, octets->len - half);
    } else
        talk_write(talk, octets->data, octets->len);
    talk->job.result->said = said; /* a start-up that the device accepts is not a stimulus */
    return true;
}

void talk_plain_startup(struct talk *talk)
{
    const struct mpa_startup *theirs = talk_frame(talk, false);
    bool enhanced = theirs && theirs->has_enhanced;

    talk->saying.said->setup.wish[talk_role(talk)] = (struct startup_wish){
        .revision = theirs ? theirs->revision : 1,
        .flags = (uint8_t)(MPA_FLAG_C | (enhanced ? MPA_FLAG_S : 0)),
        .enhanced = enhanced ? theirs->enhanced : (struct mpa_enhanced){0},
    };
}

/* ---- the DUT's frame ---- */

void talk_keep_frame(struct talk *talk, const struct talk_heard *heard)
{
    const struct mpa_startup *frame;

    keep_startup(talk, WATCH_DUT, heard->octets, heard->n);
    frame = talk_frame(talk, false);
    if (!frame)
        return;
    if (frame->ulp_length > 0 && frame->ulp_data)
        advert_decode(&talk->startup.advert, frame->ulp_data, frame->ulp_length);
    else if (frame->private_data && !frame->has_enhanced)
        advert_decode(&talk->startup.advert, frame->private_data, frame->pd_length);
}

const struct mpa_startup *talk_hear_frame(struct talk *talk)
{
    const int64_t began = talk_now();
    const struct talk_heard *heard = talk_hear(talk, talk_t_close(talk));

    if (heard->what != TALK_FRAME)
        return NULL;
    if (!talk->job.row)
        patience_note(&talk->job.run->patience, talk_now() - began);
    talk_keep_frame(talk, heard);
    return talk_frame(talk, false);
}

void talk_begin_operation(struct talk *talk)
{
    const struct mpa_startup *ours = talk_frame(talk, true), *theirs = talk_frame(talk, false);
    bool old = (ours && ours->revision == 0) || (theirs && theirs->revision == 0);
    enum role us = talk_role(talk);

    talk->startup.operating = true;
    talk->saying.said->crc = old || (ours && ours->flags & MPA_FLAG_C) || (theirs && theirs->flags & MPA_FLAG_C);
    talk->saying.said->version = old ? 0 : 1;
    /* Each M bit says what its sender wants to receive; the grid begins after the start-up frame (section 4.3). */
    talk->saying.said->framing[us] = (struct mpa_framing){.markers = old || (theirs && theirs->flags & MPA_FLAG_M),
                                                          .seq_start = talk->connection.out_offset};
    talk->saying.said->framing[!us] = (struct mpa_framing){.markers = old || (ours && ours->flags & MPA_FLAG_M),
                                                           .seq_start = talk->connection.parsed_offset};
    if (talk_framing(talk, false)->markers && !talk->transcript.scratch)
        talk->transcript.scratch = g_new(struct mpa_fpdu_scratch, 1);
    if (talk_settle_time(talk) > 0 && talk_is_initiator(talk) && !talk->startup.at_once)
        talk_sleep(talk, talk_settle_time(talk));
}

/* ---- both frames ---- */

/* Messages that an Initiator sends by itself must not be mistaken for answers. */
static bool pass_over_greetings(struct talk *talk)
{
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, greeting_pause);
    } while (heard->what == TALK_FPDU && !heard->is_terminate);
    if (heard->what == TALK_SILENCE)
        return true;
    talk_inconclusive(talk, "expected the connection to stay open; found %s", talk_describe(talk, heard));
    return false;
}

/* RTR types of both frames; without peer-to-peer mode any type works, such as a Write. */
static unsigned rtr_types(const struct talk *talk)
{
    const struct mpa_startup *ours = talk_frame(talk, true), *theirs = talk_frame(talk, false);
    bool peer_to_peer = ours && theirs && ours->has_enhanced && theirs->has_enhanced && ours->enhanced.peer_to_peer &&
                        theirs->enhanced.peer_to_peer;

    return peer_to_peer ? ours->enhanced.rtr & theirs->enhanced.rtr : MPA_RTR_WRITE;
}

void talk_send_rtr(struct talk *talk, unsigned types)
{
    if (types & MPA_RTR_WRITE)
        talk_say(talk, "write");
    else if (types & MPA_RTR_SEND)
        talk_say(talk, "send len=0");
    else if (types & MPA_RTR_READ)
        talk_say(talk, "read src=1");
}

static bool begin_as_initiator(struct talk *talk)
{
    unsigned types = rtr_types(talk);

    if (types == 0) {
        talk_inconclusive(talk, "the two ends have no RTR type in common");
        return false;
    }
    talk_send_rtr(talk, types);
    if (types == MPA_RTR_READ && !talk_hear_opcode(talk, RDMAP_READ_RESPONSE)) {
        talk_inconclusive(talk, "expected an answer to the RTR Read; found %s", talk_found(talk));
        return false;
    }
    return true;
}

static bool talk_startup_is_advertised(struct talk *talk, const struct talk_heard *heard)
{
    return heard && heard->has_ddp && !heard->ddp.tagged &&
           advert_decode(&talk->startup.advert, heard->ddp.payload, heard->ddp.payload_len);
}

/* Some private data have no room for it: then the advertisement answers a Send with our wishes. */
static bool ask_for_memory(struct talk *talk)
{
    const struct advert_wish wish = {RECEIVES_DEFAULT, RECEIVE_SIZE_DEFAULT, ADVERT_ECHO};
    uint8_t words[ADVERT_WISH_LEN];

    advert_wish_encode(&wish, talk->job.run->lab, words);
    talk_say_octets(talk, words, sizeof words, "send");
    if (talk_startup_is_advertised(talk, talk_hear_opcode(talk, RDMAP_SEND)))
        return true;
    talk_inconclusive(talk, "expected the advertisement that a Send asked for; found %s", talk_found(talk));
    return false;
}

bool talk_first_fpdu(struct talk *talk)
{
    const struct talk_heard *heard;

    if (talk_is_initiator(talk))
        return begin_as_initiator(talk) && (!talk->job.run->asks || ask_for_memory(talk));
    heard = talk_hear(talk, talk_t_close(talk));
    if (talk->job.run->asks)
        talk_startup_is_advertised(talk,
                                   heard); /* an Initiator advertises its memory in its first message, or not at all */
    if (heard->what == TALK_FPDU && !heard->is_terminate)
        return pass_over_greetings(talk);
    talk_inconclusive(talk, "expected the first FPDU from the device, the Initiator; found %s",
                      talk_describe(talk, heard));
    return false;
}

static const char *missing_need(const struct talk *talk)
{
    static const struct {
        unsigned need;
        const char *what;
    } needs[] = {
        {NEED_ECHO, "the device does not echo what is sent to it"},
        {NEED_RECEIVES, "the device is not known to accept Sends"},
        {NEED_REGIONS, "the device advertises no memory in its private data"},
        {NEED_RPC, "the device is not known to speak RPC-over-RDMA (--service=rpc)"},
        {NEED_NFS, "the device is not known to be an NFS server (--service=nfs)"},
        {NEED_ENHANCED, "the device does not speak the enhanced connection setup of RFC 6581"},
        {NEED_PEER_TO_PEER, "the device does not speak the peer-to-peer mode of RFC 6581"},
    };
    const struct mpa_startup *theirs = talk_frame(talk, false);
    unsigned has = talk->job.run->services | talk->job.run->has;

    if (!talk->job.row)
        return NULL;
    if (talk->startup.advert.n > 0)
        has |= NEED_REGIONS | NEED_ECHO | NEED_RECEIVES;
    if (theirs && theirs->has_enhanced) {
        has |= NEED_ENHANCED;
        if (theirs->enhanced.peer_to_peer)
            has |= NEED_PEER_TO_PEER;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(needs); i++) {
        if (talk->job.row->needs & needs[i].need & ~has)
            return needs[i].what;
    }
    return NULL;
}

/* What this case requires. */
static bool frame_suits(struct talk *talk, const struct talk_wish *wish, const struct mpa_startup *theirs)
{
    const char *missing = missing_need(talk);

    if (missing)
        talk_not_applicable(talk, "%s", missing);
    else if (wish->need_markers && !(theirs->flags & MPA_FLAG_M))
        talk_not_applicable(talk, "the device does not ask for Markers");
    else if (wish->need_no_crc && theirs->flags & MPA_FLAG_C)
        talk_not_applicable(talk, "the device insists on CRC");
    else if (wish->enhanced && !theirs->has_enhanced)
        talk_not_applicable(talk, "the device's %s is not enhanced (RFC 6581)",
                            talk_is_initiator(talk) ? "Reply" : "Request");
    else
        return true;
    return false;
}

static bool talk_startup_take_frame(struct talk *talk, const struct talk_wish *wish)
{
    const struct mpa_startup *theirs = talk_hear_frame(talk);

    if (theirs && !(theirs->kind == MPA_REPLY && theirs->flags & MPA_FLAG_R))
        return frame_suits(talk, wish, theirs);
    talk_note_refusal(talk, !theirs && (talk->connection.dut_fin || talk->connection.dut_reset));
    if (theirs)
        talk_inconclusive(talk, "the start-up was rejected: %s", talk_found(talk));
    else {
        const struct talk_heard *heard = talk_last(talk);

        if (wish->enhanced && !(talk->job.run->has & NEED_ENHANCED) &&
            (heard->what == TALK_FIN || heard->what == TALK_RESET))
            talk_not_applicable(talk, "the device closes after an enhanced Request, as one without RFC 6581 does");
        else
            talk_inconclusive(talk, "expected a %s; found %s", talk_is_initiator(talk) ? "Reply" : "Request",
                              talk_describe(talk, heard));
    }
    return false;
}

bool talk_start(struct talk *talk, const struct talk_wish *wish)
{
    if (!wish)
        wish = &no_wish;
    if (!talk_open(talk))
        return false;
    talk->startup.at_once = wish->at_once;
    if (talk_is_initiator(talk)) {
        if (!talk_send_frame(talk, wish) || !talk_startup_take_frame(talk, wish))
            return false;
    } else if (!talk_startup_take_frame(talk, wish) || !talk_send_frame(talk, wish)) {
        return false;
    }
    talk_begin_operation(talk);
    return wish->wait_only || talk_first_fpdu(talk);
}
