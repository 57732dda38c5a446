// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the walker with the XDR routines that rpcgen makes from the .x files of rpcsvc-proto: they encode random
 * values of each procedure's argument and result types; the walker must end at the same place and find the file data
 * there.
 *
 * Random values come from the same routines: they decode a stream of made-up numbers.
 */
#include "nfs_rpcgen.h"

#include <rpc/rpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off: later ones need the types of earlier ones */
#include "mount.h"
#include "nfs_prot.h"
#include "nlm_prot.h"
#include "sm_inter.h"
/* clang-format on */

enum { TRIES = 20000, WANTED = 400, VALUE_MAX = 4096, TEXT_MAX = 1 << 18 };

static uint64_t state = 11;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Mostly small numbers, so that unions have arms, booleans are both, lists end. */
static bool_t made_up(XDR *xdr, long *out)
{
    uint64_t r = next_random() >> 8;

    (void)xdr;
    switch (r % 8) {
    case 0:
    case 1:
    case 2:
        *out = 0;
        break;
    case 3:
    case 4:
        *out = 1;
        break;
    case 5:
        *out = (long)(r >> 8 & 7);
        break;
    case 6:
        *out = (long)(r >> 8 & 63);
        break;
    default:
        *out = (long)(r >> 8 & 0xffffffff);
    }
    return TRUE;
}

static bool_t made_up_octets(XDR *xdr, char *out, u_int n)
{
    (void)xdr;
    for (u_int i = 0; i < n; i++)
        out[i] = (char)('a' + next_random() % 26); /* no NUL: strings keep their length */
    return TRUE;
}

static int32_t *no_inline(XDR *xdr, u_int n)
{
    (void)xdr, (void)n;
    return NULL;
}

#define TYPE(type) (xdrproc_t) xdr_##type, sizeof(type)
#define NOTHING    NULL, 0

static const struct row {
    uint32_t program, version, procedure;
    bool reply;
    xdrproc_t routine;
    size_t size;
} rows[] = {
    {100003, 2, 1, false, TYPE(nfs_fh)},
    {100003, 2, 1, true, TYPE(attrstat)},
    {100003, 2, 2, false, TYPE(sattrargs)},
    {100003, 2, 2, true, TYPE(attrstat)},
    {100003, 2, 3, false, NOTHING},
    {100003, 2, 3, true, NOTHING},
    {100003, 2, 4, false, TYPE(diropargs)},
    {100003, 2, 4, true, TYPE(diropres)},
    {100003, 2, 5, false, TYPE(nfs_fh)},
    {100003, 2, 5, true, TYPE(readlinkres)},
    {100003, 2, 6, false, TYPE(readargs)},
    {100003, 2, 6, true, TYPE(readres)},
    {100003, 2, 7, false, NOTHING},
    {100003, 2, 8, false, TYPE(writeargs)},
    {100003, 2, 8, true, TYPE(attrstat)},
    {100003, 2, 9, false, TYPE(createargs)},
    {100003, 2, 9, true, TYPE(diropres)},
    {100003, 2, 10, false, TYPE(diropargs)},
    {100003, 2, 10, true, TYPE(nfsstat)},
    {100003, 2, 11, false, TYPE(renameargs)},
    {100003, 2, 11, true, TYPE(nfsstat)},
    {100003, 2, 12, false, TYPE(linkargs)},
    {100003, 2, 12, true, TYPE(nfsstat)},
    {100003, 2, 13, false, TYPE(symlinkargs)},
    {100003, 2, 13, true, TYPE(nfsstat)},
    {100003, 2, 14, false, TYPE(createargs)},
    {100003, 2, 14, true, TYPE(diropres)},
    {100003, 2, 15, false, TYPE(diropargs)},
    {100003, 2, 15, true, TYPE(nfsstat)},
    {100003, 2, 16, false, TYPE(readdirargs)},
    {100003, 2, 16, true, TYPE(readdirres)},
    {100003, 2, 17, false, TYPE(nfs_fh)},
    {100003, 2, 17, true, TYPE(statfsres)},
    {100005, 1, 1, false, TYPE(dirpath)},
    {100005, 1, 1, true, TYPE(fhstatus)},
    {100005, 1, 2, false, NOTHING},
    {100005, 1, 2, true, TYPE(mountlist)},
    {100005, 1, 3, false, TYPE(dirpath)},
    {100005, 1, 3, true, NOTHING},
    {100005, 1, 4, false, NOTHING},
    {100005, 1, 5, true, TYPE(exports)},
    {100005, 1, 6, true, TYPE(exports)},
    {100005, 2, 1, true, TYPE(fhstatus)},
    {100005, 3, 2, true, TYPE(mountlist)},
    {100005, 3, 3, false, TYPE(dirpath)},
    {100005, 3, 5, true, TYPE(exports)},
    {100021, 1, 1, false, TYPE(nlm_testargs)},
    {100021, 1, 1, true, TYPE(nlm_testres)},
    {100021, 1, 2, false, TYPE(nlm_lockargs)},
    {100021, 1, 2, true, TYPE(nlm_res)},
    {100021, 1, 3, false, TYPE(nlm_cancargs)},
    {100021, 1, 3, true, TYPE(nlm_res)},
    {100021, 1, 4, false, TYPE(nlm_unlockargs)},
    {100021, 1, 4, true, TYPE(nlm_res)},
    {100021, 1, 5, false, TYPE(nlm_testargs)},
    {100021, 1, 5, true, TYPE(nlm_res)},
    {100021, 1, 6, false, TYPE(nlm_testargs)},
    {100021, 1, 6, true, NOTHING},
    {100021, 1, 7, false, TYPE(nlm_lockargs)},
    {100021, 1, 8, false, TYPE(nlm_cancargs)},
    {100021, 1, 9, false, TYPE(nlm_unlockargs)},
    {100021, 1, 10, false, TYPE(nlm_testargs)},
    {100021, 1, 11, false, TYPE(nlm_testres)},
    {100021, 1, 12, false, TYPE(nlm_res)},
    {100021, 1, 13, false, TYPE(nlm_res)},
    {100021, 1, 14, false, TYPE(nlm_res)},
    {100021, 1, 15, false, TYPE(nlm_res)},
    {100021, 3, 2, false, TYPE(nlm_lockargs)},
    {100021, 3, 20, false, TYPE(nlm_shareargs)},
    {100021, 3, 20, true, TYPE(nlm_shareres)},
    {100021, 3, 21, false, TYPE(nlm_shareargs)},
    {100021, 3, 21, true, TYPE(nlm_shareres)},
    {100021, 3, 22, false, TYPE(nlm_lockargs)},
    {100021, 3, 22, true, TYPE(nlm_res)},
    {100021, 3, 23, false, TYPE(nlm_notify)},
    {100021, 4, 20, false, TYPE(nlm_shareargs)},
    {100021, 4, 23, false, TYPE(nlm_notify)},
    {100024, 1, 1, false, TYPE(sm_name)},
    {100024, 1, 1, true, TYPE(sm_stat_res)},
    {100024, 1, 2, false, TYPE(mon)},
    {100024, 1, 2, true, TYPE(sm_stat_res)},
    {100024, 1, 3, false, TYPE(mon_id)},
    {100024, 1, 3, true, TYPE(sm_stat)},
    {100024, 1, 4, false, TYPE(my_id)},
    {100024, 1, 4, true, TYPE(sm_stat)},
    {100024, 1, 5, false, NOTHING},
};

