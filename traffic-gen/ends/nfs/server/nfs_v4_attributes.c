// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attributes of NFSv4: fattr4 from a node, and into a change of a node (RFC 7530 section 5, RFC 8881 section 5, RFC
 * 7862 section 12.2, RFC 8275, RFC 8276). Each attribute is a row of the table: its writer, its reader, and the minor
 * version that introduced it.
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum {
    ATTR_SUPPORTED = 0,
    ATTR_RDATTR_ERROR = NFS4_ATTR_RDATTR_ERROR,
    ATTR_SIZE = NFS4_ATTR_SIZE,
    ATTR_MODE = 33,
    ATTR_OWNER = 36,
    ATTR_GROUP = 37,
    ATTR_ACCESS_SET = 48,
    ATTR_MODIFY_SET = 54,
    ATTR_EXCLUSIVE = 75,
    ATTR_MODE_UMASK = NFS4_ATTR_MODE_UMASK,
    ATTR_MAX = NFS4_MASK_WORDS * 32,
    MODE_MASK = 07777,
    NS_PER_S = 1000000000,
};

struct source {
    struct nfs4_call *call;
    const struct nfs_node *node;
    uint64_t octets, octets_max, nodes, nodes_max;
};

struct sink {
    struct nfs4_call *call;
    struct nfs_node_change *change;
};

struct attribute {
    uint8_t words; /* for a number, number_of() says which number; 0: put() writes it */
    void (*put)(struct source *from, unsigned bit);
    int (*get)(struct sink *to); /* NFS4_OK, or the error in the value */
    uint8_t since;               /* minor version */
};

static const struct attribute attributes[ATTR_MAX];

/* ---- from a node ---- */

static bool is_readable(const struct attribute *attribute)
{
    return attribute->words > 0 || attribute->put;
}

/* Readable attributes; settable: attributes that SETATTR accepts. */
static struct nfs4_mask supported(unsigned minor, bool settable)
{
    struct nfs4_mask mask = {0};

    for (unsigned bit = 0; bit < ATTR_MAX; bit++) {
        const struct attribute *attribute = &attributes[bit];

        if (minor >= attribute->since && (attribute->get || (is_readable(attribute) && !settable)))
            nfs4_mask_add(&mask, bit);
    }
    return mask;
}

static void put_supported(struct source *from, unsigned bit)
{
    struct nfs4_mask mask = supported(from->call->minor, bit == ATTR_EXCLUSIVE);

    nfs4_put_mask(from->call->out, &mask);
}

/* Numbers and booleans. */
static uint64_t number_of(const struct source *from, unsigned bit)
{
    const struct nfs_node *node = from->node;
    const struct nfs_server_options *options = &from->call->rpc->server->options;

    switch (bit) {
    case 1: /* type */
        return node->kind;
    case 3: /* change */
        return node->change;
    case ATTR_SIZE:
        return node->size;
    case 5:  /* link_support */
    case 6:  /* symlink_support */
    case 9:  /* unique_handles */
    case 15: /* cansettime */
    case 17: /* case_preserving */
    case 18: /* chown_restricted */
    case 26: /* homogeneous */
    case 34: /* no_trunc */
    case 76: /* fs_charset_cap: names may be any octets; all UTF-8 is allowed */
    case 77: /* clone_blksize: no alignment */
    case 82: /* xattr_support */
        return 1;
    case 10: /* lease_time */
        return options->lease_s;
    case 20: /* fileid */
    case 55: /* mounted_on_fileid */
        return node->id;
    case 21: /* files_avail */
    case 22: /* files_free */
        return from->nodes_max - MIN(from->nodes, from->nodes_max);
    case 23: /* files_total */
        return from->nodes_max;
    case 27: /* maxfilesize */
        return INT64_MAX;
    case 28: /* maxlink */
        return NFS_LINKS_MAX;
    case 29: /* maxname */
        return NFS_NAME_MAX;
    case 30: /* maxread */
    case 31: /* maxwrite */
        return options->io_max;
    case ATTR_MODE:
        return node->mode & MODE_MASK;
    case 35: /* numlinks */
        return node->nlink;
    case 41: /* rawdev: two words */
        return (uint64_t)node->major << 32 | node->minor;
    case 42: /* space_avail */
    case 43: /* space_free */
        return from->octets_max - MIN(from->octets, from->octets_max);
    case 44: /* space_total */
        return from->octets_max;
    case 45: /* space_used */
        return node->used;
    default: /* fh_expire_type: persistent; change_attr_type: grows monotonically; rdattr_error: none; booleans that are
                false */
        return 0;
    }
}

