/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels of tree items that say more than Wireshark's text for their field, built from their end (text_before.h).
 * Appending to Wireshark's own label would cost three times as much as the rest of the item: the label is formatted
 * twice and copied twice.
 */
#ifndef IWARP_PLUGINS_COMMON_LABEL_H
#define IWARP_PLUGINS_COMMON_LABEL_H

#include "plugins/common/compat.h"
#include "plugins/common/text_before.h"

#include <epan/proto.h>

struct label {
    char *at; /* where the text begins */
    char text[ITEM_LABEL_LENGTH];
};

/* False: nobody will see the item's label. */
static inline bool label_begin(struct label *label, const proto_item *item)
{
    if (!item || (!PTREE_DATA(item)->visible && proto_item_is_hidden((proto_item *)item)))
        return false;
    label->at = label->text + sizeof label->text - 1;
    *label->at = '\0';
    return true;
}

static inline void label_text(struct label *label, const char *text)
{
    label->at = text_before(label->at, text);
}

static inline void label_number(struct label *label, uint64_t number)
{
    label->at = uint64_to_str_back(label->at, number);
}

/* With 0x, and at least this many digits. */
static inline void label_hex(struct label *label, uint64_t number, int digits)
{
    label->at = hex64_to_str_back_len(label->at, number, digits);
}

/* Puts the name of the field before the text, and sets the label. */
static inline void label_end(struct label *label, proto_item *item, int field)
{
    label_text(label, proto_registrar_get_name((unsigned)field));
    proto_item_set_text(item, "%s", label->at);
}

#endif
