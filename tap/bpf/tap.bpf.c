// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of iwarp-tap: functions of the kernel's server and client of RPC-over-RDMA (rpcrdma) and of the connection
 * manager (rdma_cm). They only read, and report records as in tap/event.h. They are kprobes, which run with preemption
 * off: otherwise a second task on the same processor could enter a program while it runs, and the kernel would skip the
 * second run (fentry, on kernels with PREEMPT_LAZY).
 */
#include "tap/bpf/records.h"

#include <asm/ptrace.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>

enum {
    SEGMENTS_MAX = 64, /* of one Read */
    SGES_MAX = 20,
    TO_DEVICE = 1, /* DMA_TO_DEVICE */
    PROC_MSG = 0,
    PROC_NOMSG = 1,
};

char LICENSE[] SEC("license") = "GPL";

/* ---- both ---- */

/* The members of a completion that the probes need. */
struct completion {
    __u64 cqe;
    __u32 status, length, handle;
    bool invalidates;
};

static __always_inline void take_completion(struct completion *said, struct ib_wc *wc)
{
    __u64 copy[8];

    COPY(copy, wc, wr_cqe);
    said->cqe = (__u64)OF(copy, wc, wr_cqe, wr_cqe);
    said->status = OF(copy, wc, wr_cqe, status);
    said->length = OF(copy, wc, wr_cqe, byte_len);
    said->handle = OF(copy, wc, wr_cqe, ex.invalidate_rkey);
    said->invalidates = OF(copy, wc, wr_cqe, wc_flags) & IB_WC_WITH_INVALIDATE;
}

static __always_inline void received(struct message *m, const void *from, const struct completion *said)
{
    m->event.total = said->length;
    if (said->invalidates) {
        m->event.invalidates = 1;
        m->event.handle = said->handle;
    }
    m->from = from;
    put_octets(m, m->event.total);
}

/* What a send request says about the whole Send; `first`: the lengths of its first two parts. */
static __always_inline __u32 describe_send(struct message *m, struct ib_send_wr *wr, struct ib_sge *sge, __u32 first[2])
{
    __u64 copy[3];
    __u32 n;

    first[1] = 0;
    COPY(copy, wr, sg_list);
    n = OF(copy, wr, sg_list, num_sge);
    if (OF(copy, wr, sg_list, opcode) == IB_WR_SEND_WITH_INV) {
        m->event.invalidates = 1;
        m->event.handle = OF(copy, wr, sg_list, ex.invalidate_rkey);
    }
    if (!sge)
        sge = OF(copy, wr, sg_list, sg_list);
    COPY(copy, sge, addr);
    m->event.total = first[0] = OF(copy, sge, addr, length);
    for (__u32 i = 1; i < SGES_MAX; i++) {
        __u32 length;

        if (i >= n)
            break;
        length = BPF_CORE_READ(sge + i, length);
        if (i == 1)
            first[1] = length;
        m->event.total += length;
    }
    if (n > SGES_MAX)
        m->event.total = LENGTH_UNKNOWN; /* it will never be whole */
    return n;
}

/* ---- the server ---- */

SEC("kprobe/svc_rdma_wc_receive")
int BPF_KPROBE(server_received, struct ib_cq *cq, struct ib_wc *wc)
{
    struct svcxprt_rdma *rdma = BPF_CORE_READ(cq, cq_context);
    struct completion said;
    struct message m;
    __u64 ctxt;

    take_completion(&said, wc);
    if (said.status != IB_WC_SUCCESS)
        return 0;
    ctxt = said.cqe - bpf_core_field_offset(struct svc_rdma_recv_ctxt, rc_cqe);
    begin(&m, TAP_RECEIVED, BPF_CORE_READ(rdma, sc_cm_id), ctxt, true);
    received(&m, BPF_CORE_READ((struct svc_rdma_recv_ctxt *)ctxt, rc_recv_buf), &said);
    return 0;
}

/* The part of a Reply outside its head. */
SEC("kprobe/svc_rdma_xb_dma_map")
int BPF_KPROBE(server_body, struct xdr_buf *xdr, struct svc_rdma_map_data *data)
{
    struct svcxprt_rdma *rdma = BPF_CORE_READ(data, md_rdma);
    struct message m;

    begin(&m, TAP_BODY, BPF_CORE_READ(rdma, sc_cm_id), (__u64)BPF_CORE_READ(data, md_ctxt), true);
    put_xdr(&m, number_of(xdr), XDR_HEAD | XDR_PAGES | XDR_TAIL);
    return 0;
}

