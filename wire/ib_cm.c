// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/ib_cm.h"

#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

enum {
    BASE_VERSION = 1,
    CLASS_CM = 7,
    CLASS_VERSION = 2,
    METHOD_SEND = 3,
    AT_TRANSACTION = 8,
    AT_ATTRIBUTE = 16,
    NONE = 0xFF, /* the message does not have the field */
};

/* Offsets of the fields in each message. */
struct layout {
    const char *name;
    uint8_t remote_id, qp, psn, resources, depth, subject, private_data, private_len;
};

static const struct layout layouts[] = {
    /* clang-format off */
    /*                                                remote qp    psn   res   depth subj  private */
    [IB_CM_REQUEST]            = {"ConnectRequest",    NONE, 32,   44,   35,   39,   NONE, 140, 92},
    [IB_CM_MRA]                = {"MsgRcptAck",        4,    NONE, NONE, NONE, NONE, 8,    10,  222},
    [IB_CM_REJECT]             = {"ConnectReject",     4,    NONE, NONE, NONE, NONE, 8,    84,  148},
    [IB_CM_REPLY]              = {"ConnectReply",      4,    12,   20,   24,   25,   NONE, 36,  196},
    [IB_CM_READY]              = {"ReadyToUse",        4,    NONE, NONE, NONE, NONE, NONE, 8,   224},
    [IB_CM_DISCONNECT_REQUEST] = {"DisconnectRequest", 4,    8,    NONE, NONE, NONE, NONE, 12,  220},
    [IB_CM_DISCONNECT_REPLY]   = {"DisconnectReply",   4,    NONE, NONE, NONE, NONE, NONE, 8,   224},
    /* clang-format on */
};

enum {
    AT_SERVICE = 8,
    AT_GUID = 16,
    AT_REMOTE_TIMEOUT = 43,
    AT_LOCAL_TIMEOUT = 47,
    AT_PKEY = 48,
    AT_MTU = 50,
    AT_CM_RETRIES = 51,
    AT_LIDS = 52,
    AT_GIDS = 56,
    AT_RATE = 91,
    AT_HOP_LIMIT = 93,
    AT_ACK_TIMEOUT = 95,
    AT_REASON = 10,
    AT_REPLY_RNR = 27,
    AT_REPLY_GUID = 28,
};

static const struct layout *cm_layout_of(unsigned attribute)
{
    return attribute < sizeof layouts / sizeof layouts[0] && layouts[attribute].name ? &layouts[attribute] : NULL;
}

const char *ib_cm_name(unsigned attribute)
{
    const struct layout *layout = cm_layout_of(attribute);

    return layout ? layout->name : NULL;
}

static void decode_path(struct ib_cm_path *path, const uint8_t *body)
{
    *path = (struct ib_cm_path){
        .guid = get_be64(body + AT_GUID),
        .pkey = get_be16(body + AT_PKEY),
        .lid = {get_be16(body + AT_LIDS), get_be16(body + AT_LIDS + 2)},
        .hop_limit = body[AT_HOP_LIMIT],
        .packet_rate = body[AT_RATE] & 0x3F,
        .cm_timeout = body[AT_LOCAL_TIMEOUT] >> 3,
        .ack_timeout = body[AT_ACK_TIMEOUT] >> 3,
        .cm_retries = body[AT_CM_RETRIES] >> 4,
        .retries = body[AT_LOCAL_TIMEOUT] & 7,
        .rnr_retries = body[AT_MTU] & 7,
    };
    memcpy(path->gid, body + AT_GIDS, sizeof path->gid);
}

