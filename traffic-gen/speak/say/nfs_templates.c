// SPDX-License-Identifier: GPL-2.0-or-later
/* The templates by name, compiled from wire/nfs_types.txt. */
#include "traffic-gen/speak/say/nfs_messages.h"

#include <string.h>

#include "nfs_templates.h"

const struct nfs_template *nfs_procedure_template_at(unsigned index)
{
    return index < G_N_ELEMENTS(procedures) ? &procedures[index] : NULL;
}

const struct nfs_template *nfs_procedure_template(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(procedures); i++) {
        if (strcmp(procedures[i].name, name) == 0)
            return &procedures[i];
    }
    return NULL;
}

const struct nfs_template *nfs_operation_template_at(unsigned index, bool callback)
{
    if (callback)
        return index < G_N_ELEMENTS(callback_operations) ? &callback_operations[index] : NULL;
    return index < G_N_ELEMENTS(operations) ? &operations[index] : NULL;
}

const struct nfs_template *nfs_operation_template(const char *name, bool callback)
{
    const struct nfs_template *op;

    for (unsigned i = 0; (op = nfs_operation_template_at(i, callback)); i++) {
        if (strcmp(op->name, name) == 0)
            return op;
    }
    return NULL;
}

const struct nfs_template *nfs_operation_numbered(uint32_t number, bool callback)
{
    const struct nfs_template *op;
    unsigned i = 0;

    while ((op = nfs_operation_template_at(i, callback)) && op->number != number)
        i++;
    return op;
}

const char *nfs_attribute_template(unsigned bit)
{
    return bit < G_N_ELEMENTS(attributes) && attributes[bit] ? attributes[bit] : "";
}