static __always_inline int server_head(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *ctxt)
{
    struct ib_send_wr *wr = __builtin_preserve_access_index(&ctxt->sc_send_wr);
    struct message m;
    __u32 first[2];

    begin(&m, TAP_HEAD, BPF_CORE_READ(rdma, sc_cm_id), (__u64)ctxt, true);
    describe_send(&m, wr, 0, first);
    m.from = BPF_CORE_READ(ctxt, sc_xprt_buf);
    put_octets(&m, first[0]);
    return 0;
}

/* Up to about Linux 6.5, and since then. */
SEC("?kprobe/svc_rdma_send")
int BPF_KPROBE(server_send, struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *ctxt)
{
    return server_head(rdma, ctxt);
}

SEC("?kprobe/svc_rdma_post_send")
int BPF_KPROBE(server_post_send, struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *ctxt)
{
    return server_head(rdma, ctxt);
}

SEC("kprobe/svc_rdma_wc_send")
int BPF_KPROBE(server_sent, struct ib_cq *cq, struct ib_wc *wc)
{
    struct svcxprt_rdma *rdma = BPF_CORE_READ(cq, cq_context);
    struct completion said;
    struct message m;

    take_completion(&said, wc);
    begin(&m, TAP_SENT, BPF_CORE_READ(rdma, sc_cm_id),
          said.cqe - bpf_core_field_offset(struct svc_rdma_send_ctxt, sc_cqe), true);
    m.event.status = (__s32)said.status;
    put_octets(&m, 0);
    return 0;
}

/* ---- chunks, as the server moves them ---- */

/* Where the octets of a segment are. */
static __always_inline void bounds_of(struct walk_bounds *bounds, void *ctxt)
{
    struct svc_rdma_rw_ctxt *scattered = ctxt;
    struct svc_rdma_rw_ctxt___bvec *vectors = ctxt;

    bounds->n = BPF_CORE_READ(scattered, rw_nents);
    if (bpf_core_field_exists(vectors->rw_bvec)) {
        bounds->entries = VECTORS;
        bounds->at = (__u64)BPF_CORE_READ(vectors, rw_bvec);
    } else {
        bounds->entries = SCATTERED;
        bounds->at = (__u64)BPF_CORE_READ(scattered, rw_sg_table.sgl);
    }
}

__noinline int put_segment(struct message *m, __u64 ctxt, __u32 length)
{
    struct walk_bounds bounds = {.left = length};

    if (!m)
        return 0;
    bounds_of(&bounds, (void *)ctxt);
    put_entries(m, &bounds);
    return 0;
}

static __always_inline int server_segment(struct svcxprt_rdma *rdma, void *ctxt, __u64 offset, __u32 handle,
                                          __u32 length, __u32 direction)
{
    struct message m;

    begin(&m, direction == TO_DEVICE ? TAP_WRITE : TAP_READ, BPF_CORE_READ(rdma, sc_cm_id), (__u64)ctxt, true);
    m.event.handle = handle;
    m.event.address = offset;
    m.event.total = length;
    if (direction == TO_DEVICE)
        put_segment(&m, number_of(ctxt), length);
    else
        put_octets(&m, 0);
    return 0;
}

struct length_walk {
    __u64 at;
    __u32 length;
};

static long add_length(__u32 i, struct length_walk *walk)
{
    struct scatterlist *entry = (struct scatterlist *)walk->at;
    __u64 link = BPF_CORE_READ(entry, page_link);

    if (link & 1)
        entry = (struct scatterlist *)(link & ~3UL);
    walk->length += BPF_CORE_READ(entry, length);
    walk->at = (__u64)entry + bpf_core_type_size(struct scatterlist);
    return 0;
}

