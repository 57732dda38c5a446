// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields that rows of mutants name: those of messages as scripts call them. */
#include "traffic-gen/mutants/mutant.h"
#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>

#define SCENE(name, member)                                                                                            \
    {                                                                                                                  \
        name, offsetof(struct scene, member), sizeof(((struct scene *)NULL)->member), false                            \
    }
#define STATE(name, member)                                                                                            \
    {                                                                                                                  \
        name, offsetof(struct mutant, member), sizeof(((struct mutant *)NULL)->member), true                           \
    }

static const struct field {
    const char *name;
    size_t offset;
    unsigned size;
    bool of_mutant;
} fields[] = {
    /* The mutant. */
    STATE("seen", seen),
    STATE("fpdus", fpdus),
    STATE("connection", connection),
    STATE("kept.stag", kept_stag),
    STATE("kept.to", kept_to),
    STATE("kept.len", kept_length),
    SCENE("age", age),
    SCENE("mute", mute),
    SCENE("responder", responder),
    SCENE("initiator", initiator),
    /* What is received or about to be sent. */
    SCENE("error", error),
    SCENE("octets", n),
    /* The connection. */
    SCENE("waiting", waits),
    SCENE("operation", operates),
    SCENE("operation.octets", operation_octets),
    SCENE("ended", ended),
    SCENE("may-send", may_send),
    SCENE("peer-to-peer", peer_to_peer),
    SCENE("startup", startup),
    SCENE("startup.end", frame_end),
    SCENE("startup.after", after),
    SCENE("startup.data", startup_data),
    SCENE("rest", rest),
    SCENE("rest.pad", pad_at),
    SCENE("rest.crc", crc_at),
    SCENE("rest.marker", into_marker),
    SCENE("more", more),
    /* Startup frames; a and rtr also of the peer's while FPDUs are judged. */
    SCENE("mpa.flags", frame.flags),
    SCENE("mpa.rev", frame.revision),
    SCENE("mpa.len", frame.pd_length),
    SCENE("mpa.data", frame.ulp_length),
    SCENE("mpa.enhanced", frame.has_enhanced),
    SCENE("mpa.a", frame.enhanced.peer_to_peer),
    SCENE("mpa.rtr", frame.enhanced.rtr),
    SCENE("mpa.ird", frame.enhanced.ird),
    SCENE("mpa.ord", frame.enhanced.ord),
    SCENE("peer.flags", peer.flags),
    SCENE("peer.enhanced", peer.has_enhanced),
    SCENE("peer.a", peer.enhanced.peer_to_peer),
    SCENE("peer.rtr", peer.enhanced.rtr),
    SCENE("peer.ord", peer.enhanced.ord),
    /* FPDUs. */
    SCENE("mpa.markers", markers),
    SCENE("mpa.padding", pad),
    SCENE("mpa.pad", pad_length),
    SCENE("mpa.crc", crc),
    SCENE("mpa.crc-difference", crc_difference),
    SCENE("mpa.crc-bits", crc_bits),
    SCENE("mpa.reserved", marker_reserved),
    SCENE("mpa.ptr-low", marker_low_bits),
    /* Segments. */
    SCENE("ulpdu", ulpdu_n),
    SCENE("t", ddp.tagged),
    SCENE("l", ddp.last),
    SCENE("rsvd", ddp.rsvd),
    SCENE("rsv", ddp.rdmap_rsv),
    SCENE("op", ddp.opcode),
    SCENE("stag", ddp.stag),
    SCENE("to", ddp.to),
    SCENE("to.low", low_to),
    SCENE("qn", ddp.qn),
    SCENE("msn", ddp.msn),
    SCENE("mo", ddp.mo),
    SCENE("len", ddp.payload_len),
    SCENE("end", end),
    /* Messages. */
    SCENE("sink", read.sink_stag),
    SCENE("sinkto", read.sink_to),
    SCENE("size", read.size),
    SCENE("src", read.source_stag),
    SCENE("srcto", read.source_to),
    SCENE("word0", atomic.reserved),
    SCENE("aop", atomic.opcode),
    SCENE("mask", atomic.mask),
    SCENE("cdata", atomic.compare_data),
    SCENE("cmask", atomic.compare_mask),
    SCENE("orig", original),
    SCENE("left", left),
    SCENE("code", terminate.code),
    SCENE("layer", terminate.layer),
    SCENE("res", terminate.reserved),
    SCENE("r", terminate.r),
    SCENE("have-read", terminate.has_read),
    /* RPC-over-RDMA. */
    SCENE("sent", sent),
    SCENE("sound", sound),
    SCENE("call", call),
    SCENE("h.status", header.status),
    SCENE("h.fault", header.fault),
    SCENE("h.xid", header.xid),
    SCENE("h.vers", header.vers),
    SCENE("h.credit", header.credit),
    SCENE("h.proc", header.proc),
    SCENE("h.err", header.err),
    SCENE("reads.n", header.read.n),
    SCENE("reads.len", reads_length),
    SCENE("read0.pos", reads[0].position),
    SCENE("read0.len", reads[0].target.length),
    SCENE("read1.pos", reads[1].position),
    SCENE("read1.len", reads[1].target.length),
    SCENE("read2.pos", reads[2].position),
    SCENE("read2.len", reads[2].target.length),
    SCENE("writes.n", header.write.n),
    SCENE("write0.n", write0_n),
    SCENE("write0.seg0.len", write0_length),
    SCENE("reply", header.has_reply),
    SCENE("reply.len", reply_length),
    SCENE("reply.n", header.reply.segments),
    SCENE("reply.seg0.len", reply0_length),
    SCENE("rpc.xid", rpc_xid),
    SCENE("rpc.proc", rpc_proc),
    SCENE("rpc.len", rpc_length),
    SCENE("xid.low", low_xid),
    SCENE("last", last),
    SCENE("last.padded", padded),
    SCENE("pd.receive", pd.receive_size),
    SCENE("pd.flags", pd.flags),
    SCENE("pd.at", pd.offset),
    SCENE("is-read", is_read),
    SCENE("is-send", is_send),
    SCENE("is-write", is_write),
    SCENE("inv", invalidate),
};

/* What h.status can be. */
static const struct {
    const char *name;
    enum rpcrdma_status status;
} statuses[] = {{"short", RPCRDMA_SHORT},
                {"proc", RPCRDMA_BAD_PROC},
                {"discriminator", RPCRDMA_BAD_DISCRIMINATOR},
                {"overrun", RPCRDMA_OVERRUN},
                {"err", RPCRDMA_BAD_ERR}};

static const struct field *field_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    }
    return NULL;
}

struct words_place scene_place(struct scene *scene, const char *name)
{
    const struct field *field = field_find(name);

    if (!field)
        return (struct words_place){0};
    return (struct words_place){(char *)(field->of_mutant ? (void *)scene->mutant : scene) + field->offset,
                                field->size};
}

bool scene_has(const char *name)
{
    return field_find(name) != NULL;
}

bool scene_octets_at(const struct scene *scene, const char *name, uint64_t *value)
{
    bool word = name[0] == '@' && name[1] == 'h';
    size_t size = word ? 4 : 1, at;

    if (name[0] != '@')
        return false;
    at = strtoul(name + 1 + word, NULL, 10);
    *value = 0;
    if (scene && scene->p && scene->n >= size && at <= scene->n - size)
        *value = word ? get_be32(scene->p + at) : scene->p[at];
    return true;
}

bool scene_constant(const char *name, uint64_t *value)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(statuses); i++) {
        if (strcmp(statuses[i].name, name) == 0) {
            *value = statuses[i].status;
            return true;
        }
    }
    return false;
}