static void put_fsid(struct source *from, unsigned bit)
{
    (void)bit;
    xdr_out_u64(from->call->out, from->call->rpc->server->instance);
    xdr_out_u64(from->call->out, 0);
}

static void put_handle(struct source *from, unsigned bit)
{
    (void)bit;
    nfs_put_handle(from->call->rpc, from->node->id);
}

/* Numbers as text: RFC 7530 section 5.9, for AUTH_SYS. */
static void put_who(struct source *from, unsigned bit)
{
    char text[16];
    int n = g_snprintf(text, sizeof text, "%" G_GUINT32_FORMAT, bit == ATTR_OWNER ? from->node->uid : from->node->gid);

    xdr_out_opaque(from->call->out, text, (uint32_t)n);
}

static void attributes_put_time(struct source *from, unsigned bit)
{
    const struct nfs_node *node = from->node;
    int64_t ns = bit == 47   ? node->atime_ns
                 : bit == 51 ? 1 /* time_delta */
                 : bit == 52 ? node->ctime_ns
                             : node->mtime_ns;
    int64_t seconds = ns / NS_PER_S, rest = ns % NS_PER_S;

    /* nseconds counts upwards before 1970, too. */
    if (rest < 0) {
        rest += NS_PER_S;
        seconds--;
    }
    xdr_out_u64(from->call->out, (uint64_t)seconds);
    xdr_out_u32(from->call->out, (uint32_t)rest);
}

/* ---- into a change ---- */

static int get_size(struct sink *to)
{
    to->change->size = nfs_get_u64(to->call->in);
    to->change->set |= NFS_SET_SIZE;
    return NFS4_OK;
}

static int get_mode(struct sink *to)
{
    to->change->mode = nfs_get_u32(to->call->in);
    to->change->set |= NFS_SET_MODE;
    return to->change->mode & ~(uint32_t)MODE_MASK ? NFS4ERR_INVAL : NFS4_OK;
}

/* mode_umask4 of RFC 8275: there are no inherited ACLs, so the umask always applies. */
static int get_mode_umask(struct sink *to)
{
    const uint32_t mode = nfs_get_u32(to->call->in), umask = nfs_get_u32(to->call->in);

    to->change->mode = mode & ~umask;
    to->change->set |= NFS_SET_MODE;
    return (mode | umask) & ~(uint32_t)MODE_MASK ? NFS4ERR_INVAL : NFS4_OK;
}

static int attributes_get_number(struct xdr *in, uint32_t *out)
{
    const struct nfs_opaque text = nfs_get_opaque(in);
    const char *digits = text.p;
    uint64_t v = 0;

    if (text.n == 0 || text.n > 10)
        return NFS4ERR_BADOWNER;
    for (uint32_t i = 0; i < text.n; i++) {
        if (!g_ascii_isdigit(digits[i]))
            return NFS4ERR_BADOWNER;
        v = v * 10 + (unsigned)(digits[i] - '0');
    }
    *out = (uint32_t)v;
    return v <= UINT32_MAX ? NFS4_OK : NFS4ERR_BADOWNER;
}

static int get_owner(struct sink *to)
{
    to->change->set |= NFS_SET_UID;
    return attributes_get_number(to->call->in, &to->change->uid);
}

static int get_group(struct sink *to)
{
    to->change->set |= NFS_SET_GID;
    return attributes_get_number(to->call->in, &to->change->gid);
}

/* settime4 */
static int attributes_get_time(struct sink *to, int64_t *ns)
{
    struct xdr *in = to->call->in;
    uint32_t nseconds;
    uint64_t seconds;

    if (nfs_get_u32(in) != 1) {
        *ns = nfs_now(to->call->rpc->server);
        return NFS4_OK;
    }
    to->change->explicit_times = true;
    seconds = nfs_get_u64(in);
    nseconds = nfs_get_u32(in);
    if (nseconds >= NS_PER_S || (int64_t)seconds > INT64_MAX / NS_PER_S - 1 ||
        (int64_t)seconds < INT64_MIN / NS_PER_S + 1)
        return NFS4ERR_INVAL;
    *ns = (int64_t)seconds * NS_PER_S + nseconds;
    return NFS4_OK;
}

