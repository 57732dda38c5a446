// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/rpcbind.h"
#include "wire/invariant.h"

#include <string.h>

enum { GETPORT = 3, GETADDR = 3, DUMP = 4, GETVERSADDR = 9 };

static const uint32_t last_fragment = UINT32_C(1) << 31;

static const struct {
    uint8_t from, to, procedure; /* versions */
    bool of_program;             /* asks for the address of one program */
    const char *name;
} procedures[] = {
    {2, 2, 0, false, "NULL"},       {2, 2, 1, false, "SET"},         {2, 2, 2, false, "UNSET"},
    {2, 2, 3, true, "GETPORT"},     {2, 2, 4, false, "DUMP"},        {2, 2, 5, false, "CALLIT"},
    {3, 4, 0, false, "NULL"},       {3, 4, 1, false, "SET"},         {3, 4, 2, false, "UNSET"},
    {3, 4, 3, true, "GETADDR"},     {3, 4, 4, false, "DUMP"},        {3, 4, 5, false, "BCAST"},
    {3, 4, 6, false, "GETTIME"},    {3, 4, 7, false, "UADDR2TADDR"}, {3, 4, 8, false, "TADDR2UADDR"},
    {4, 4, 9, true, "GETVERSADDR"}, {4, 4, 10, false, "INDIRECT"},   {4, 4, 11, true, "GETADDRLIST"},
    {4, 4, 12, false, "GETSTAT"},
};

static int rpcbind_find(uint32_t version, uint32_t procedure)
{
    for (unsigned i = 0; i < sizeof procedures / sizeof procedures[0]; i++) {
        if (procedures[i].procedure == procedure && procedures[i].from <= version && version <= procedures[i].to)
            return (int)i;
    }
    return -1;
}

const char *rpcbind_name(uint32_t version, uint32_t procedure)
{
    int i = rpcbind_find(version, procedure);

    return i < 0 ? "?" : procedures[i].name;
}

enum rpcbind_transport rpcbind_transport(const struct rpcbind_lookup *lookup)
{
    static const struct {
        const char *netid;
        enum rpcbind_transport transport;
    } netids[] = {{"tcp", RPCBIND_FOR_TCP},  {"tcp6", RPCBIND_FOR_TCP},  {"udp", RPCBIND_FOR_UDP},
                  {"udp6", RPCBIND_FOR_UDP}, {"rdma", RPCBIND_FOR_RDMA}, {"rdma6", RPCBIND_FOR_RDMA6}};

    if (lookup->version == RPCBIND_PORTMAPPER)
        return lookup->protocol == RPCBIND_TCP   ? RPCBIND_FOR_TCP
               : lookup->protocol == RPCBIND_UDP ? RPCBIND_FOR_UDP
                                                 : RPCBIND_FOR_OTHERS;
    for (size_t i = 0; i < sizeof netids / sizeof *netids; i++)
        if (lookup->netid_len == strlen(netids[i].netid) &&
            memcmp(lookup->netid, netids[i].netid, lookup->netid_len) == 0)
            return netids[i].transport;
    return RPCBIND_FOR_OTHERS;
}

bool rpcbind_is_rdma(const struct rpcbind_lookup *lookup)
{
    enum rpcbind_transport transport = rpcbind_transport(lookup);

    return transport == RPCBIND_FOR_RDMA || transport == RPCBIND_FOR_RDMA6;
}

bool rpcbind_is_tcp(const struct rpcbind_lookup *lookup, uint8_t ip)
{
    static const char netid[] = "tcp6";

    return lookup->netid_len == (ip == 6 ? 4 : 3) && memcmp(lookup->netid, netid, lookup->netid_len) == 0;
}

enum rpcbind_question rpcbind_decode(struct rpcbind_lookup *out, const uint8_t *p, size_t n)
{
    struct rpc_message call;
    struct xdr x;
    int i;

    *out = (struct rpcbind_lookup){0};
    if (rpc_decode(&call, p, n) != RPC_OK)
        return RPCBIND_UNREADABLE;
    if (call.type != RPC_CALL)
        return RPCBIND_NOTHING;
    if (call.prog != RPCBIND_PROGRAM)
        return RPCBIND_UNREADABLE;
    out->xid = call.xid;
    out->version = call.vers;
    out->procedure = call.proc;
    i = rpcbind_find(call.vers, call.proc);
    if (i < 0)
        return RPCBIND_NOTHING;
    if (!procedures[i].of_program)
        return call.proc == DUMP ? RPCBIND_DUMP : RPCBIND_NOTHING;
    x = xdr_begin(p + call.header_len, n - call.header_len);
    xdr_u32(&x, &out->program);
    xdr_u32(&x, &out->program_version);
    if (call.vers == RPCBIND_PORTMAPPER)
        xdr_u32(&x, &out->protocol);
    else
        xdr_opaque(&x, &out->netid, &out->netid_len);
    INVARIANT(x.at <= x.n && (x.failed || out->netid_len <= n));
    return x.failed ? RPCBIND_UNREADABLE : RPCBIND_LOOKUP;
}

