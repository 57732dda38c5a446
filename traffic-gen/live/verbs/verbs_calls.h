/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of librdmacm and libibverbs that the verbs transport calls. The program is not linked with these
 * libraries: a module (verbs_module.c) has them, which is loaded when an address begins with "rdma:". A test has its
 * own functions.
 */
#ifndef IWARP_TRAFFIC_LIVE_VERBS_VERBS_CALLS_H
#define IWARP_TRAFFIC_LIVE_VERBS_VERBS_CALLS_H

#include <glib.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>

struct verbs_calls {
    size_t size; /* of this structure: refuses a module of another release */
    struct ibv_device **(*get_device_list)(int *n);
    void (*free_device_list)(struct ibv_device **list);
    int (*query_device)(struct ibv_context *context, struct ibv_device_attr *attributes);
    int (*get_async_event)(struct ibv_context *context, struct ibv_async_event *event);
    void (*ack_async_event)(struct ibv_async_event *event);
    struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
    int (*dealloc_pd)(struct ibv_pd *pd);
    struct ibv_mr *(*reg_mr)(struct ibv_pd *pd, void *p, size_t n, int access);
    int (*dereg_mr)(struct ibv_mr *mr);
    struct ibv_mw *(*alloc_mw)(struct ibv_pd *pd, enum ibv_mw_type type);
    int (*dealloc_mw)(struct ibv_mw *mw);
    struct ibv_comp_channel *(*create_comp_channel)(struct ibv_context *context);
    int (*destroy_comp_channel)(struct ibv_comp_channel *channel);
    struct ibv_cq *(*create_cq)(struct ibv_context *context, int cqe, void *ctx, struct ibv_comp_channel *channel,
                                int vector);
    int (*destroy_cq)(struct ibv_cq *cq);
    int (*req_notify_cq)(struct ibv_cq *cq, int solicited_only);
    int (*get_cq_event)(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **ctx);
    void (*ack_cq_events)(struct ibv_cq *cq, unsigned n);
    int (*poll_cq)(struct ibv_cq *cq, int n, struct ibv_wc *wc);
    int (*post_send)(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
    int (*post_recv)(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
    const char *(*wc_status_str)(enum ibv_wc_status status);
    struct rdma_event_channel *(*create_event_channel)(void);
    void (*destroy_event_channel)(struct rdma_event_channel *channel);
    int (*create_id)(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
                     enum rdma_port_space space);
    int (*destroy_id)(struct rdma_cm_id *id);
    int (*migrate_id)(struct rdma_cm_id *id, struct rdma_event_channel *channel);
    int (*set_option)(struct rdma_cm_id *id, int level, int name, void *p, size_t n);
    int (*bind_addr)(struct rdma_cm_id *id, struct sockaddr *address);
    int (*listen)(struct rdma_cm_id *id, int backlog);
    int (*resolve_addr)(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *peer, int timeout_ms);
    int (*resolve_route)(struct rdma_cm_id *id, int timeout_ms);
    int (*create_qp)(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attributes);
    void (*destroy_qp)(struct rdma_cm_id *id);
    int (*connect)(struct rdma_cm_id *id, struct rdma_conn_param *terms);
    int (*accept)(struct rdma_cm_id *id, struct rdma_conn_param *terms);
    int (*reject)(struct rdma_cm_id *id, const void *p, uint8_t n);
    int (*disconnect)(struct rdma_cm_id *id);
    int (*get_cm_event)(struct rdma_event_channel *channel, struct rdma_cm_event **event);
    int (*ack_cm_event)(struct rdma_cm_event *event);
    const char *(*event_str)(enum rdma_cm_event_type event);
};

/* The module exports this name. */
extern const struct verbs_calls iwarp_verbs_calls;
#define VERBS_MODULE_SYMBOL "iwarp_verbs_calls"

/* NULL with an error when there is no module. Later calls return the same functions. */
const struct verbs_calls *verbs_calls(GError **error);
/* Replaces the module's functions. */
void verbs_set_calls(const struct verbs_calls *calls);

#endif
