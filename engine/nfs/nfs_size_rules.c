// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The largest Reply that a Call can draw, against the inline threshold and the Reply chunk: RFC 8267 section 3, RFC
 * 8166 sections 3.5.3, 4.3.2.3, 4.3.3, 8.2.2.2; RFC 5666 section 3.4, RFC 5667 section 5. Also, Replies against their
 * session's limit. Only certain violations are findings: the octets that the Call itself asks for do not fit where the
 * Reply must go. Results without a limit (NFSv3 links, ACLs, NFSv4 attributes) prove nothing.
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

#include <inttypes.h>

enum {
    INTEGRITY = 12, /* lengths of the body and of the checksum, seq_num: RFC 2203 section 5.3.2.2 */
    VERIFIER_MAX = RPC_AUTH_MAX,
};

/* Where the Reply may go. */
struct room {
    uint32_t threshold; /* 0: unknown */
    bool sure;          /* announced by both sides, or set by the user */
    uint64_t header;    /* octets of the Reply's Transport header */
    uint64_t chunk;     /* octets of the Reply chunk */
    bool has_chunk;
    uint32_t verifier; /* seen in Replies so far */
    bool gss;
};

static struct room size_room_for(const struct nfs_look *look)
{
    const struct rpcrdma_transaction *t = look->t;
    struct room room = {.header = nfs_reply_transport(t), .has_chunk = t->reply_chunk >= 0};
    bool negotiated;

    room.threshold = rpcrdma_connection_threshold(look->nfs->rpcrdma, 1u - t->side, &negotiated);
    room.sure = negotiated || (room.threshold != 0 && room.threshold == look->nfs->options.assume_inline);
    room.gss = look->body->rpc.cred.flavor == RPC_AUTH_GSS;
    room.verifier = room.gss ? look->nfs->size.verifier : 0;
    room.chunk = room.has_chunk ? t->chunks[t->reply_chunk].length : 0;
    INVARIANT(room.header >= RPCRDMA_HEADER_MIN);
    return room;
}

static bool size_fits(const struct room *room, uint64_t payload)
{
    return room->header + payload <= room->threshold;
}

/*
 * The octets that the Call asks for by number do not fit in `octets`. A client that provides a Reply chunk for these
 * octets, but not for everything around them, may know more about the results.
 */
static bool clearly_above(const struct nfs_reply_size *size, uint64_t octets)
{
    return size->asked > octets || size->eligible >= octets || (size->exact && size->asked == 0);
}

/* The rule that requires a Reply chunk. */
static enum rule_id missing_rule(const struct nfs_look *look, const struct room *room,
                                 const struct nfs_reply_size *size)
{
    if (size->eligible == 0 || !size_fits(room, size->largest - size->eligible))
        return RULE_RPCR_4_3_3_01;
    if (look->nfs->options.profile != PROFILE_RFC5666)
        return RULE_RPCR_4_3_2_3_04;
    return look->body->rpc.vers == 4 ? RULE_RPCR0_5N_02 : RULE_RPCR0_3_4_02;
}

/* With the default threshold, which both ends may be configured to exceed, the failure is a warning, reported once. */
static void fail_missing(struct nfs_look *look, enum rule_id rule, const struct room *room, uint64_t octets)
{
    enum rule_severity severity = rule_catalogue[rule].severity;

    if (!room->sure && look->nfs->options.profile == PROFILE_RFC5666) {
        nfs_inconclusive(look, rule, WHY_AGREED); /* section 6 has its own way to agree on a threshold */
        return;
    }
    if (!room->sure && look->nfs->size.reported_default)
        return;
    look->nfs->size.reported_default |= !room->sure;
    nfs_fail_as(look, rule, room->sure || severity < SEVERITY_WARNING ? severity : SEVERITY_WARNING,
                "expected a Reply chunk, as the Reply may have %" PRIu64
                " octets and the inline threshold is %u%s; found a Call without a Reply chunk",
                octets, room->threshold, room->sure ? "" : " by default");
}

static void size_judge_missing(struct nfs_look *look, const struct room *room, const struct nfs_reply_size *size)
{
    enum rule_id rule = missing_rule(look, room, size);
    uint64_t octets = room->header + size->largest;

    if (!size_fits(room, size->largest)) {
        fail_missing(look, rule, room, octets);
        return;
    }
    if (size->asked > 0 || size->exact)
        nfs_pass(look, rule);
    if (!room->gss)
        return;
    if (!size_fits(room, size->largest + room->verifier))
        fail_missing(look, RULE_RPCR_8_2_2_2_02, room, octets + room->verifier);
    else if (size_fits(room, size->largest + VERIFIER_MAX))
        nfs_pass(look, RULE_RPCR_8_2_2_2_02);
    else
        nfs_inconclusive(look, RULE_RPCR_8_2_2_2_02,
                         WHY_AGREED); /* the length of the mechanism's verifiers is unknown */
}

