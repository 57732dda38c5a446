// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/rpc.h"
#include "wire/invariant.h"

/* Reads through one message: the stream, and the output. */
struct reader {
    struct xdr x;
    struct rpc_message *out;
};

static bool wire_rpc_fault(struct reader *r, enum rpc_status status, size_t at, uint32_t value)
{
    r->out->status = status;
    r->out->fault_at = (uint32_t)at;
    r->out->fault = value;
    return false;
}

/* The missing word is the first incomplete one. */
static bool wire_rpc_ended(struct reader *r)
{
    return wire_rpc_fault(r, RPC_SHORT, r->x.n & ~(size_t)3, 0);
}

static bool wire_rpc_word(struct reader *r, uint32_t *out)
{
    return xdr_u32(&r->x, out) || wire_rpc_ended(r);
}

/* A word whose values above max are undefined. */
static bool wire_rpc_choice(struct reader *r, uint32_t *out, uint32_t max)
{
    if (!wire_rpc_word(r, out))
        return false;
    return *out <= max || wire_rpc_fault(r, RPC_BAD_VALUE, r->x.at - 4, *out);
}

/* opaque_auth: flavor, body<400> (RFC 5531 section 8.2). */
static bool auth(struct reader *r, struct rpc_auth *out)
{
    uint32_t n = 0;

    if (!wire_rpc_word(r, &out->flavor) || !wire_rpc_word(r, &n))
        return false;
    if (n > RPC_AUTH_MAX)
        return wire_rpc_fault(r, RPC_BAD_VALUE, r->x.at - 4, n);
    out->at = (uint32_t)r->x.at;
    if (!xdr_skip(&r->x, n))
        return wire_rpc_ended(r);
    out->length = n;
    INVARIANT(out->length <= RPC_AUTH_MAX && out->at + out->length <= r->x.n);
    return true;
}

/*
 * The RPCSEC_GSS credential (RFC 2203 section 5.2): version, gss_proc, seq_num, service, handle<>. Versions 2 (RFC
 * 5403) and 3 (RFC 7861) have the same fields.
 */
static void gss(struct rpc_message *out, const uint8_t *p)
{
    struct xdr x = xdr_begin(p + out->cred.at, out->cred.length);
    uint32_t version, proc, seq, service, length;
    const uint8_t *handle;

    if (!xdr_u32(&x, &version) || version < 1 || version > 3 || !xdr_u32(&x, &proc) || !xdr_u32(&x, &seq) ||
        !xdr_u32(&x, &service) || !xdr_opaque(&x, &handle, &length) || xdr_left(&x) != 0)
        return;
    out->has_gss = true;
    out->gss_version = version;
    out->gss_proc = proc;
    out->gss_seq = seq;
    out->gss_service = service;
    INVARIANT(out->gss_version >= 1 && out->gss_version <= 3);
}

static bool wire_rpc_call(struct reader *r)
{
    struct rpc_message *out = r->out;

    if (!wire_rpc_word(r, &out->rpcvers))
        return false;
    if (out->rpcvers != RPC_VERSION)
        return wire_rpc_fault(r, RPC_BAD_VALUE, r->x.at - 4, out->rpcvers);
    if (!wire_rpc_word(r, &out->prog) || !wire_rpc_word(r, &out->vers) || !wire_rpc_word(r, &out->proc) ||
        !auth(r, &out->cred))
        return false;
    if (out->cred.flavor == RPC_AUTH_GSS)
        gss(out, r->x.p);
    return auth(r, &out->verf);
}

static bool range(struct reader *r)
{
    return wire_rpc_word(r, &r->out->low) && wire_rpc_word(r, &r->out->high);
}

static bool wire_rpc_reply(struct reader *r)
{
    struct rpc_message *out = r->out;

    if (!wire_rpc_choice(r, &out->reply_stat, RPC_MSG_DENIED))
        return false;
    if (out->reply_stat == RPC_MSG_ACCEPTED) {
        if (!auth(r, &out->verf) || !wire_rpc_choice(r, &out->accept_stat, RPC_SYSTEM_ERR))
            return false;
        return out->accept_stat != RPC_PROG_MISMATCH || range(r);
    }
    if (!wire_rpc_choice(r, &out->reject_stat, RPC_AUTH_ERROR))
        return false;
    return out->reject_stat == RPC_MISMATCH ? range(r) : wire_rpc_word(r, &out->auth_stat);
}

enum rpc_status rpc_decode(struct rpc_message *out, const uint8_t *p, size_t n)
{
    /* No header is longer than its fixed words and two bodies, so 32-bit offsets are enough. */
    struct reader r = {.x = xdr_begin(p, n > UINT32_MAX ? UINT32_MAX : n), .out = out};

    *out = (struct rpc_message){.status = RPC_OK};
    if (!wire_rpc_word(&r, &out->xid) || !wire_rpc_word(&r, &out->type))
        return out->status;
    if (out->type > RPC_REPLY) {
        wire_rpc_fault(&r, RPC_BAD_TYPE, r.x.at - 4, out->type);
        return out->status;
    }
    if (out->type == RPC_CALL ? wire_rpc_call(&r) : wire_rpc_reply(&r))
        out->header_len = (uint32_t)r.x.at;
    INVARIANT(out->header_len <= n && (out->status == RPC_OK) == (out->header_len > 0));
    return out->status;
}

bool rpc_gss_protects(const struct rpc_message *message)
{
    return message->has_gss && message->gss_proc == RPC_GSS_DATA &&
           (message->gss_service == RPC_GSS_SVC_INTEGRITY || message->gss_service == RPC_GSS_SVC_PRIVACY);
}

const char *rpc_accept_stat_name(uint32_t stat)
{
    static const char *const names[] = {"SUCCESS",      "PROG_UNAVAIL", "PROG_MISMATCH",
                                        "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR"};

    return stat < sizeof names / sizeof *names ? names[stat] : "unknown";
}

/* ---- encoders ---- */

static void put_auth(const struct rpc_body *body, struct xdr_writer *w)
{
    xdr_put_u32(w, body ? body->flavor : (uint32_t)RPC_AUTH_NONE);
    if (body)
        xdr_put_opaque(w, body->p, body->n);
    else
        xdr_put_u32(w, 0);
}

void rpc_call_encode(const struct rpc_message *message, const struct rpc_body *cred, const struct rpc_body *verf,
                     struct xdr_writer *w)
{
    xdr_put_u32(w, message->xid);
    xdr_put_u32(w, message->type);
    xdr_put_u32(w, message->rpcvers);
    xdr_put_u32(w, message->prog);
    xdr_put_u32(w, message->vers);
    xdr_put_u32(w, message->proc);
    put_auth(cred, w);
    put_auth(verf, w);
}

static void put_range(const struct rpc_message *message, struct xdr_writer *w)
{
    xdr_put_u32(w, message->low);
    xdr_put_u32(w, message->high);
}

void rpc_reply_encode(const struct rpc_message *message, const struct rpc_body *verf, struct xdr_writer *w)
{
    xdr_put_u32(w, message->xid);
    xdr_put_u32(w, RPC_REPLY);
    xdr_put_u32(w, message->reply_stat);
    if (message->reply_stat == RPC_MSG_ACCEPTED) {
        put_auth(verf, w);
        xdr_put_u32(w, message->accept_stat);
        if (message->accept_stat == RPC_PROG_MISMATCH)
            put_range(message, w);
    } else {
        xdr_put_u32(w, message->reject_stat);
        if (message->reject_stat == RPC_MISMATCH)
            put_range(message, w);
        else
            xdr_put_u32(w, message->auth_stat);
    }
}