static int get_access_time(struct sink *to)
{
    to->change->set |= NFS_SET_ATIME;
    return attributes_get_time(to, &to->change->atime_ns);
}

static int get_modify_time(struct sink *to)
{
    to->change->set |= NFS_SET_MTIME;
    return attributes_get_time(to, &to->change->mtime_ns);
}

/* ---- the table ---- */

static const struct attribute attributes[ATTR_MAX] = {
    [ATTR_SUPPORTED] = {.put = put_supported},
    [1] = {.words = 1}, /* type */
    [2] = {.words = 1}, /* fh_expire_type */
    [3] = {.words = 2}, /* change */
    [ATTR_SIZE] = {.words = 2, .get = get_size},
    [5] = {.words = 1},      /* link_support */
    [6] = {.words = 1},      /* symlink_support */
    [7] = {.words = 1},      /* named_attr */
    [8] = {.put = put_fsid}, /* fsid */
    [9] = {.words = 1},      /* unique_handles */
    [10] = {.words = 1},     /* lease_time */
    [ATTR_RDATTR_ERROR] = {.words = 1},
    [15] = {.words = 1},        /* cansettime */
    [16] = {.words = 1},        /* case_insensitive */
    [17] = {.words = 1},        /* case_preserving */
    [18] = {.words = 1},        /* chown_restricted */
    [19] = {.put = put_handle}, /* filehandle */
    [20] = {.words = 2},        /* fileid */
    [21] = {.words = 2},        /* files_avail */
    [22] = {.words = 2},        /* files_free */
    [23] = {.words = 2},        /* files_total */
    [26] = {.words = 1},        /* homogeneous */
    [27] = {.words = 2},        /* maxfilesize */
    [28] = {.words = 1},        /* maxlink */
    [29] = {.words = 1},        /* maxname */
    [30] = {.words = 2},        /* maxread */
    [31] = {.words = 2},        /* maxwrite */
    [ATTR_MODE] = {.words = 1, .get = get_mode},
    [34] = {.words = 1}, /* no_trunc */
    [35] = {.words = 1}, /* numlinks */
    [ATTR_OWNER] = {.put = put_who, .get = get_owner},
    [ATTR_GROUP] = {.put = put_who, .get = get_group},
    [41] = {.words = 2},                 /* rawdev */
    [42] = {.words = 2},                 /* space_avail */
    [43] = {.words = 2},                 /* space_free */
    [44] = {.words = 2},                 /* space_total */
    [45] = {.words = 2},                 /* space_used */
    [47] = {.put = attributes_put_time}, /* time_access */
    [ATTR_ACCESS_SET] = {.get = get_access_time},
    [51] = {.put = attributes_put_time}, /* time_delta */
    [52] = {.put = attributes_put_time}, /* time_metadata */
    [53] = {.put = attributes_put_time}, /* time_modify */
    [ATTR_MODIFY_SET] = {.get = get_modify_time},
    [55] = {.words = 2}, /* mounted_on_fileid */
    [ATTR_EXCLUSIVE] = {.put = put_supported, .since = 1},
    [76] = {.words = 1, .since = 1}, /* fs_charset_cap */
    [77] = {.words = 1, .since = 2}, /* clone_blksize */
    [79] = {.words = 1, .since = 2}, /* change_attr_type */
    [ATTR_MODE_UMASK] = {.get = get_mode_umask, .since = 2},
    [82] = {.words = 1, .since = 2}, /* xattr_support */
};

/* ---- masks ---- */

struct nfs4_mask nfs4_get_mask(struct xdr *in)
{
    const uint32_t n = nfs_get_u32(in);
    struct nfs4_mask mask = {0};

    for (uint32_t i = 0; i < n && !in->failed; i++) {
        uint32_t word = nfs_get_u32(in);

        if (i < NFS4_MASK_WORDS)
            mask.words[i] = word;
        else if (word != 0)
            mask.unknown = true;
    }
    return mask;
}

