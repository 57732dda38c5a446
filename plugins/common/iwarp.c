// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/iwarp.h"

#include <epan/prefs.h>

static compat_bool check = 1;

bool iwarp_judges(void)
{
    return check;
}

void iwarp_register(void)
{
    int proto = proto_register_protocol("iWARP and RDMA upper layers", "iWARP", "iwarp");
    module_t *module = prefs_register_protocol(proto, NULL);

    proto_set_cant_toggle(proto);
    prefs_register_bool_preference(module, "check", "Check against the standards",
                                   "Whether to judge MPA, DDP, RDMAP, RPC-over-RDMA and NFS by the rules of the RFCs, "
                                   "and to show findings. Without it, the same is dissected in less time",
                                   &check);
}
