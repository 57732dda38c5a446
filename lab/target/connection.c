// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/target/connection.h"

#include "lab/target/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OWN_SENDS = 8, AT_ONCE = 64 };
static const uint64_t own_send = UINT64_MAX; /* wr_id of messages that are not echoes */

double connection_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct connection *connection_new(struct rdma_cm_id *id, const struct target_options *options)
{
    struct connection *c = calloc(1, sizeof *c);

    if (!c) {
        trouble_system("connection");
        return NULL;
    }
    c->id = id;
    c->options = options;
    c->last = connection_now();
    id->context = c;
    return c;
}

/* One more than the first Receives: a peer may need a Receive while another message is still being echoed. */
static const char *open_queues(struct connection *c)
{
    struct ibv_device_attr can;
    struct ibv_qp_init_attr attributes = {.qp_type = IBV_QPT_RC, .cap = {.max_send_sge = 1, .max_recv_sge = 1}};

    if (ibv_query_device(c->id->verbs, &can) != 0)
        return "device";
    attributes.cap.max_recv_wr = plan_least((uint32_t)can.max_qp_wr, PLAN_RECEIVES_MAX + 1);
    attributes.cap.max_send_wr = plan_least((uint32_t)can.max_qp_wr, PLAN_RECEIVES_MAX + OWN_SENDS);
    c->channel = ibv_create_comp_channel(c->id->verbs);
    if (!c->channel || fcntl(c->channel->fd, F_SETFL, O_NONBLOCK) != 0)
        return "completion channel";
    c->completions = ibv_create_cq(
        c->id->verbs, (int)plan_least((uint32_t)can.max_cqe, attributes.cap.max_recv_wr + attributes.cap.max_send_wr),
        c, c->channel, 0);
    if (!c->completions || ibv_req_notify_cq(c->completions, 0) != 0)
        return "completion queue";
    attributes.send_cq = attributes.recv_cq = c->completions;
    return rdma_create_qp(c->id, c->memory.domain, &attributes) == 0 ? NULL : "queue pair";
}

bool connection_open(struct connection *c)
{
    const char *wrong = memory_open(&c->memory, c->id->verbs, c->options);

    if (!wrong)
        wrong = open_queues(c);
    if (wrong)
        trouble_system(wrong);
    return !wrong;
}

static int post_receive(struct connection *c, uint64_t i)
{
    const struct memory_region *receives = &c->memory.receives;
    struct ibv_sge piece = {(uintptr_t)(receives->octets + i * c->plan.size), c->plan.size, receives->registered->lkey};
    struct ibv_recv_wr work = {.wr_id = i, .sg_list = &piece, .num_sge = c->plan.size ? 1 : 0}, *bad;

    return ibv_post_recv(c->id->qp, &work, &bad);
}

bool connection_post_receives(struct connection *c)
{
    const char *wrong = memory_receives(&c->memory, &c->plan);

    for (uint32_t i = 0; !wrong && i < c->plan.receives; i++) {
        errno = post_receive(c, i);
        wrong = errno ? "Receive" : NULL;
    }
    if (wrong)
        trouble_system(wrong);
    return !wrong;
}

void connection_terms(struct connection *c, struct rdma_conn_param *terms, uint8_t words[ADVERT_MAX])
{
    struct ibv_device_attr can;

    *terms = (struct rdma_conn_param){.responder_resources = (uint8_t)c->options->ird,
                                      .initiator_depth = (uint8_t)c->options->ord};
    if (ibv_query_device(c->id->verbs, &can) == 0) {
        terms->responder_resources = (uint8_t)plan_least(c->options->ird, (uint32_t)can.max_qp_rd_atom);
        terms->initiator_depth = (uint8_t)plan_least(c->options->ord, (uint32_t)can.max_qp_init_rd_atom);
    }
    if (!c->options->tell_in_send) {
        terms->private_data = words;
        terms->private_data_len = (uint8_t)advert_encode(&c->memory.advert, words);
    }
}

/* False: the queue pair accepts no more work. */
static bool connection_post_send(struct connection *c, uint64_t cookie, const struct memory_region *from, uint64_t at,
                                 uint32_t n)
{
    struct ibv_sge piece = {(uintptr_t)(from->octets + at), n, from->registered->lkey};
    struct ibv_send_wr work = {.wr_id = cookie,
                               .sg_list = &piece,
                               .num_sge = n ? 1 : 0,
                               .opcode = IBV_WR_SEND,
                               .send_flags = IBV_SEND_SIGNALED},
                       *bad;

    return ibv_post_send(c->id->qp, &work, &bad) == 0;
}

