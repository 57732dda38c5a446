// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target: a responder on the kernel's RDMA stack for the active test suites. It offers what `iwarp-gen serve
 * --service=echo` offers, iwarp-gen(1): memory regions, told in the private data of its Reply, and Receives as the
 * Request asks for them.
 *
 * usage: target PORT
 */
#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    REGIONS = 6,
    LARGE = 65536,
    SMALL = 4096,
    RECEIVES_MAX = 1024,
    RECEIVE_MAX = 1 << 20,
    POLL_US = 300,
    READS = 16
};
enum { ECHO = 1, REJECT = 2, REJECT_WITH_DATA = 4, NO_REPLY = 8 };

struct region {
    uint64_t address;
    uint32_t stag, length;
} __attribute__((packed));

struct advertisement {
    char magic[4];
    uint32_t n;
    struct region region[REGIONS];
} __attribute__((packed));

struct wish {
    char magic[4];
    uint32_t receives, receive_size, flags;
} __attribute__((packed));

struct connection {
    struct rdma_cm_id *id;
    struct ibv_pd *domain, *other_domain;
    struct ibv_cq *completions;
    struct ibv_mr *region[REGIONS], *receive_region;
    uint8_t *memory[REGIONS], *receive;
    struct wish wish;
    volatile int over;
};

static const int rights[REGIONS] = {
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
    IBV_ACCESS_LOCAL_WRITE,
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
};

static int region_size(int i)
{
    return i == 0 ? LARGE : SMALL;
}

static int post_receive(struct connection *c, uint32_t index)
{
    struct ibv_sge piece = {(uintptr_t)(c->receive + (size_t)index * c->wish.receive_size), c->wish.receive_size,
                            c->receive_region->lkey};
    struct ibv_recv_wr work = {.wr_id = index, .sg_list = &piece, .num_sge = c->wish.receive_size ? 1 : 0}, *bad;

    return ibv_post_recv(c->id->qp, &work, &bad);
}

static void connection_free(struct connection *c)
{
    if (c->id->qp)
        rdma_destroy_qp(c->id);
    rdma_destroy_id(c->id);
    for (int i = 0; i < REGIONS; i++) {
        if (c->region[i])
            ibv_dereg_mr(c->region[i]);
        free(c->memory[i]);
    }
    if (c->receive_region)
        ibv_dereg_mr(c->receive_region);
    free(c->receive);
    if (c->completions)
        ibv_destroy_cq(c->completions);
    if (c->domain)
        ibv_dealloc_pd(c->domain);
    if (c->other_domain)
        ibv_dealloc_pd(c->other_domain);
    free(c);
}

static int connection_open(struct connection *c)
{
    size_t size = (size_t)c->wish.receives * c->wish.receive_size;

    c->domain = ibv_alloc_pd(c->id->verbs);
    c->other_domain = ibv_alloc_pd(c->id->verbs);
    c->completions = ibv_create_cq(c->id->verbs, 2 * RECEIVES_MAX, NULL, NULL, 0);
    if (!c->domain || !c->other_domain || !c->completions)
        return -1;
    for (int i = 0; i < REGIONS; i++) {
        if (posix_memalign((void **)&c->memory[i], SMALL, (size_t)region_size(i)) != 0)
            return -1;
        memset(c->memory[i], 'A' + i, (size_t)region_size(i));
        c->region[i] =
            ibv_reg_mr(i == 4 ? c->other_domain : c->domain, c->memory[i], (size_t)region_size(i), rights[i]);
        if (!c->region[i])
            return -1;
    }
    if (posix_memalign((void **)&c->receive, SMALL, size ? size : SMALL) != 0)
        return -1;
    c->receive_region = ibv_reg_mr(c->domain, c->receive, size ? size : SMALL, IBV_ACCESS_LOCAL_WRITE);
    if (!c->receive_region)
        return -1;

    struct ibv_qp_init_attr attributes = {
        .send_cq = c->completions,
        .recv_cq = c->completions,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 128, .max_recv_wr = c->wish.receives + 1, .max_send_sge = 1, .max_recv_sge = 1},
    };
    if (rdma_create_qp(c->id, c->domain, &attributes) != 0)
        return -1;
    for (uint32_t i = 0; i < c->wish.receives; i++) {
        if (post_receive(c, i) != 0)
            return -1;
    }
    return 0;
}

/* Sends each message back from the Receive buffer in which it came; the buffer is posted again when that is done. */
static void *serve(void *argument)
{
    struct connection *c = argument;
    struct ibv_wc done;

    while (!c->over) {
        int n = ibv_poll_cq(c->completions, 1, &done);

        if (n < 0)
            break;
        if (n == 0) {
            usleep(POLL_US);
            continue;
        }
        if (done.status != IBV_WC_SUCCESS)
            continue;
        if (done.opcode != IBV_WC_RECV || !(c->wish.flags & ECHO)) {
            post_receive(c, (uint32_t)done.wr_id);
            continue;
        }
        struct ibv_sge piece = {(uintptr_t)(c->receive + done.wr_id * c->wish.receive_size), done.byte_len,
                                c->receive_region->lkey};
        struct ibv_send_wr work = {.wr_id = done.wr_id,
                                   .sg_list = &piece,
                                   .num_sge = done.byte_len ? 1 : 0,
                                   .opcode = IBV_WR_SEND,
                                   .send_flags = IBV_SEND_SIGNALED},
                           *bad;
        ibv_post_send(c->id->qp, &work, &bad);
    }
    connection_free(c);
    return NULL;
}

static struct connection *requested(const struct rdma_cm_event *event)
{
    struct connection *c = calloc(1, sizeof *c);
    const struct wish *wish = event->param.conn.private_data;

    if (!c)
        exit(1);
    c->id = event->id;
    c->wish = (struct wish){.receives = 16, .receive_size = SMALL};
    if (wish && event->param.conn.private_data_len >= sizeof *wish && memcmp(wish->magic, "IWTQ", 4) == 0) {
        c->wish.receives = ntohl(wish->receives) % (RECEIVES_MAX + 1);
        c->wish.receive_size = ntohl(wish->receive_size) % (RECEIVE_MAX + 1);
        c->wish.flags = ntohl(wish->flags);
    }
    return c;
}

static void answer(struct connection *c, struct rdma_conn_param *terms)
{
    static const char why[] = "no thank you";
    struct advertisement advertisement = {.magic = "IWT1", .n = htonl(REGIONS)};
    pthread_t thread;

    if (c->wish.flags & NO_REPLY)
        return; /* its Request stays open until the peer gives up */
    if ((c->wish.flags & (REJECT | REJECT_WITH_DATA)) || connection_open(c) != 0) {
        rdma_reject(c->id, c->wish.flags & REJECT_WITH_DATA ? why : NULL,
                    c->wish.flags & REJECT_WITH_DATA ? sizeof why - 1 : 0);
        connection_free(c);
        return;
    }
    for (int i = 0; i < REGIONS; i++) {
        advertisement.region[i] = (struct region){htobe64((uintptr_t)c->memory[i]), htonl(c->region[i]->rkey),
                                                  htonl((uint32_t)region_size(i))};
    }
    ibv_dereg_mr(c->region[5]);
    c->region[5] = NULL;
    terms->private_data = &advertisement;
    terms->private_data_len = sizeof advertisement;
    c->id->context = c;
    if (rdma_accept(c->id, terms) != 0 || pthread_create(&thread, NULL, serve, c) != 0) {
        connection_free(c);
        return;
    }
    pthread_detach(thread);
}

int main(int argc, char **argv)
{
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *listener;
    struct rdma_cm_event *event;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtoul(argc > 1 ? argv[1] : "7175", NULL, 10))};

    if (!channel || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) != 0 ||
        rdma_bind_addr(listener, (struct sockaddr *)&address) != 0 || rdma_listen(listener, 16) != 0) {
        perror("target");
        return 1;
    }
    while (rdma_get_cm_event(channel, &event) == 0) {
        if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
            struct connection *c = requested(event);
            struct rdma_conn_param terms = {.responder_resources = READS, .initiator_depth = READS};
            rdma_ack_cm_event(event);
            answer(c, &terms);
            continue;
        }
        struct connection *c = event->id->context;
        enum rdma_cm_event_type type = event->event;
        rdma_ack_cm_event(event);
        if (c && (type == RDMA_CM_EVENT_DISCONNECTED || type == RDMA_CM_EVENT_CONNECT_ERROR)) {
            rdma_disconnect(c->id);
            c->over = 1;
        }
    }
    return 0;
}
