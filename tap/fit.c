// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/fit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool fit_has(const char *sys, const char *folder, const char *name, const char *rest, int mode)
{
    char path[FIT_PATH];

    return snprintf(path, sizeof path, "%s/%s/%s%s", sys, folder, name, rest) < FIT_PATH && access(path, mode) == 0;
}

/* "[none] integrity confidentiality": the mode in brackets. */
static bool is_confidential(const char *sys)
{
    char text[128] = "", path[FIT_PATH];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/kernel/security/lockdown", sys);
    file = fopen(path, "r");
    if (!file)
        return false;
    if (!fgets(text, sizeof text, file))
        text[0] = '\0';
    (void)fclose(file);
    return strstr(text, "[confidentiality]") != NULL;
}

bool fit_is_module(const char *sys, const char *name)
{
    return fit_has(sys, "module", name, "/initstate", F_OK);
}

bool fit_kernel(const char *sys, char *why, size_t size)
{
    static const char *const modules[] = {"rpcrdma", "rdma_cm"};

    if (is_confidential(sys)) {
        (void)snprintf(why, size, "the kernel is locked down for confidentiality, and lets nobody read its memory");
        return false;
    }
    if (!fit_has(sys, "kernel/btf", "vmlinux", "", R_OK)) {
        (void)snprintf(why, size,
                       "this kernel does not describe its types (BTF): it was built without CONFIG_DEBUG_INFO_BTF");
        return false;
    }
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        if (!fit_has(sys, "module", modules[i], "", F_OK)) {
            (void)snprintf(why, size, "the kernel's module %s is not loaded: modprobe %s", modules[i], modules[i]);
            return false;
        }
        if (fit_is_module(sys, modules[i]) && !fit_has(sys, "kernel/btf", modules[i], "", R_OK)) {
            (void)snprintf(why, size,
                           "the module %s does not describe its types (BTF): it was not built with this kernel",
                           modules[i]);
            return false;
        }
    }
    return true;
}