/* The octets that the routines wrote into READ results and WRITE arguments; 0: none. */
static uint32_t file_data(const struct row *row, const void *value, const char **out)
{
    const readres *read = value;
    const writeargs *write = value;

    if (row->program != 100003 || row->version != 2)
        return 0;
    if (row->procedure == 6 && row->reply && read->status == NFS_OK) {
        *out = read->readres_u.reply.data.data_val;
        return read->readres_u.reply.data.data_len;
    }
    if (row->procedure == 8 && !row->reply) {
        *out = write->data.data_val;
        return write->data.data_len;
    }
    return 0;
}

static bool one(const struct row *row, unsigned *walked)
{
    static struct xdr_ops source = {.x_getlong = made_up, .x_getbytes = made_up_octets, .x_inline = no_inline};
    static char text[TEXT_MAX];
    union {
        char octets[VALUE_MAX];
        max_align_t align;
    } value = {{0}};
    struct walked seen;
    const char *expected = NULL;
    XDR from = {.x_op = XDR_DECODE, .x_ops = &source}, to;
    uint32_t count;
    bool ok = true;

    xdrmem_create(&to, text, sizeof text, XDR_ENCODE);
    if (!row->routine || (row->routine(&from, value.octets) && row->routine(&to, value.octets))) {
        u_int n = xdr_getpos(&to);

        count = row->routine ? file_data(row, value.octets, &expected) : 0;
        ok = walk_whole(row->program, row->version, row->procedure, row->reply, text, n, &seen) && seen.at == n &&
             seen.data == count && (count == 0 || memcmp(text + seen.data_at, expected, count) == 0);
        if (!ok)
            fprintf(stderr, "program %u version %u procedure %u %s: ends at %zu of %u, data %u of %u octets\n",
                    row->program, row->version, row->procedure, row->reply ? "reply" : "call", seen.at, n, seen.data,
                    count);
        ++*walked;
    }
    if (row->routine)
        xdr_free(row->routine, value.octets);
    return ok;
}

int main(void)
{
    unsigned all = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned walked = 0;

        if (rows[i].size > VALUE_MAX)
            return 1;
        for (unsigned try = 0; try < TRIES && walked < WANTED; try++) {
            if (!one(&rows[i], &walked))
                return 1;
        }
        if (walked < WANTED / 10) {
            fprintf(stderr, "row %zu: only %u values could be made\n", i, walked);
            return 1;
        }
        all += walked;
    }
    printf("%u messages\n", all);
    return 0;
}