static void encode_path(const struct ib_cm_path *path, uint8_t *body)
{
    put_be64(body + AT_GUID, path->guid);
    put_be16(body + AT_PKEY, path->pkey);
    put_be16(body + AT_LIDS, path->lid[0]);
    put_be16(body + AT_LIDS + 2, path->lid[1]);
    body[AT_HOP_LIMIT] = path->hop_limit;
    body[AT_RATE] = path->packet_rate & 0x3F;
    body[AT_REMOTE_TIMEOUT] = (uint8_t)(path->cm_timeout << 3);
    body[AT_LOCAL_TIMEOUT] = (uint8_t)(path->cm_timeout << 3 | (path->retries & 7));
    body[AT_ACK_TIMEOUT] = (uint8_t)(path->ack_timeout << 3);
    body[AT_CM_RETRIES] = (uint8_t)(path->cm_retries << 4);
    body[AT_MTU] |= path->rnr_retries & 7;
    memcpy(body + AT_GIDS, path->gid, sizeof path->gid);
}

bool ib_cm_decode(struct ib_cm *out, const uint8_t *p, size_t n)
{
    const struct layout *layout;
    const uint8_t *body;

    if (n < IB_MAD_HEADER_LEN || p[0] != BASE_VERSION || p[1] != CLASS_CM || p[2] != CLASS_VERSION)
        return false;
    layout = cm_layout_of(get_be16(p + AT_ATTRIBUTE));
    if (!layout || n < IB_MAD_HEADER_LEN + (size_t)layout->private_data)
        return false;
    n -= IB_MAD_HEADER_LEN + (size_t)layout->private_data;
    body = p + IB_MAD_HEADER_LEN;
    *out = (struct ib_cm){
        .attribute = (uint8_t)get_be16(p + AT_ATTRIBUTE),
        .transaction = get_be64(p + AT_TRANSACTION),
        .local_id = get_be32(body),
        .private_data = body + layout->private_data,
        .private_len = (uint8_t)(n < layout->private_len ? n : layout->private_len),
    };
    INVARIANT(out->private_len <= layout->private_len && out->private_len <= n);
    if (layout->remote_id != NONE)
        out->remote_id = get_be32(body + layout->remote_id);
    if (layout->qp != NONE)
        out->qp = get_be24(body + layout->qp);
    if (layout->psn != NONE)
        out->psn = get_be24(body + layout->psn);
    if (layout->resources != NONE)
        out->responder_resources = body[layout->resources];
    if (layout->depth != NONE)
        out->initiator_depth = body[layout->depth];
    if (layout->subject != NONE)
        out->subject = body[layout->subject] >> 6;
    if (out->attribute == IB_CM_REQUEST) {
        out->service = get_be64(body + AT_SERVICE);
        out->path_mtu = body[AT_MTU] >> 4;
        decode_path(&out->path, body);
    } else if (out->attribute == IB_CM_REPLY) {
        out->path.guid = get_be64(body + AT_REPLY_GUID);
        out->path.rnr_retries = body[AT_REPLY_RNR] >> 5;
    } else if (out->attribute == IB_CM_REJECT) {
        out->reason = get_be16(body + AT_REASON);
    }
    return true;
}

bool ib_cm_decode_cut_reject(struct ib_cm *out, const uint8_t *p, size_t n)
{
    const size_t captured = n > IB_MAD_HEADER_LEN ? n - IB_MAD_HEADER_LEN : 0;
    const uint8_t *body = captured > 0 ? p + IB_MAD_HEADER_LEN : NULL;

    if (n < AT_ATTRIBUTE + sizeof(uint16_t) || p[0] != BASE_VERSION || p[1] != CLASS_CM || p[2] != CLASS_VERSION ||
        get_be16(p + AT_ATTRIBUTE) != IB_CM_REJECT || captured >= layouts[IB_CM_REJECT].private_data)
        return false;
    *out = (struct ib_cm){.attribute = IB_CM_REJECT};
    if (captured >= sizeof(uint32_t))
        out->local_id = get_be32(body);
    if (captured >= layouts[IB_CM_REJECT].remote_id + sizeof(uint32_t))
        out->remote_id = get_be32(body + layouts[IB_CM_REJECT].remote_id);
    if (captured >= AT_REASON + sizeof(uint16_t))
        out->reason = get_be16(body + AT_REASON);
    return true;
}

