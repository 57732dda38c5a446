// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credential and verifier, which every RPC header has: what their flavors require of their bodies, what the flavor of
 * the credential requires of the verifiers (RFC 5531 sections 8.2 and 10.1, Appendix A), and the roundup (RFC 4506
 * section 4.10). A header with a body of more than 400 octets is not an RPC header: RPCR-4-03.
 */
#include "engine/rpcrdma/rpcrdma_shape.h"

enum { MACHINE_NAME_MAX = 255, GIDS_MAX = 16, AUTH_TLS = 7 };

static bool judge_none(struct rpcrdma_shape *shape, const struct rpc_auth *auth, const char *what)
{
    if (auth->flavor != RPC_AUTH_NONE)
        return true;
    if (auth->length == 0) {
        rpcrdma_shape_pass(shape, RULE_RPC_10_1_01);
        return true;
    }
    rpcrdma_shape_fail(shape, RULE_RPC_10_1_01,
                       "expected an empty %s of flavor AUTH_NONE; found a body of %u octets with flavor AUTH_NONE",
                       what, auth->length);
    return false;
}

/* Judges a struct authsys_parms. */
static bool judge_sys(struct rpcrdma_shape *shape)
{
    const struct rpc_auth *cred = &shape->body->rpc.cred;
    struct xdr x = xdr_begin(shape->body->payload + cred->at, cred->length);
    uint32_t stamp, name_octets = 0, uid, gid, gids = 0;
    const uint8_t *name;

    if (cred->flavor != RPC_AUTH_SYS)
        return true;
    if (!xdr_u32(&x, &stamp) || !xdr_opaque(&x, &name, &name_octets) || name_octets > MACHINE_NAME_MAX ||
        !xdr_u32(&x, &uid) || !xdr_u32(&x, &gid) || !xdr_u32(&x, &gids) || !xdr_skip(&x, 4 * (uint64_t)gids) ||
        xdr_left(&x) != 0) {
        rpcrdma_shape_fail(
            shape, RULE_RPC_A_01,
            "expected an AUTH_SYS credential of stamp, machinename, uid, gid and gids; found a body of %u "
            "octets with a name of %u octets and %u gids",
            cred->length, name_octets, gids);
        return false;
    }
    if (gids > GIDS_MAX)
        rpcrdma_shape_fail_as(
            shape, RULE_RPC_A_01, SEVERITY_WARNING,
            "expected at most %u gids in an AUTH_SYS credential; found %u gids in an AUTH_SYS credential",
            (unsigned)GIDS_MAX, gids);
    else
        rpcrdma_shape_pass(shape, RULE_RPC_A_01);
    return true;
}

/* Octets of roundup after p[at..at + n) that are not zero. */
static bool nonzero_roundup(const uint8_t *p, uint64_t at, uint64_t n)
{
    for (unsigned i = 0; i < xdr_roundup(n); i++) {
        if (p[at + n + i] != 0)
            return true;
    }
    return false;
}

/* Includes the roundup of the machine name in an AUTH_SYS credential. */
static bool header_roundup_nonzero(const struct rpcrdma_body *body, bool sys_sound, uint64_t *position)
{
    const struct rpc_auth *cred = &body->rpc.cred, *verf = &body->rpc.verf;
    const uint8_t *p = body->payload;

    *position = cred->at + cred->length;
    if (body->rpc.type == RPC_CALL && nonzero_roundup(p, cred->at, cred->length))
        return true;
    if (body->rpc.type == RPC_CALL && cred->flavor == RPC_AUTH_SYS && sys_sound && cred->length >= 8) {
        uint64_t name = get_be32(p + cred->at + 4);

        *position = cred->at + 8 + name;
        if (8 + xdr_padded(name) <= cred->length && nonzero_roundup(p, cred->at + 8, name))
            return true;
    }
    *position = verf->at + verf->length;
    return (body->rpc.type == RPC_CALL || body->rpc.reply_stat == RPC_MSG_ACCEPTED) &&
           nonzero_roundup(p, verf->at, verf->length);
}

/* What the flavor of the Call's credential requires of the verifiers. */
static void auth_judge_verifier(struct rpcrdma_shape *shape)
{
    uint32_t cred = shape->t->open->call_body.rpc.cred.flavor, verf = shape->body->rpc.verf.flavor;
    bool sys = cred == RPC_AUTH_SYS, is_short = sys && shape->reply; /* the client may use AUTH_SHORT from then on */
    enum rule_id rule = sys ? RULE_RPC_A_02 : RULE_RPC_10_1_02;

    if ((cred != RPC_AUTH_NONE && !sys) || !shape->t->open->call_body.known)
        return;
    if (verf == RPC_AUTH_NONE || (is_short && verf == RPC_AUTH_SHORT))
        rpcrdma_shape_pass(shape, rule);
    else
        rpcrdma_shape_fail(
            shape, rule,
            "expected a verifier of flavor AUTH_NONE%s with a credential of %s; found a verifier of flavor %u",
            is_short ? " or AUTH_SHORT" : "", sys ? "AUTH_SYS" : "AUTH_NONE", verf);
}

/* The first results of a COMPOUND are where they belong, so nothing before them is displaced. */
static bool results_begin(const struct rpcrdma_body *body)
{
    return body->walked && body->procedure && body->procedure->compound && rpcrdma_body_succeeded(body) &&
           body->n_operations > 1;
}

bool rpcrdma_auth_rules(struct rpcrdma_shape *shape)
{
    const struct rpc_message *rpc = &shape->body->rpc;
    bool call = rpc->type == RPC_CALL, accepted = !call && rpc->reply_stat == RPC_MSG_ACCEPTED;
    bool sound = true, sys_sound = true;
    uint64_t position;

    /* Some octets are missing, or the verifier is (RPCR-4-03): everything is displaced. */
    if (shape->body->length % 4 != 0 || (shape->body->walked && shape->body->reduction == RPCRDMA_REDUCED_BARE))
        return true;
    shape->decodes = rpcrdma_shape_decodes(shape);
    if (call) {
        sound = judge_none(shape, &rpc->cred, "credential");
        sound &= sys_sound = judge_sys(shape);
    }
    sound |= shape->decodes;
    /* The answer to a probe for TLS contains STARTTLS (RFC 9289 section 4.1). */
    if (sound && (call || (accepted && shape->t->open->call_body.rpc.cred.flavor != AUTH_TLS)))
        sound = judge_none(shape, &rpc->verf, "verifier") || shape->decodes || results_begin(shape->body);
    if (sound && header_roundup_nonzero(shape->body, sys_sound, &position)) {
        rpcrdma_shape_fail(shape, RULE_RPCR_2_2_4_2_02,
                           "expected roundup octets to be zero; found roundup octets that are not zero, at octet %llu "
                           "of the RPC message",
                           (unsigned long long)position);
        sound = rpcrdma_shape_whole(shape);
    }
    if (sound && (call || accepted))
        auth_judge_verifier(shape);
    shape->decodes = false;
    return sound;
}
