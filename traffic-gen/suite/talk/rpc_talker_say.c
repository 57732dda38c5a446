// SPDX-License-Identifier: GPL-2.0-or-later
/* What the talker sends besides whole Calls and Replies: raw Sends and headers, and their octets from texts. */
#include "traffic-gen/ends/rpc_header.h"
#include "traffic-gen/suite/talk/rpc_talker.h"
#include "wire/nfs.h"
#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>

enum { SEND_MAX = 4096 };

void rpc_talker_send(struct rpc_talker *talker, const uint8_t *p, size_t n)
{
    rpc_talker_post(talker, &(struct qp_work){.kind = QP_SEND, .p = p, .n = n});
}

void rpc_talker_send_plan(struct rpc_talker *talker, const struct rpcrdma_plan *plan, const uint8_t *p, size_t n)
{
    uint8_t octets[SEND_MAX];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};

    talker->xid = plan->xid;
    rpcrdma_header_encode(plan, &w);
    if (w.failed || n > w.size - w.at)
        return;
    if (n > 0)
        memcpy(octets + w.at, p, n);
    rpc_talker_send(talker, octets, w.at + n);
}

static void add_u32(GByteArray *to, uint32_t v)
{
    uint8_t octets[4];

    put_be32(octets, v);
    g_byte_array_append(to, octets, sizeof octets);
}

struct rpcrdma_segment rpc_talker_segment(const struct rpc_talker *talker, bool remote_write, uint32_t at, uint32_t n)
{
    uint32_t stag = remote_write ? talker->stag_write : talker->stag_read;

    return (struct rpcrdma_segment){
        .handle = stag, .length = n, .offset = memory_base(rpc_end_memory(talker->end), stag) + at};
}

static void add_segment(const struct rpc_talker *talker, GByteArray *to, const char *word)
{
    const char *from = strchr(word, '@');
    uint32_t at = from ? (uint32_t)strtoul(from + 1, NULL, 10) : 0;
    struct rpcrdma_segment segment =
        rpc_talker_segment(talker, word[0] == 'W', at, (uint32_t)strtoul(word + 2, NULL, 10));

    add_u32(to, segment.handle);
    add_u32(to, segment.length);
    add_u32(to, (uint32_t)(segment.offset >> 32));
    add_u32(to, (uint32_t)segment.offset);
}

static void add_null_call(const struct rpc_talker *talker, uint32_t xid, GByteArray *to)
{
    const struct rpc_message call = {.xid = xid, .prog = NFS_PROGRAM, .vers = rpc_talker_null_version(talker)};
    struct xdr_out out;

    xdr_out_begin(&out);
    rpc_call_header(&out, &call, NULL);
    g_byte_array_append(to, out.octets->data, out.octets->len);
    xdr_out_free(&out);
}

static void add_word(const struct rpc_talker *talker, const char *word, GByteArray *to)
{
    if (strcmp(word, "XID") == 0) {
        add_u32(to, talker->xid);
    } else if (strcmp(word, "NULL") == 0 || strcmp(word, "OTHER") == 0) {
        add_null_call(talker, word[0] == 'N' ? talker->xid : talker->xids + TALKER_XID_OTHER, to);
    } else if (word[0] == 'R' || word[0] == 'W') {
        add_segment(talker, to, word);
    } else if (word[0] == '[') {
        g_byte_array_set_size(to, to->len + (guint)strtoul(word + 1, NULL, 10));
        memset(to->data + to->len - strtoul(word + 1, NULL, 10), 0, strtoul(word + 1, NULL, 10));
    } else {
        for (; word[0] && word[1]; word += 2) {
            uint8_t octet = (uint8_t)(g_ascii_xdigit_value(word[0]) << 4 | g_ascii_xdigit_value(word[1]));

            g_byte_array_append(to, &octet, 1);
        }
    }
}

GByteArray *rpc_talker_octets(const struct rpc_talker *talker, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    GByteArray *octets = g_byte_array_new();

    for (unsigned i = 0; words[i]; i++)
        add_word(talker, words[i], octets);
    return octets;
}
