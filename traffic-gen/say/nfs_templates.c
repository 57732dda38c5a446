// SPDX-License-Identifier: GPL-2.0-or-later
/* The templates that wire/nfs_types.txt is compiled to, by name. */
#include "traffic-gen/say/nfs_messages.h"

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

/* "count=8192", "size:8=$x", "(entries=3", "mask#=1": up to the name's end, # being a digit. */
static bool word_has(const char *word, const char *name)
{
    word += strspn(word, "(?");
    while (*name && (*word == *name || (*word == '#' && g_ascii_isdigit(*name)))) {
        word++;
        name++;
    }
    return !*name && (*word == '=' || *word == ':');
}

static bool words_have(const char *words, const char *name)
{
    for (const char *p = words; *(p += strspn(p, " ")); p += strcspn(p, " ")) {
        if (word_has(p, name))
            return true;
    }
    return false;
}

static bool attributes_have(const char *name)
{
    for (unsigned bit = 0; bit < G_N_ELEMENTS(attributes); bit++) {
        if (words_have(nfs_attribute_template(bit), name))
            return true;
    }
    return false;
}

bool nfs_template_has(const struct nfs_template *template, const char *name)
{
    const char *const texts[] = {template->arguments, template->results};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (words_have(texts[i], name) || (strstr(texts[i], ":a=") && attributes_have(name)))
            return true;
    }
    return false;
}
