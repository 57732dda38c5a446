// SPDX-License-Identifier: GPL-2.0-or-later
/* NFSv3 READs and WRITEs of one megabyte by chunks, alternating: each Call is followed by its RDMA and its Reply. */
#include "traffic-gen/speak/bulk/bulk.h"
#include "traffic-gen/speak/bulk/bulk_stream.h"
#include "traffic-gen/speak/say/rpc.h"
#include "traffic-gen/speak/say/setups.h"
#include "wire/ddp.h"
#include "wire/rdmap.h"
#include "wire/rpc.h"
#include "wire/rpcrdma.h"
#include "wire/rpcrdma_private_data.h"

#include <errno.h>
#include <string.h>

enum {
    DATA_OCTETS = 1048576,
    SEND_MAX = 4096,
    CREDITS = 32,
    XID_FIRST = 0x4E465300,
    REGIONS = 64 /* of memory, used in turn */
};

struct nfs_bulk {
    struct bulk_stream stream;
    uint32_t msn[2][2]; /* by side and queue */
    uint8_t *ulpdu;
    uint8_t send[SEND_MAX];
    uint32_t xid;
    struct rpcrdma_segment memory; /* of the current Call */
    uint64_t octets;               /* approximate octets to write */
};

/* The arguments or results of READ and WRITE, and the place of the data in them. */
struct nfs_message {
    struct nfs_body body;
    size_t data_at;
};

static void bulk_nfs_say(struct nfs_bulk *bulk, unsigned side, struct ddp_segment *ddp, const uint8_t *p, size_t n)
{
    size_t head = ddp_header_encode(ddp, bulk->ulpdu, MPA_ULPDU_MAX), room = bulk->stream.options->ulpdu - head,
           done = 0;

    do {
        size_t part = MIN(n - done, room);

        ddp->last = done + part == n;
        ddp_header_encode(ddp, bulk->ulpdu, MPA_ULPDU_MAX);
        memcpy(bulk->ulpdu + head, p + done, part);
        bulk_stream_ulpdu(&bulk->stream, side, bulk->ulpdu, (uint16_t)(head + part));
        bulk->octets += bulk_stream_cost((unsigned)(head + part));
        ddp->to += part;
        ddp->mo += (uint32_t)part;
        done += part;
    } while (done < n);
}

static void say_untagged(struct nfs_bulk *bulk, unsigned side, enum rdmap_opcode opcode, unsigned qn, const uint8_t *p,
                         size_t n)
{
    struct ddp_segment ddp = {.dv = 1, .rv = 1, .opcode = (uint8_t)opcode, .qn = qn, .msn = ++bulk->msn[side][qn]};

    bulk_nfs_say(bulk, side, &ddp, p, n);
}

static void say_tagged(struct nfs_bulk *bulk, unsigned side, enum rdmap_opcode opcode, uint32_t stag, uint64_t to,
                       const uint8_t *p, size_t n)
{
    struct ddp_segment ddp = {.tagged = true, .dv = 1, .rv = 1, .opcode = (uint8_t)opcode, .stag = stag, .to = to};

    bulk_nfs_say(bulk, side, &ddp, p, n);
}

/* The Send: Transport header, RPC header, and the body without the data. */
static void bulk_nfs_say_rpc(struct nfs_bulk *bulk, unsigned side, struct rpcrdma_plan plan,
                             const struct nfs_template *procedure, const struct nfs_message *message)
{
    struct xdr_writer w = {.p = bulk->send, .size = sizeof bulk->send};
    struct rpc_message header = {.xid = bulk->xid,
                                 .type = side == 0 ? RPC_CALL : RPC_REPLY,
                                 .rpcvers = RPC_VERSION,
                                 .prog = procedure->program,
                                 .vers = procedure->version,
                                 .proc = procedure->number};
    struct rpcrdma_read_segment read = {.target = bulk->memory};
    size_t inline_octets = message->data_at ? message->data_at : message->body.octets->len;

    plan.xid = bulk->xid;
    plan.vers = RPCRDMA_VERSION;
    plan.credit = CREDITS;
    if (side == 0 && message->data_at) {
        read.position = RPC_CALL_MIN + (uint32_t)message->data_at;
        plan.reads = &read;
        plan.n_reads = 1;
    }
    rpcrdma_header_encode(&plan, &w);
    if (side == 0)
        rpc_call_encode(&header, NULL, NULL, &w);
    else
        rpc_reply_encode(&header, NULL, &w);
    xdr_put_octets(&w, message->body.octets->data, inline_octets);
    say_untagged(bulk, side, RDMAP_SEND, DDP_QN_SEND, bulk->send, w.at);
}

static void bulk_nfs_find_data(struct nfs_message *message)
{
    for (unsigned i = 0; i < message->body.items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(message->body.items, struct nfs_body_item, i);

        if (item->eligible)
            message->data_at = item->at;
    }
}