/* For a list of pages, which does not contain its length. */
__noinline int length_of(__u64 number)
{
    struct svc_rdma_rw_ctxt *ctxt = (struct svc_rdma_rw_ctxt *)number;
    struct length_walk walk = {.at = (__u64)BPF_CORE_READ(ctxt, rw_sg_table.sgl)};
    __u32 n = BPF_CORE_READ(ctxt, rw_nents);

    bpf_loop(n < ENTRIES_MAX ? n : ENTRIES_MAX, add_length, &walk, 0);
    return walk.length;
}

SEC("?kprobe/svc_rdma_rw_ctx_init")
int BPF_KPROBE(server_segment_5, struct svcxprt_rdma *rdma, struct svc_rdma_rw_ctxt *ctxt, __u64 offset, __u32 handle,
               __u32 direction)
{
    return server_segment(rdma, ctxt, offset, handle, length_of(number_of(ctxt)), direction);
}

#ifdef __TARGET_ARCH_x86
#define SIXTH(regs) ((regs)->r9)
#else
#define SIXTH(regs) (((const struct user_pt_regs *)(regs))->regs[5])
#endif

/* With the length as fifth argument. */
SEC("?kprobe/svc_rdma_rw_ctx_init")
int BPF_KPROBE(server_segment_6, struct svcxprt_rdma *rdma, struct svc_rdma_rw_ctxt *ctxt, __u64 offset, __u32 handle,
               __u32 length)
{
    return server_segment(rdma, ctxt, offset, handle, length, SIXTH(ctx));
}

SEC("kprobe/svc_rdma_wc_read_done")
int BPF_KPROBE(server_read, struct ib_cq *cq, struct ib_wc *wc)
{
    struct svcxprt_rdma *rdma = BPF_CORE_READ(cq, cq_context);
    __u64 chunk = (__u64)BPF_CORE_READ(wc, wr_cqe) - bpf_core_field_offset(struct svc_rdma_chunk_ctxt, cc_cqe);
    __u64 head = chunk + bpf_core_field_offset(struct svc_rdma_chunk_ctxt, cc_rwctxts), at = 0;
    struct rdma_cm_id *id = BPF_CORE_READ(rdma, sc_cm_id);
    struct message m;

    if (BPF_CORE_READ(wc, status) != IB_WC_SUCCESS)
        return 0;
    bpf_probe_read_kernel(&at, sizeof at, (void *)head);
    for (int i = 0; i < SEGMENTS_MAX; i++) {
        __u64 ctxt = at - bpf_core_field_offset(struct svc_rdma_rw_ctxt, rw_list);

        if (at == head || !at)
            break;
        begin(&m, TAP_READ_OCTETS, id, ctxt, true);
        put_segment(&m, ctxt, LENGTH_UNKNOWN);
        m.event.first = 0;
        m.from = 0;
        put_octets(&m, 0);
        bpf_probe_read_kernel(&at, sizeof at, (void *)at);
    }
    return 0;
}

/* ---- the client ---- */

SEC("kprobe/rpcrdma_wc_receive")
int BPF_KPROBE(client_received, struct ib_cq *cq, struct ib_wc *wc)
{
    struct rpcrdma_xprt *xprt = BPF_CORE_READ(cq, cq_context);
    struct completion said;
    struct message m;
    __u64 rep;

    take_completion(&said, wc);
    if (said.status != IB_WC_SUCCESS)
        return 0;
    rep = said.cqe - bpf_core_field_offset(struct rpcrdma_rep, rr_cqe);
    begin(&m, TAP_RECEIVED, BPF_CORE_READ(xprt, rx_ep, re_id), rep, false);
    received(&m, BPF_CORE_READ((struct rpcrdma_rep *)rep, rr_rdmabuf, rg_data), &said);
    return 0;
}

/* The first words of a Transport header. */
struct words {
    __u32 word[6];
};

enum { WORD_XID, WORD_VERSION, WORD_CREDIT, WORD_PROC, WORD_READS, WORD_WRITES };

