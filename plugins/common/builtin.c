// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/builtin.h"

/* A visible tree is printed, and Wireshark does not say which of its fields. */
static bool builtin_is_wanted(const proto_tree *tree, const header_field_info *info)
{
    return info && (PTREE_DATA(tree)->visible || info->ref_type != HF_REF_TYPE_NONE);
}

void builtin_find(struct builtin *builtin)
{
    builtin->info = proto_registrar_get_byname(builtin->name);
    for (unsigned i = 0; i < builtin->n; i++)
        builtin->fields[i].info = proto_registrar_get_byname(builtin->fields[i].name);
}

proto_tree *builtin_tree(const struct builtin *builtin, proto_tree *root, tvbuff_t *tvb, int at, int length, int ett)
{
    proto_item *item;

    if (!root || !builtin_is_wanted(root, builtin->info))
        return NULL;
    item = proto_tree_add_item(root, builtin->info->id, tvb, at, length, ENC_NA);
    proto_item_set_hidden(item);
    return proto_item_add_subtree(item, ett);
}

static bool builtin_is_added(const struct builtin_field *field, unsigned holds, const proto_tree *tree)
{
    return (field->when & ~holds) == 0 && builtin_is_wanted(tree, field->info);
}

void builtin_add(const struct builtin *builtin, unsigned holds, proto_tree *tree, tvbuff_t *tvb, int at, int length)
{
    if (!tree || !builtin_is_wanted(tree, builtin->info))
        return;
    for (const struct builtin_field *field = builtin->fields; field < builtin->fields + builtin->n; field++) {
        int n = field->length == BUILTIN_REST ? length - field->at : field->length;

        if (builtin_is_added(field, holds, tree) && n >= 0 && tvb_bytes_exist(tvb, at + field->at, n))
            proto_item_set_hidden(proto_tree_add_item(tree, field->info->id, tvb, at + field->at, n, ENC_BIG_ENDIAN));
    }
}

static bool takes_number(enum ftenum type)
{
    return type == FT_UINT8 || type == FT_UINT16 || type == FT_UINT32 || type == FT_FRAMENUM;
}

void builtin_add_number(const struct builtin *builtin, unsigned holds, proto_tree *tree, tvbuff_t *tvb, uint32_t number)
{
    if (!tree || !builtin_is_wanted(tree, builtin->info))
        return;
    for (const struct builtin_field *field = builtin->fields; field < builtin->fields + builtin->n; field++)
        if (builtin_is_added(field, holds, tree) && takes_number(field->info->type))
            proto_item_set_hidden(proto_tree_add_uint(tree, field->info->id, tvb, 0, 0, number));
}