void nfs4_put_mask(struct xdr_out *out, const struct nfs4_mask *mask)
{
    uint32_t n = NFS4_MASK_WORDS;

    while (n > 0 && mask->words[n - 1] == 0)
        n--;
    xdr_out_u32(out, n);
    for (uint32_t i = 0; i < n; i++)
        xdr_out_u32(out, mask->words[i]);
}

/* ---- fattr4 ---- */

void nfs4_put_attributes(struct nfs4_call *call, const struct nfs_node *node, const struct nfs4_mask *wanted)
{
    struct source from = {.call = call, .node = node};
    struct nfs4_mask mask = {0};
    size_t length_at;

    for (unsigned bit = 0; bit < ATTR_MAX; bit++) {
        if (nfs4_mask_has(wanted, bit) && is_readable(&attributes[bit]) && call->minor >= attributes[bit].since)
            nfs4_mask_add(&mask, bit);
    }
    nfs_tree_usage(call->tree, &from.octets, &from.octets_max, &from.nodes, &from.nodes_max);
    nfs4_put_mask(call->out, &mask);
    length_at = xdr_out_at(call->out);
    xdr_out_u32(call->out, 0);
    for (unsigned bit = 0; bit < ATTR_MAX; bit++) {
        if (!nfs4_mask_has(&mask, bit))
            continue;
        if (attributes[bit].words == 0)
            attributes[bit].put(&from, bit);
        else if (attributes[bit].words == 1)
            xdr_out_u32(call->out, (uint32_t)number_of(&from, bit));
        else
            xdr_out_u64(call->out, number_of(&from, bit));
    }
    xdr_out_set_u32(call->out, length_at, (uint32_t)(xdr_out_at(call->out) - length_at - 4));
}

static int get_attribute(struct sink *to, unsigned bit)
{
    const struct attribute *attribute = &attributes[bit];

    if (to->call->minor < attribute->since || (!attribute->get && !is_readable(attribute)))
        return NFS4ERR_ATTRNOTSUPP;
    return attribute->get ? attribute->get(to) : NFS4ERR_INVAL; /* read-only */
}

int nfs4_get_attributes(struct nfs4_call *call, struct nfs_node_change *change, struct nfs4_mask *set)
{
    struct sink to = {.call = call, .change = change};
    struct xdr *in = call->in, inner;
    struct nfs_opaque values;
    int status = NFS4_OK;

    *change = (struct nfs_node_change){0};
    *set = nfs4_get_mask(in);
    values = nfs_get_opaque(in);
    if (set->unknown)
        return NFS4ERR_ATTRNOTSUPP;
    inner = xdr_begin(values.p, values.n);
    call->in = &inner;
    for (unsigned bit = 0; bit < ATTR_MAX && status == NFS4_OK; bit++) {
        if (nfs4_mask_has(set, bit))
            status = get_attribute(&to, bit);
    }
    call->in = in;
    if (inner.failed || (status == NFS4_OK && xdr_left(&inner) != 0))
        return NFS4ERR_BADXDR;
    return status;
}

void nfs4_new_attributes(const struct nfs4_call *call, struct nfs_node_change *change, uint32_t mode)
{
    if (!(change->set & NFS_SET_MODE))
        change->mode = mode;
    /* The creator of an object cannot give it away, except uid 0. */
    if (!(change->set & NFS_SET_UID) || call->rpc->credentials.uid != 0)
        change->uid = call->rpc->credentials.uid;
    if (!(change->set & NFS_SET_GID))
        change->gid = call->rpc->credentials.gid;
    change->set |= NFS_SET_MODE | NFS_SET_UID | NFS_SET_GID;
}

bool nfs4_mask_write_only(const struct nfs4_mask *mask)
{
    for (unsigned bit = 0; bit < ATTR_MAX; bit++) {
        if (nfs4_mask_has(mask, bit) && attributes[bit].get && !is_readable(&attributes[bit]))
            return true;
    }
    return false;
}

bool nfs4_mask_supported(const struct nfs4_call *call, const struct nfs4_mask *mask)
{
    for (unsigned bit = 0; bit < ATTR_MAX; bit++) {
        if (nfs4_mask_has(mask, bit) &&
            ((!is_readable(&attributes[bit]) && !attributes[bit].get) || call->minor < attributes[bit].since))
            return false;
    }
    return true;
}