/* The server's Writes have arrived when all memory belongs to the client again. */
SEC("kprobe/rpcrdma_complete_rqst")
int BPF_KPROBE(client_completed, struct rpcrdma_rep *rep)
{
    struct words header = {};
    struct message m;
    bool whole;

    bpf_probe_read_kernel(&header, sizeof header, BPF_CORE_READ(rep, rr_rdmabuf, rg_data));
    whole = header.word[WORD_PROC] == bpf_htonl(PROC_NOMSG);
    if (!whole && (header.word[WORD_PROC] != PROC_MSG || !header.word[WORD_WRITES]))
        return 0;
    begin(&m, TAP_WRITTEN, BPF_CORE_READ(rep, rr_rxprt, rx_ep, re_id), header.word[WORD_XID], false);
    m.ends = !whole;
    if (chunks)
        put_xdr(&m, number_of(BPF_CORE_READ(rep, rr_rqst)) + bpf_core_field_offset(struct rpc_rqst, rq_rcv_buf),
                whole ? XDR_HEAD | XDR_PAGES | XDR_TAIL : XDR_PAGES);
    if (m.event.last)
        return 0;
    m.event.first = 0;
    m.from = 0;
    put_octets(&m, 0);
    return 0;
}

SEC("kprobe/frwr_send")
int BPF_KPROBE(client_send, struct rpcrdma_xprt *xprt, struct rpcrdma_req *req)
{
    struct ib_send_wr *wr = __builtin_preserve_access_index(&req->rl_wr);
    __u64 sent = number_of(req) + bpf_core_field_offset(struct rpcrdma_req, rl_slot) +
                 bpf_core_field_offset(struct rpc_rqst, rq_snd_buf);
    struct rdma_cm_id *id = BPF_CORE_READ(xprt, rx_ep, re_id);
    struct xdr_buf *xdr = (struct xdr_buf *)sent;
    struct rpcrdma_regbuf *regbuf;
    struct rpcrdma_sendctx *sendctx;
    struct words words = {};
    __u32 parts, first[2];
    const void *header;
    struct message m;
    __u64 copy[3];

    COPY(copy, req, rl_sendctx);
    sendctx = OF(copy, req, rl_sendctx, rl_sendctx);
    regbuf = OF(copy, req, rl_sendctx, rl_rdmabuf);
    header = BPF_CORE_READ(regbuf, rg_data);
    regbuf = OF(copy, req, rl_sendctx, rl_sendbuf);
    bpf_probe_read_kernel(&words, sizeof words, header);
    if (words.word[WORD_READS] && chunks) { /* what the server will read */
        begin(&m, TAP_EXPOSED, id, (__u64)req, false);
        put_xdr(&m, sent, words.word[WORD_PROC] ? XDR_HEAD | XDR_PAGES | XDR_TAIL : XDR_PAGES);
    }
    begin(&m, TAP_HEAD, id, (__u64)req, false);
    parts = describe_send(&m, wr, __builtin_preserve_access_index(&sendctx->sc_sges[0]), first);
    m.from = header;
    if (parts >= 2)
        m.then = BPF_CORE_READ(regbuf, rg_data);
    put_two(&m, first[0], first[1]);
    if (parts < 3)
        return 0;
    m.event.kind = TAP_BODY;
    if (words.word[WORD_READS]) { /* the pages are in a chunk; the tail begins with their roundup, which is not sent */
        __u32 n = BPF_CORE_READ(xdr, tail[0].iov_len);

        m.from = BPF_CORE_READ(xdr, tail[0].iov_base) + (n & 3);
        if (n > (n & 3))
            put_octets(&m, n - (n & 3));
    } else {
        put_xdr(&m, sent, XDR_PAGES | XDR_TAIL);
    }
    return 0;
}

/* ---- connections ---- */

static __always_inline void put_private(struct message *m, const void *p, __u32 n)
{
    m->from = p;
    m->event.total = n;
    if (n > TAP_PRIVATE_MAX)
        n = TAP_PRIVATE_MAX;
    put_octets(m, p ? n : 0);
}

/* In an event, responder_resources is what the peer asks of this host: its own ORD. */
static __always_inline void put_peer(struct rdma_cm_id *id, struct rdma_cm_event *event, enum tap_kind kind,
                                     bool server)
{
    struct message m;

    begin(&m, kind, id, 0, server);
    m.event.status = BPF_CORE_READ(event, status);
    m.event.ird = BPF_CORE_READ(event, param.conn.initiator_depth);
    m.event.ord = BPF_CORE_READ(event, param.conn.responder_resources);
    put_private(&m, BPF_CORE_READ(event, param.conn.private_data), BPF_CORE_READ(event, param.conn.private_data_len));
}

