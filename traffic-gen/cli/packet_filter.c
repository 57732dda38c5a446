// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/packet_filter.h"

#include <glib.h>

enum { SNAP_LENGTH = 262144 };

bool packet_filter_compile(struct bpf_program *program, const char *filter, char **error)
{
    pcap_t *form = pcap_open_dead(DLT_EN10MB, SNAP_LENGTH);
    bool good = form && pcap_compile(form, program, filter, 1, PCAP_NETMASK_UNKNOWN) == 0;

    if (!good)
        *error = g_strdup_printf("filter \"%s\": %s", filter, form ? pcap_geterr(form) : "out of memory");
    if (form)
        pcap_close(form);
    return good;
}

void packet_filter_clear(struct bpf_program *program)
{
    pcap_freecode(program);
}

bool packet_filter_matches(void *ctx, const uint8_t *p, size_t n)
{
    const struct pcap_pkthdr header = {.caplen = (bpf_u_int32)n, .len = (bpf_u_int32)n};

    return pcap_offline_filter(ctx, &header, p) != 0;
}
