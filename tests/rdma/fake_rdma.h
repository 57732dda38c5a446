/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the RDMA device for tests (fake_rdma.c) within a process. */
#ifndef IWARP_TESTS_FAKE_RDMA_H
#define IWARP_TESTS_FAKE_RDMA_H

#include <glib.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port
#undef ibv_get_device_list

/* The library is preloaded: only the functions that it replaces may be visible. */
#pragma GCC visibility push(hidden)

#include "tests/rdma/fake_device.h"

enum { DATA_MAX = 255, IB_REQUEST_DATA = 56, IB_REPLY_DATA = 196, IB_REJECT_DATA = 148, READS_MAX = 16 };
enum { RNR_STEP_US = 20000, RNR_FOREVER = 7, FRAME_MAX = 64 << 20, NO_LISTENER = 8, REJECTED = 28 };

/* ---- messages on the wire: a header, then n octets ---- */

enum kind { REQUEST, REPLY, REJECT, DISCONNECT, SEND, WRITE, READ, ATOMIC, ANSWER };

/* The octets of an ATOMIC; its ANSWER has the original word. */
struct atomic {
    uint64_t compare_add, swap;
    uint64_t swaps; /* or adds */
};

struct frame {
    uint32_t n, kind;
    uint32_t rkey, length; /* of WRITE, READ; SEND: the rkey to invalidate. REQUEST, REPLY: IRD and ORD */
    uint64_t address;
    uint32_t invalidates, immediate, has_immediate, status, rnr, solicited;
};

struct work {
    uint64_t id;
    enum ibv_wc_opcode opcode;
    bool signaled;
    GArray *pieces; /* struct ibv_sge, of a READ */
    uint32_t n;
};

enum state { IDLE, LISTENS, CONNECTS, IS_ASKED, CONNECTED, DISCONNECTED };

struct fake_id {
    struct rdma_cm_id id;
    enum state state;
    int fd;
    uint32_t number, interest;
    GByteArray *in, *out;
    unsigned unacknowledged; /* Sends; fake_device.sends_late */
    bool sent_disconnect, got_disconnect, told;
    bool is_known; /* the program knows it; otherwise its connection is still to be requested */
    struct fake_id *listener;
    struct ibv_qp *qp;
    uint8_t rnr;
};

struct fake_qp {
    struct ibv_qp qp;
    struct fake_id *id;
    GQueue sends, receives; /* struct work */
    bool is_broken, all_signaled;
    int64_t stalled_at; /* when a Send found no Receive; 0: none */
};

struct fake_channel {
    struct rdma_event_channel channel;
    GQueue events;
};

struct fake_event {
    struct rdma_cm_event event;
    uint8_t data[DATA_MAX];
};

struct fake_comp {
    struct ibv_comp_channel channel;
    GQueue events; /* struct ibv_cq */
};

struct fake_cq {
    struct ibv_cq cq;
    GQueue done; /* struct ibv_wc */
    bool armed, solicited_only;
    struct work *late; /* fake_device.reads_late: a Read that is not done yet */
    struct fake_qp *late_qp;
    GBytes *late_octets;
};

struct fake_mr {
    struct ibv_mr mr;
    uint64_t iova;
    int access;
};

struct fake_mw {
    struct ibv_mw mw;
    uint64_t address, length;
    int access;
    bool is_bound;
    struct fake_qp *qp;
};

struct fake_host {
    GRecMutex lock;
    GHashTable *ids /* number -> fake_id */, *regions /* rkey -> fake_mr */, *windows /* rkey -> fake_mw */;
    int epoll_fd;
    uint32_t next_key, next_number;
    struct ibv_context context;
    struct ibv_device device;
    struct fake_id *asker; /* the latest that requested a connection */
    GQueue reports;        /* enum ibv_event_type, about it */
};
extern struct fake_host host;

/* fake_rdma.c: the hardware's work; all but the first four need the lock */
bool fake_is_iwarp(void);
void fake_poke(int fd);
bool fake_take_poke(int fd);
void fake_count(int objects);
void fake_work_free(struct work *work);
void fake_complete(struct fake_qp *qp, struct work *work, enum ibv_wc_status status);
void fake_flush(struct fake_qp *qp);
void fake_tell(struct fake_id *id, enum rdma_cm_event_type type, int status, const struct frame *frame,
               const uint8_t *data, size_t room);
void fake_is_over(struct fake_id *id);
void fake_watch(struct fake_id *id, uint32_t interest);
void fake_say(struct fake_id *id, struct frame frame, const void *p, size_t n);
void fake_hang_up(struct fake_id *id);
bool fake_invalidate(const struct fake_qp *qp, uint32_t rkey);
size_t fake_room_of(const struct work *receive);
void fake_take_frames(struct fake_id *id);
void fake_read_late(struct fake_cq *cq);

/* fake_verbs.c: call before anything else */
void fake_begin(void);

/* fake_cm.c */
void fake_accept_one(struct fake_id *listener);

#pragma GCC visibility pop

#endif