static __always_inline void put_mine(struct rdma_cm_id *id, struct rdma_conn_param *param, enum tap_kind kind,
                                     bool server)
{
    struct message m;

    begin(&m, kind, id, 0, server);
    m.event.ird = BPF_CORE_READ(param, responder_resources);
    m.event.ord = BPF_CORE_READ(param, initiator_depth);
    put_private(&m, BPF_CORE_READ(param, private_data), BPF_CORE_READ(param, private_data_len));
}

static __always_inline void put_end(struct rdma_cm_id *id, enum tap_kind kind, bool server)
{
    struct message m;

    begin(&m, kind, id, 0, server);
    put_octets(&m, 0);
}

/* The connections of rpcrdma; other users of rdma_cm are not reported. Value: this host is the server. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 16384);
    __type(key, __u64);
    __type(value, __u8);
} ours SEC(".maps");

static __always_inline void note_ours(struct rdma_cm_id *id, bool server)
{
    __u64 key = (__u64)id;
    __u8 value = server;

    bpf_map_update_elem(&ours, &key, &value, BPF_ANY);
}

SEC("kprobe/svc_rdma_listen_handler")
int BPF_KPROBE(server_asked, struct rdma_cm_id *id, struct rdma_cm_event *event)
{
    if (BPF_CORE_READ(event, event) != RDMA_CM_EVENT_CONNECT_REQUEST)
        return 0;
    note_ours(id, true);
    put_peer(id, event, TAP_ASKED, true);
    return 0;
}

SEC("kprobe/svc_rdma_cma_handler")
int BPF_KPROBE(server_event, struct rdma_cm_id *id, struct rdma_cm_event *event)
{
    enum rdma_cm_event_type what = BPF_CORE_READ(event, event);

    note_ours(id, true);
    if (what == RDMA_CM_EVENT_ESTABLISHED)
        put_end(id, TAP_ACCEPTED, true);
    else if (what == RDMA_CM_EVENT_DISCONNECTED)
        put_end(id, TAP_LEFT, true);
    return 0;
}

SEC("kprobe/rpcrdma_cm_event_handler")
int BPF_KPROBE(client_event, struct rdma_cm_id *id, struct rdma_cm_event *event)
{
    enum rdma_cm_event_type what = BPF_CORE_READ(event, event);

    note_ours(id, false);
    if (what == RDMA_CM_EVENT_ESTABLISHED)
        put_peer(id, event, TAP_ACCEPTED, false);
    else if (what == RDMA_CM_EVENT_REJECTED)
        put_peer(id, event, TAP_REJECTED, false);
    else if (what == RDMA_CM_EVENT_DISCONNECTED)
        put_end(id, TAP_LEFT, false);
    return 0;
}

SEC("kprobe/rdma_accept")
int BPF_KPROBE(any_accept, struct rdma_cm_id *id, struct rdma_conn_param *param)
{
    __u64 key = (__u64)id;

    if (param && bpf_map_lookup_elem(&ours, &key))
        put_mine(id, param, TAP_ACCEPT, true);
    return 0;
}

SEC("kprobe/rdma_connect")
int BPF_KPROBE(any_connect, struct rdma_cm_id *id, struct rdma_conn_param *param)
{
    __u64 key = (__u64)id;

    if (bpf_map_lookup_elem(&ours, &key))
        put_mine(id, param, TAP_CONNECT, false);
    return 0;
}

SEC("kprobe/rdma_disconnect")
int BPF_KPROBE(any_disconnect, struct rdma_cm_id *id)
{
    __u64 key = (__u64)id;
    __u8 *server = bpf_map_lookup_elem(&ours, &key);

    if (server)
        put_end(id, TAP_LEAVE, *server);
    return 0;
}

SEC("kprobe/rdma_destroy_id")
int BPF_KPROBE(any_destroy, struct rdma_cm_id *id)
{
    __u64 key = (__u64)id;
    __u8 *server = bpf_map_lookup_elem(&ours, &key);
    __u64 *slot = known_slot(key);

    if (slot)
        *slot = 0; /* the number may become another connection's */
    if (!server)
        return 0;
    put_end(id, TAP_GONE, *server);
    bpf_map_delete_elem(&ours, &key);
    return 0;
}
