/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the probes read from the kernel's structures: only these members, at the offsets in the running kernel's BTF
 * (CO-RE), so a header with all kernel types is not needed. Names are the kernel's. A suffix after ___ marks members
 * that only some kernels have.
 */
#ifndef IWARP_TAP_BPF_KERNEL_H
#define IWARP_TAP_BPF_KERNEL_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
    struct list_head *next;
};

struct page {
    unsigned long flags;
};

struct kvec {
    void *iov_base;
    unsigned long iov_len;
};

struct bio_vec {
    struct page *bv_page;
    unsigned int bv_len, bv_offset;
};

struct scatterlist {
    unsigned long page_link;
    unsigned int offset, length;
};

struct sg_table {
    struct scatterlist *sgl;
};

struct xdr_buf {
    struct kvec head[1], tail[1];
    struct page **pages;
    unsigned int page_base, page_len;
};

/* ---- InfiniBand ---- */

enum ib_wc_status { IB_WC_SUCCESS };
enum ib_wc_flags { IB_WC_WITH_INVALIDATE = 4 };
enum ib_wr_opcode { IB_WR_SEND_WITH_INV = 9 };
enum rdma_cm_event_type {
    RDMA_CM_EVENT_CONNECT_REQUEST = 4,
    RDMA_CM_EVENT_REJECTED = 8,
    RDMA_CM_EVENT_ESTABLISHED = 9,
    RDMA_CM_EVENT_DISCONNECTED = 10
};

struct ib_cqe {
    void *done;
};

struct ib_cq {
    void *cq_context;
};

struct ib_wc {
    struct ib_cqe *wr_cqe;
    enum ib_wc_status status;
    __u32 byte_len;
    union {
        __u32 invalidate_rkey;
    } ex;
    int wc_flags;
};

struct ib_sge {
    __u64 addr;
    __u32 length, lkey;
};

struct ib_send_wr {
    struct ib_sge *sg_list;
    int num_sge;
    enum ib_wr_opcode opcode;
    union {
        __u32 invalidate_rkey;
    } ex;
};

struct sockaddr {
    __u16 sa_family;
};

struct rdma_addr {
    struct sockaddr src_addr, dst_addr; /* with room for those of IPv6 */
};

struct rdma_route {
    struct rdma_addr addr;
};

struct rdma_cm_id {
    struct rdma_route route;
};

struct rdma_conn_param {
    const void *private_data;
    __u8 private_data_len, responder_resources, initiator_depth;
};

struct rdma_cm_event {
    enum rdma_cm_event_type event;
    int status;
    union {
        struct rdma_conn_param conn;
    } param;
};

/* ---- the server ---- */

struct svcxprt_rdma {
    struct rdma_cm_id *sc_cm_id;
};

struct svc_rdma_recv_ctxt {
    struct ib_cqe rc_cqe;
    void *rc_recv_buf;
};

struct svc_rdma_send_ctxt {
    struct ib_send_wr sc_send_wr;
    struct ib_cqe sc_cqe;
    void *sc_xprt_buf;
};

struct svc_rdma_map_data {
    struct svcxprt_rdma *md_rdma;
    struct svc_rdma_send_ctxt *md_ctxt;
};

struct svc_rdma_chunk_ctxt {
    struct ib_cqe cc_cqe;
    struct list_head cc_rwctxts;
};

struct svc_rdma_rw_ctxt {
    struct list_head rw_list;
    unsigned int rw_nents;
    struct sg_table rw_sg_table;
};

struct svc_rdma_rw_ctxt___bvec {
    struct bio_vec *rw_bvec;
};

/* ---- the client ---- */

struct rpc_rqst {
    struct xdr_buf rq_snd_buf, rq_rcv_buf;
};

struct rpcrdma_ep {
    struct rdma_cm_id *re_id;
};

struct rpcrdma_xprt {
    struct rpcrdma_ep *rx_ep;
};

struct rpcrdma_regbuf {
    void *rg_data;
};

struct rpcrdma_rep {
    struct ib_cqe rr_cqe;
    struct rpcrdma_xprt *rr_rxprt;
    struct rpc_rqst *rr_rqst;
    struct rpcrdma_regbuf *rr_rdmabuf;
};

struct rpcrdma_sendctx {
    struct ib_sge sc_sges[1];
};

struct rpcrdma_req {
    struct rpc_rqst rl_slot;
    struct rpcrdma_sendctx *rl_sendctx;
    struct ib_send_wr rl_wr;
    struct rpcrdma_regbuf *rl_rdmabuf, *rl_sendbuf;
};

#pragma clang attribute pop

#endif