static bool send_advert(struct connection *c, uint64_t cookie)
{
    uint32_t n = (uint32_t)advert_encode(&c->memory.advert, c->memory.scratch.octets);

    return connection_post_send(c, cookie, &c->memory.scratch, 0, n);
}

void connection_greet(struct connection *c)
{
    static const char hello[] = "hello";

    if (c->options->tell_in_send) {
        send_advert(c, own_send);
        return;
    }
    memcpy(c->memory.scratch.octets, hello, sizeof hello - 1);
    connection_post_send(c, own_send, &c->memory.scratch, 0, sizeof hello - 1);
}

/*
 * Posts the Atomic that a message asks for; the original value goes to the beginning of the message's Receive buffer.
 * False: the device has no Atomics, or the message asks for Immediate Data of 8 octets, whereas verbs carry 4.
 */
static bool connection_performs(struct connection *c, uint64_t cookie, const struct advert_request *task, uint64_t at)
{
    const struct memory_region *receives = &c->memory.receives;
    const bool adds = task->operation == ADVERT_FETCH_ADD;
    struct ibv_sge piece = {(uintptr_t)(receives->octets + at), sizeof(uint64_t), receives->registered->lkey};
    struct ibv_send_wr work = {.wr_id = cookie,
                               .sg_list = &piece,
                               .num_sge = 1,
                               .opcode = adds ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP,
                               .send_flags = IBV_SEND_SIGNALED,
                               .wr.atomic = {.remote_addr = task->address,
                                             .rkey = task->stag,
                                             .compare_add = adds ? task->data : task->compare,
                                             .swap = adds ? 0 : task->data}},
                       *bad;
    const bool is_atomic = adds || task->operation == ADVERT_CMP_SWAP;
    const bool done = c->memory.atomics && is_atomic && ibv_post_send(c->id->qp, &work, &bad) == 0;

    if (!done && c->options->verbose)
        target_trouble_say("connection %p: a message asks for an operation that %s", (void *)c,
                           is_atomic ? "this device does not have" : "verbs lack");
    return done;
}

/* True: an answer is being sent from this Receive buffer, or in place of it. */
static bool connection_answered(struct connection *c, const struct ibv_wc *received)
{
    uint64_t at = received->wr_id * c->plan.size;
    struct advert_request task;

    if (received->byte_len > c->plan.size) /* the device chose the number; this is our limit */
        return false;
    if (plan_is_question(c->memory.receives.octets + at, received->byte_len, &c->plan.echo))
        return send_advert(c, received->wr_id);
    if (advert_request_decode(&task, c->memory.receives.octets + at, received->byte_len) &&
        connection_performs(c, received->wr_id, &task, at))
        return true;
    return c->plan.echo && connection_post_send(c, received->wr_id, &c->memory.receives, at, received->byte_len);
}

/* A message is echoed from the Receive buffer in which it came; afterwards the buffer is posted again. */
static void connection_take(struct connection *c, const struct ibv_wc *done)
{
    if (done->status != IBV_WC_SUCCESS) {
        if (c->options->verbose && done->status != IBV_WC_WR_FLUSH_ERR)
            target_trouble_say("connection %p: %s", (void *)c, ibv_wc_status_str(done->status));
        return;
    }
    c->last = connection_now();
    if (done->wr_id >= c->plan.receives)
        return;
    if (done->opcode != IBV_WC_RECV || !connection_answered(c, done))
        post_receive(c, done->wr_id);
}

void connection_work(struct connection *c)
{
    struct ibv_wc done[AT_ONCE];
    struct ibv_cq *queue;
    void *context;
    int n;

    while (ibv_get_cq_event(c->channel, &queue, &context) == 0)
        c->unread++;
    /* Requested before the queue is emptied, so that later completions raise an event. */
    ibv_req_notify_cq(c->completions, 0);
    n = ibv_poll_cq(c->completions, AT_ONCE, done);
    for (int i = 0; i < n; i++)
        connection_take(c, &done[i]);
    c->busy = n == AT_ONCE;
}

void connection_free(struct connection *c)
{
    if (c->established)
        rdma_disconnect(c->id);
    if (c->id->qp)
        rdma_destroy_qp(c->id);
    if (c->completions) {
        ibv_ack_cq_events(c->completions, c->unread);
        ibv_destroy_cq(c->completions);
    }
    if (c->channel)
        ibv_destroy_comp_channel(c->channel);
    memory_clear(&c->memory);
    rdma_destroy_id(c->id);
    free(c);
}
