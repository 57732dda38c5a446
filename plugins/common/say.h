/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in the Info column. */
#ifndef IWARP_PLUGINS_COMMON_SAY_H
#define IWARP_PLUGINS_COMMON_SAY_H

#include "plugins/common/compat.h"

#include <epan/column-info.h>
#include <epan/column-utils.h>

#include <string.h>

enum { SAID_MAX = 512 };

/*
 * Appends text[0..n), which ends with a NUL, to the Info column. Wireshark would copy the column octet by octet, which
 * takes longer than writing it; Wireshark also stores strings that outlive the frame without a copy.
 */
static inline void say(column_info *cinfo, const char *text, size_t n)
{
    static char said[SAID_MAX];
    const col_item_t *column;
    size_t have;

    if (!col_get_writable(cinfo, COL_INFO))
        return;
    column = cinfo->col_first[COL_INFO] >= 0 ? &cinfo->columns[cinfo->col_first[COL_INFO]] : NULL;
    have = column ? strlen(column->col_data) : 0;
    if (!column || cinfo->col_first[COL_INFO] != cinfo->col_last[COL_INFO] || column->col_fence > 0 ||
        have + n >= sizeof said) {
        col_append_str(cinfo, COL_INFO, text);
        return;
    }
    if (column->col_data != said)
        memcpy(said, column->col_data, have);
    memcpy(said + have, text, n + 1);
    col_set_str(cinfo, COL_INFO, said);
}

/*
 * The text of the InfiniBand dissector, "RC Send Only QP=0x000011 ", ends in a blank, which does not go with a comma.
 */
static inline void say_trim(packet_info *pinfo)
{
    const char *text = col_get_text(pinfo->cinfo, COL_INFO);

    if (text && g_str_has_suffix(text, " "))
        col_add_str(pinfo->cinfo, COL_INFO, g_strchomp(wmem_strdup(pinfo->pool, text)));
}

#endif