static void size_judge_chunk(struct nfs_look *look, const struct room *room, const struct nfs_reply_size *size)
{
    if (size_fits(room, size->largest + (room->gss ? VERIFIER_MAX : 0))) {
        if (!size->exact || !room->sure)
            return;
        if (!look->nfs->size.reported_needless)
            nfs_fail(look, RULE_RPCR_4_3_3_02,
                     "expected no Reply chunk, as the Reply has at most %" PRIu64
                     " octets and the inline threshold is %u; found a Call with a Reply chunk",
                     room->header + size->largest, room->threshold);
        look->nfs->size.reported_needless = true;
        return;
    }
    if (size->asked == 0)
        return;
    nfs_pass(look, missing_rule(look, room, size));
    if (room->chunk < size->largest && !size_fits(room, size->largest) && !clearly_above(size, room->chunk))
        nfs_inconclusive(look, RULE_RPCR_3_5_3_07, WHY_READINGS);
    else if (room->chunk < size->largest && !size_fits(room, size->largest))
        nfs_fail(look, RULE_RPCR_3_5_3_07,
                 "expected a Reply chunk for a Reply of up to %" PRIu64 " octets; found a Reply chunk of %" PRIu64
                 " octets",
                 size->largest, room->chunk);
    else if (room->chunk >= size->largest && room->chunk < size->largest + room->verifier)
        nfs_fail(look, RULE_RPCR_8_2_2_2_02,
                 "expected a Reply chunk for a Reply of up to %" PRIu64
                 " octets, including a verifier of %u octets; found a Reply chunk of %" PRIu64 " octets",
                 size->largest + room->verifier, room->verifier, room->chunk);
    else
        nfs_pass(look, RULE_RPCR_3_5_3_07);
}

/* The size of the Reply on the wire, as far as the Call determines it. False: unknown. */
static bool nfs_size_of(const struct nfs_look *look, struct nfs_reply_size *size)
{
    uint32_t limit = look->exchange->limits.fore_maxresponse;

    if (!nfs_reply_size(look, size))
        return false;
    if (look->body->wrapped) { /* plus a checksum of unknown length */
        size->largest += INTEGRITY;
        size->exact = false;
    }
    /* No Reply in a session exceeds the agreed maximum. */
    if (limit != 0 && limit < size->largest) {
        size->largest = limit;
        size->asked = limit < size->asked ? limit : size->asked;
        size->eligible = limit < size->eligible ? limit : size->eligible;
    }
    INVARIANT(size->asked <= size->largest && size->eligible <= size->largest);
    return true;
}

void nfs_size_call(struct nfs_look *look)
{
    struct room room = size_room_for(look);
    bool unlimited = look->exchange->minor > 0 && look->exchange->limits.fore_maxresponse == 0;
    struct nfs_reply_size size;

    if (!nfs_size_of(look, &size))
        return;
    if (room.threshold == 0 || (unlimited && !size_fits(&room, size.largest) && !room.has_chunk)) {
        nfs_inconclusive(look, missing_rule(look, &room, &size),
                         nfs_doubt(look->nfs, false, room.threshold == 0 ? WHY_AGREED : WHY_ELSEWHERE));
        return;
    }
    if (room.has_chunk)
        size_judge_chunk(look, &room, &size);
    else {
        size_judge_missing(look, &room, &size);
        if (size.exact && room.sure && size_fits(&room, size.largest))
            nfs_pass(look, RULE_RPCR_4_3_3_02);
    }
}

/* An inline Reply is too long only because of its verifier: the client did not provide for the verifier. */
static void size_judge_verifier(struct nfs_look *look)
{
    struct room room = size_room_for(look);
    uint64_t octets = room.header + look->body->length;
    uint32_t verifier = look->body->rpc.verf.length;

    if (look->t->open->call_body.rpc.cred.flavor != RPC_AUTH_GSS || room.has_chunk || !room.sure)
        return;
    if (octets > room.threshold && octets - verifier <= room.threshold)
        nfs_fail(look, RULE_RPCR_8_2_2_2_02,
                 "expected room for a verifier of %u octets in a Reply of %" PRIu64
                 " octets with an inline threshold of %u; found a Call without a Reply chunk",
                 verifier, octets, room.threshold);
}

void nfs_size_reply(struct nfs_look *look)
{
    uint32_t most = look->exchange->limits.fore_maxresponse;

    size_judge_verifier(look);
    if (look->exchange->minor < 1 || !look->exchange->in_session)
        return;
    if (most == 0)
        nfs_inconclusive(look, RULE_NFSULB_6_2_2_01, nfs_doubt(look->nfs, false, WHY_ELSEWHERE));
    else if (look->body->unreduced > most)
        nfs_fail(look, RULE_NFSULB_6_2_2_01,
                 "expected a Reply of at most %u octets, the session's ca_maxresponsesize; found a Reply of %" PRIu64
                 " octets",
                 most, look->body->unreduced);
    else
        nfs_pass(look, RULE_NFSULB_6_2_2_01);
}
