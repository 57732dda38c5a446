// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module of the verbs transport: librdmacm and libibverbs as a table of functions, some of which are inline in the
 * headers.
 */
#include "traffic-gen/live/verbs/verbs_calls.h"

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    return ibv_req_notify_cq(cq, solicited_only);
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    return ibv_poll_cq(cq, n, wc);
}

static int module_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    return ibv_post_send(qp, wr, bad);
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    return ibv_post_recv(qp, wr, bad);
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    return ibv_alloc_mw(pd, type);
}

static int dealloc_mw(struct ibv_mw *mw)
{
    return ibv_dealloc_mw(mw);
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *p, size_t n, int access)
{
    return ibv_reg_mr(pd, p, n, access);
}

__attribute__((visibility("default"))) const struct verbs_calls iwarp_verbs_calls = {
    .size = sizeof(struct verbs_calls),
    .get_device_list = ibv_get_device_list,
    .free_device_list = ibv_free_device_list,
    .query_device = ibv_query_device,
    .get_async_event = ibv_get_async_event,
    .ack_async_event = ibv_ack_async_event,
    .alloc_pd = ibv_alloc_pd,
    .dealloc_pd = ibv_dealloc_pd,
    .reg_mr = reg_mr,
    .dereg_mr = ibv_dereg_mr,
    .alloc_mw = alloc_mw,
    .dealloc_mw = dealloc_mw,
    .create_comp_channel = ibv_create_comp_channel,
    .destroy_comp_channel = ibv_destroy_comp_channel,
    .create_cq = ibv_create_cq,
    .destroy_cq = ibv_destroy_cq,
    .req_notify_cq = req_notify_cq,
    .get_cq_event = ibv_get_cq_event,
    .ack_cq_events = ibv_ack_cq_events,
    .poll_cq = poll_cq,
    .post_send = module_post_send,
    .post_recv = post_recv,
    .wc_status_str = ibv_wc_status_str,
    .create_event_channel = rdma_create_event_channel,
    .destroy_event_channel = rdma_destroy_event_channel,
    .create_id = rdma_create_id,
    .destroy_id = rdma_destroy_id,
    .migrate_id = rdma_migrate_id,
    .set_option = rdma_set_option,
    .bind_addr = rdma_bind_addr,
    .listen = rdma_listen,
    .resolve_addr = rdma_resolve_addr,
    .resolve_route = rdma_resolve_route,
    .create_qp = rdma_create_qp,
    .destroy_qp = rdma_destroy_qp,
    .connect = rdma_connect,
    .accept = rdma_accept,
    .reject = rdma_reject,
    .disconnect = rdma_disconnect,
    .get_cm_event = rdma_get_cm_event,
    .ack_cm_event = rdma_ack_cm_event,
    .event_str = rdma_event_str,
};
