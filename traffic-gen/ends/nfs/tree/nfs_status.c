// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/nfs/tree/nfs_status.h"

#include <glib.h>
#include <string.h>

static const struct {
    uint32_t status;
    const char *name;
} rows[] = {NFS_STATUS_ROWS};

const char *nfs_status_name(uint32_t status)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].status == status)
            return rows[i].name;
    }
    return "an error";
}

bool nfs_status_find(const char *name, uint32_t *status)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        *status = rows[i].status;
        return true;
    }
    return false;
}