static const char *bulk_nfs_option(void *context, unsigned op, const char *name)
{
    (void)context;
    (void)op;
    return strcmp(name, "count") == 0 || strcmp(name, "len") == 0 ? G_STRINGIFY(1048576) : NULL;
}

static void move_write_data(struct nfs_bulk *bulk, const struct nfs_message *call)
{
    const struct rdmap_read_request request = {.sink_stag = rpc_stag(REGIONS + bulk->xid % REGIONS),
                                               .sink_to = 0x10000,
                                               .size = DATA_OCTETS,
                                               .source_stag = bulk->memory.handle,
                                               .source_to = bulk->memory.offset};
    uint8_t octets[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&request, octets, sizeof octets);
    say_untagged(bulk, 1, RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, octets, sizeof octets);
    say_tagged(bulk, 0, RDMAP_READ_RESPONSE, request.sink_stag, request.sink_to,
               call->body.octets->data + call->data_at, DATA_OCTETS);
}

static void bulk_nfs_exchange(struct nfs_bulk *bulk, const struct nfs_template *procedure)
{
    const struct nfs_options options = {.option = bulk_nfs_option, .seed = bulk->xid};
    struct nfs_message call = {0}, reply = {0};
    struct rpcrdma_plan call_plan = {0}, reply_plan = {0};
    struct rpcrdma_write_plan write = {.segments = &bulk->memory, .n = 1};

    bulk->xid++;
    bulk->memory =
        (struct rpcrdma_segment){.handle = rpc_stag(bulk->xid % REGIONS),
                                 .length = DATA_OCTETS,
                                 .offset = UINT64_C(0x7F0000000000) + (uint64_t)(bulk->xid % REGIONS) * DATA_OCTETS};
    nfs_body_init(&call.body);
    nfs_body_init(&reply.body);
    nfs_build_arguments(procedure, &options, &call.body);
    nfs_build_results(procedure, &call.body, &options, 0, &reply.body);
    bulk_nfs_find_data(&call);
    bulk_nfs_find_data(&reply);
    if (reply.data_at) {
        call_plan.writes = reply_plan.writes = &write;
        call_plan.n_writes = reply_plan.n_writes = 1;
    }
    bulk_nfs_say_rpc(bulk, 0, call_plan, procedure, &call);
    if (reply.data_at)
        say_tagged(bulk, 1, RDMAP_WRITE, bulk->memory.handle, bulk->memory.offset,
                   reply.body.octets->data + reply.data_at, DATA_OCTETS);
    else
        move_write_data(bulk, &call);
    bulk_nfs_say_rpc(bulk, 1, reply_plan, procedure, &reply);
    nfs_body_clear(&call.body);
    nfs_body_clear(&reply.body);
}

static void startup(struct nfs_bulk *bulk, const struct bulk_options *options)
{
    const struct rpcrdma_private_data data = {
        .version = RPCRDMA_PD_VERSION, .remote_invalidation = true, .send_size = SEND_MAX, .receive_size = SEND_MAX};
    uint8_t octets[RPCRDMA_PD_LEN];
    uint8_t flags = MPA_FLAG_S | (options->no_crc ? 0 : MPA_FLAG_C);
    struct mpa_startup frames[2];

    rpcrdma_private_data_encode(&data, octets, sizeof octets);
    for (unsigned role = 0; role < 2; role++) {
        frames[role] = (struct mpa_startup){.kind = role == INITIATOR ? MPA_REQUEST : MPA_REPLY,
                                            .revision = 2,
                                            .flags = flags | (options->markers ? MPA_FLAG_M : 0),
                                            .has_enhanced = true,
                                            .enhanced = setup_rev2.wish[role].enhanced,
                                            .ulp_data = octets,
                                            .ulp_length = sizeof octets};
        mpa_startup_fix_length(&frames[role]);
    }
    bulk_stream_startup(&bulk->stream, &frames[INITIATOR], &frames[RESPONDER]);
}

bool bulk_nfs_play(struct capture_file *file, const struct bulk_options *options)
{
    struct nfs_bulk *bulk = g_new0(struct nfs_bulk, 1);
    const struct nfs_template *procedures[] = {nfs_procedure_template("nfs3.read"),
                                               nfs_procedure_template("nfs3.write")};

    bulk->ulpdu = g_malloc(MPA_ULPDU_MAX);
    bulk->xid = XID_FIRST;
    bulk_stream_init(&bulk->stream, file, options, RPCRDMA_PORT);
    startup(bulk, options);
    for (unsigned i = 0; (i == 0 || bulk->octets < options->size) && !bulk->stream.failed; i++)
        bulk_nfs_exchange(bulk, procedures[i % 2]);

    bool good = bulk_stream_end(&bulk->stream);
    int error = errno;

    g_free(bulk->ulpdu);
    g_free(bulk);
    errno = error;
    return good;
}
