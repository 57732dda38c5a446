// SPDX-License-Identifier: GPL-2.0-or-later
/* RFC 1813 section 2.6, RFC 7530 section 13, RFC 8881 section 15.1. */
#include "traffic-gen/nfs/tree/nfs_status.h"

#include <glib.h>

const char *nfs_status_name(uint32_t status)
{
    static const struct {
        uint32_t status;
        const char *name;
    } names[] = {
        {0, "OK"},
        {1, "PERM"},
        {2, "NOENT"},
        {5, "IO"},
        {13, "ACCES"},
        {17, "EXIST"},
        {20, "NOTDIR"},
        {21, "ISDIR"},
        {22, "INVAL"},
        {27, "FBIG"},
        {28, "NOSPC"},
        {30, "ROFS"},
        {63, "NAMETOOLONG"},
        {66, "NOTEMPTY"},
        {70, "STALE"},
        {10001, "BADHANDLE"},
        {10003, "BAD_COOKIE"},
        {10004, "NOTSUPP"},
        {10005, "TOOSMALL"},
        {10006, "SERVERFAULT"},
        {10008, "DELAY"},
        {10011, "EXPIRED"},
        {10013, "GRACE"},
        {10016, "WRONGSEC"},
        {10018, "RESOURCE"},
        {10020, "NOFILEHANDLE"},
        {10021, "MINOR_VERS_MISMATCH"},
        {10022, "STALE_CLIENTID"},
        {10023, "STALE_STATEID"},
        {10025, "BAD_STATEID"},
        {10026, "BAD_SEQID"},
        {10036, "BADXDR"},
        {10038, "OPENMODE"},
        {10044, "OP_ILLEGAL"},
        {10052, "BADSESSION"},
        {10053, "BADSLOT"},
        {10063, "SEQ_MISORDERED"},
        {10065, "REQ_TOO_BIG"},
        {10066, "REP_TOO_BIG"},
        {10071, "OP_NOT_IN_SESSION"},
        {10076, "SEQ_FALSE_RETRY"},
        {10081, "NOT_ONLY_OP"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (names[i].status == status)
            return names[i].name;
    }
    return "an error";
}