size_t ib_cm_encode(const struct ib_cm *cm, uint8_t *out, size_t size)
{
    const struct layout *layout = cm_layout_of(cm->attribute);
    uint8_t *body;

    if (!layout || size < IB_MAD_LEN || cm->private_len > layout->private_len)
        return 0;
    body = out + IB_MAD_HEADER_LEN;
    memset(out, 0, IB_MAD_LEN);
    out[0] = BASE_VERSION;
    out[1] = CLASS_CM;
    out[2] = CLASS_VERSION;
    out[3] = METHOD_SEND;
    put_be64(out + AT_TRANSACTION, cm->transaction);
    put_be16(out + AT_ATTRIBUTE, cm->attribute);
    put_be32(body, cm->local_id);
    if (layout->remote_id != NONE)
        put_be32(body + layout->remote_id, cm->remote_id);
    if (layout->qp != NONE)
        put_be24(body + layout->qp, cm->qp);
    if (layout->psn != NONE)
        put_be24(body + layout->psn, cm->psn);
    if (layout->resources != NONE)
        body[layout->resources] = cm->responder_resources;
    if (layout->depth != NONE)
        body[layout->depth] = cm->initiator_depth;
    if (layout->subject != NONE)
        body[layout->subject] = (uint8_t)(cm->subject << 6);
    if (cm->attribute == IB_CM_REQUEST) {
        put_be64(body + AT_SERVICE, cm->service);
        body[AT_MTU] = (uint8_t)(cm->path_mtu << 4);
        encode_path(&cm->path, body);
    } else if (cm->attribute == IB_CM_REPLY) {
        put_be64(body + AT_REPLY_GUID, cm->path.guid);
        body[AT_REPLY_RNR] = (uint8_t)(cm->path.rnr_retries << 5);
    } else if (cm->attribute == IB_CM_REJECT) {
        put_be16(body + AT_REASON, cm->reason);
    }
    if (cm->private_len > 0)
        memcpy(body + layout->private_data, cm->private_data, cm->private_len);
    return IB_MAD_LEN;
}

unsigned ib_cm_mtu(uint8_t code)
{
    return code >= 1 && code <= 5 ? 128u << code : 0;
}

/* ---- IP addressing ---- */

static const uint64_t ip_service = UINT64_C(0x01060000);

bool ib_service_is_ip(uint64_t service, uint16_t *port)
{
    *port = (uint16_t)service;
    return (service & ~UINT64_C(0xFFFF)) == ip_service;
}

uint64_t ib_service_of_port(uint16_t port)
{
    return ip_service | port;
}

bool ib_ip_cm_decode(struct ib_ip_cm *out, const uint8_t *p, size_t n)
{
    if (n < IB_IP_CM_LEN || p[0] != 0 || (p[1] >> 4 != 4 && p[1] >> 4 != 6))
        return false;
    *out = (struct ib_ip_cm){.ip_version = p[1] >> 4, .source_port = get_be16(p + 2)};
    memcpy(out->source, p + 4, sizeof out->source);
    memcpy(out->destination, p + 20, sizeof out->destination);
    return true;
}

size_t ib_ip_cm_encode(const struct ib_ip_cm *header, uint8_t *out, size_t size)
{
    if (size < IB_IP_CM_LEN)
        return 0;
    out[0] = 0;
    out[1] = (uint8_t)(header->ip_version << 4);
    put_be16(out + 2, header->source_port);
    memcpy(out + 4, header->source, sizeof header->source);
    memcpy(out + 20, header->destination, sizeof header->destination);
    return IB_IP_CM_LEN;
}

const uint8_t *ib_cm_consumer_data(const struct ib_cm *cm, size_t *n)
{
    struct ib_ip_cm header;
    uint16_t port;
    size_t skip = cm->attribute == IB_CM_REQUEST && ib_service_is_ip(cm->service, &port) &&
                          ib_ip_cm_decode(&header, cm->private_data, cm->private_len)
                      ? IB_IP_CM_LEN
                      : 0;

    INVARIANT(skip <= cm->private_len);
    *n = cm->private_len - skip;
    return cm->private_data + skip;
}
