// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFSv4 Calls: the server's port (RFC 8267 section 6.3), the complexity of their chunk lists (6.4.2), operations that
 * may accompany a GETATTR (6.2.1), and the netids in the arguments (RFC 8166 section 9).
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

#include <string.h>

enum {
    ATTR_ACL = 12, /* attribute numbers: RFC 7531 */
    ATTR_FS_LOCATIONS = 24,
};

/* The callee of program 100003 is the server, even if the capture begins mid-connection. */
void nfs_port_call(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    uint16_t port = nfs->port[1 - look->t->side];

    if (nfs->reported.port || port == 0 || look->body->rpc.proc == 0)
        return;
    nfs->reported.port = true;
    if (port == RPCRDMA_PORT)
        nfs_pass(look, RULE_NFSULB_6_3_01);
    else
        nfs_fail(look, RULE_NFSULB_6_3_01, "expected NFSv4 on port %u; found NFSv4 on port %u", RPCRDMA_PORT, port);
}

/* ---- chunk lists ---- */

/* The client may know that the server accepts more, which a capture does not show: one note per connection. */
static void compound_judge_limit(struct nfs_look *look, enum rule_id rule, bool *reported, bool fits, unsigned limit,
                                 unsigned found, const char *what, const char *holder, const char *parts)
{
    if (fits) {
        nfs_pass(look, rule);
        return;
    }
    if (!*reported)
        nfs_fail(look, rule, "expected at most %u %s without knowledge of the server's limits; found a %s %u %s", limit,
                 what, holder, found, parts);
    *reported = true;
}

static void judge_complexity(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    const struct rpcrdma_transaction *t = look->t;
    const struct nfs_chunk_use use = nfs_chunk_use(t);

    if (use.reads > 0)
        compound_judge_limit(look, RULE_NFSULB_6_4_2_01, &nfs->reported.reads, use.reads <= 1, 1, use.reads,
                             "Read chunk at a nonzero Position", "Call with", "Read chunks at nonzero Positions");
    if (t->n_writes > 0)
        compound_judge_limit(look, RULE_NFSULB_6_4_2_02, &nfs->reported.writes, t->n_writes <= 1, 1, t->n_writes,
                             "Write chunk", "Call with", "Write chunks");
    if (use.longest > 0)
        compound_judge_limit(look, RULE_NFSULB_6_4_2_03, &nfs->reported.segments, use.longest <= NFS_CHUNK_SEGMENTS_MAX,
                             NFS_CHUNK_SEGMENTS_MAX, use.longest, "segments in a chunk", "chunk of", "segments");
}

/* ---- GETATTR in minor version 0 ---- */

static bool asks_for(const struct rpcrdma_body *body, unsigned attribute)
{
    const struct nfs_value *word;
    unsigned i = 0;

    while ((word = rpcrdma_value(body, NFS_MARK_ATTR_MASK, NFS_OP_GETATTR, &i))) {
        if (word->index == attribute / 32 && (word->value >> attribute % 32 & 1) != 0)
            return true;
    }
    return false;
}

static bool creates(const struct rpcrdma_body *body)
{
    const struct nfs_value *type;
    unsigned i = 0;

    while ((type = rpcrdma_value(body, NFS_MARK_OPEN_CREATE, NFS_OP_OPEN, &i))) {
        if (type->value == 1)
            return true;
    }
    return false;
}

/* The first operation found that changes the file system; 0: none. */
static uint32_t modifying_operation(const struct rpcrdma_body *body)
{
    static const uint32_t modifying[] = {NFS_OP_CREATE, NFS_OP_LINK,    NFS_OP_REMOVE,
                                         NFS_OP_RENAME, NFS_OP_SETATTR, NFS_OP_WRITE};

    for (size_t i = 0; i < sizeof modifying / sizeof modifying[0]; i++) {
        if (nfs_operation_find(body, modifying[i]))
            return modifying[i];
    }
    return creates(body) ? NFS_OP_OPEN : 0;
}

/* The first operation other than GETATTR and the ones that only name the file; 0: none. */
static uint32_t companion(const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < body->n_operations; i++) {
        uint32_t op = body->operations[i].op;

        if (op != NFS_OP_PUTFH && op != NFS_OP_PUTPUBFH && op != NFS_OP_PUTROOTFH && op != NFS_OP_GETATTR)
            return op;
    }
    return 0;
}

static void judge_getattr(struct nfs_look *look)
{
    const struct rpcrdma_body *body = look->body;
    const char *attribute = asks_for(body, ATTR_ACL)            ? "acl"
                            : asks_for(body, ATTR_FS_LOCATIONS) ? "fs_locations"
                                                                : NULL;
    uint32_t op = modifying_operation(body);

    if (!attribute) {
        if (op != 0 && nfs_operation_find(body, NFS_OP_GETATTR))
            nfs_pass(look, RULE_NFSULB_6_2_1_02);
        return;
    }
    if (op != 0) {
        nfs_fail(look, RULE_NFSULB_6_2_1_02,
                 "expected no GETATTR of attributes of unpredictable length (%s) along with %s; found GETATTR and %s "
                 "in one COMPOUND",
                 attribute, nfs_op_name(op, false), nfs_op_name(op, false));
        return;
    }
    nfs_pass(look, RULE_NFSULB_6_2_1_02);
    op = companion(body);
    INVARIANT(op == 0 || nfs_op_name(op, false));
    if (op != 0)
        nfs_fail(look, RULE_NFSULB_6_2_1_03,
                 "expected a GETATTR of attributes of unpredictable length (%s) in a COMPOUND by itself; found GETATTR "
                 "and %s in one COMPOUND",
                 attribute, nfs_op_name(op, false));
    else
        nfs_pass(look, RULE_NFSULB_6_2_1_03);
}

/* ---- netids ---- */

static bool equals(const uint8_t *p, uint32_t n, const char *text)
{
    return n == strlen(text) && memcmp(p, text, n) == 0;
}

static void judge_netid(struct nfs_look *look, const struct rpcrdma_item *netid, const struct rpcrdma_item *address)
{
    const uint8_t *id = rpcrdma_contents(look->body, netid), *addr = rpcrdma_contents(look->body, address);
    bool rdma, rdma6, v6;

    if (!id || !addr || address->item.count == 0)
        return;
    rdma = equals(id, netid->item.count, "rdma");
    rdma6 = equals(id, netid->item.count, "rdma6");
    v6 = memchr(addr, ':', address->item.count) != NULL;
    if (!rdma && !rdma6)
        return;
    if (v6 == rdma6)
        nfs_pass(look, RULE_RPCR_9_01);
    else
        nfs_fail(look, RULE_RPCR_9_01,
                 "expected the netid %s with an IPv%d address; found the netid %s with an IPv%d address",
                 v6 ? "rdma6" : "rdma", v6 ? 6 : 4, v6 ? "rdma" : "rdma6", v6 ? 6 : 4);
}

static void judge_netids(struct nfs_look *look)
{
    const struct rpcrdma_body *body = look->body;

    for (unsigned i = 0; i + 1 < body->n_items; i++) {
        if (body->items[i].item.mark == NFS_MARK_NETID && body->items[i + 1].item.mark == NFS_MARK_NETADDR)
            judge_netid(look, &body->items[i], &body->items[i + 1]);
    }
}

void nfs_compound_call(struct nfs_look *look)
{
    if (look->nfs->options.profile != PROFILE_RFC5666) /* RFC 5667 sets no limits */
        judge_complexity(look);
    if (!nfs_understood(look->body))
        return;
    judge_netids(look);
    if (look->exchange->minor == 0)
        judge_getattr(look);
}