const uint8_t *rpcbind_next_record(const uint8_t **p, size_t *n, size_t *length)
{
    uint32_t mark = *n < RPCBIND_MARK_LEN ? 0 : get_be32(*p);
    const uint8_t *record;

    *length = mark & ~last_fragment;
    if (!(mark & last_fragment) || *length > *n - RPCBIND_MARK_LEN) {
        *p += *n;
        *n = 0;
        return NULL;
    }
    record = *p + RPCBIND_MARK_LEN;
    *p += RPCBIND_MARK_LEN + *length;
    *n -= RPCBIND_MARK_LEN + *length;
    INVARIANT(record + *length == *p);
    return record;
}

bool rpcbind_reply_xid(const uint8_t *p, size_t n, uint32_t *xid)
{
    if (n < RPC_REPLY_MIN || get_be32(p + 4) != RPC_REPLY)
        return false;
    *xid = get_be32(p);
    return true;
}

static bool is_digit(uint8_t octet)
{
    return octet >= '0' && octet <= '9';
}

/*
 * The port of an address, which ends with two decimal numbers, high octet first: RFC 5665 section 5.2.3.3. 0: the
 * address does not.
 */
static uint16_t rpcbind_port_of(const uint8_t *address, size_t length)
{
    unsigned octet[2] = {0};

    for (unsigned i = 2; i-- > 0; length--) {
        size_t end = length;

        for (unsigned scale = 1; length > 0 && end - length < 3 && is_digit(address[length - 1]); scale *= 10)
            octet[i] += (address[--length] - (unsigned)'0') * scale;
        if (length == end || length == 0 || address[length - 1] != '.' || octet[i] > UINT8_MAX)
            return 0;
    }
    INVARIANT(octet[0] <= UINT8_MAX && octet[1] <= UINT8_MAX);
    return (uint16_t)(octet[0] << 8 | octet[1]);
}

static enum rpcbind_answer says_address(struct xdr *x, uint16_t *port)
{
    static const char no_port[] = ".0.0";
    const size_t tail = sizeof no_port - 1;
    const uint8_t *address;
    uint32_t length;

    if (!xdr_opaque(x, &address, &length))
        return RPCBIND_NO_ANSWER;
    if (length == 0)
        return RPCBIND_NOT_REGISTERED;
    if (length <= tail || memcmp(address + length - tail, no_port, tail) == 0)
        return RPCBIND_NO_ANSWER;
    *port = rpcbind_port_of(address, length);
    return RPCBIND_REGISTERED;
}

static enum rpcbind_answer says_port(struct xdr *x, uint16_t *port)
{
    uint32_t number;

    if (!xdr_u32(x, &number) || number > UINT16_MAX)
        return RPCBIND_NO_ANSWER;
    *port = (uint16_t)number;
    return number == 0 ? RPCBIND_NOT_REGISTERED : RPCBIND_REGISTERED;
}

enum rpcbind_answer rpcbind_decode_answer(uint32_t version, uint32_t procedure, const uint8_t *p, size_t n,
                                          uint16_t *port)
{
    struct rpc_message reply;
    struct xdr x;

    *port = 0;
    if (rpc_decode(&reply, p, n) != RPC_OK || reply.type != RPC_REPLY || reply.reply_stat != RPC_MSG_ACCEPTED ||
        reply.accept_stat != RPC_SUCCESS)
        return RPCBIND_NO_ANSWER;
    x = xdr_begin(p + reply.header_len, n - reply.header_len);
    if (version == RPCBIND_PORTMAPPER)
        return procedure == GETPORT ? says_port(&x, port) : RPCBIND_NO_ANSWER;
    return procedure == GETADDR || procedure == GETVERSADDR ? says_address(&x, port) : RPCBIND_NO_ANSWER;
}

void rpcbind_encode(const struct rpcbind_lookup *lookup, uint32_t xid, struct xdr_writer *w)
{
    const struct rpc_message call = {.xid = xid,
                                     .type = RPC_CALL,
                                     .rpcvers = RPC_VERSION,
                                     .prog = RPCBIND_PROGRAM,
                                     .vers = lookup->version,
                                     .proc = lookup->procedure};
    int i = rpcbind_find(lookup->version, lookup->procedure);

    rpc_call_encode(&call, NULL, NULL, w);
    if (i < 0 || !procedures[i].of_program)
        return;
    xdr_put_u32(w, lookup->program);
    xdr_put_u32(w, lookup->program_version);
    if (lookup->version == RPCBIND_PORTMAPPER) {
        xdr_put_u32(w, lookup->protocol);
        xdr_put_u32(w, 0); /* port */
        return;
    }
    xdr_put_opaque(w, lookup->netid, lookup->netid_len);
    xdr_put_opaque(w, "", 0); /* address */
    xdr_put_opaque(w, "", 0); /* owner */
}
