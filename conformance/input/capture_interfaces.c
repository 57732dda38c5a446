// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/capture.h"

#include <pcap/pcap.h>

bool capture_list_interfaces(FILE *out, struct capture_error *error)
{
    static const struct {
        bpf_u_int32 flag;
        const char *word;
    } words[] = {{PCAP_IF_UP, "up"}, {PCAP_IF_RUNNING, "running"}, {PCAP_IF_LOOPBACK, "loopback"}};
    char reason[PCAP_ERRBUF_SIZE] = "";
    pcap_if_t *all = NULL;

    if (pcap_findalldevs(&all, reason) != 0) {
        capture_error_set(error, "-D: %s", reason);
        return false;
    }
    for (const pcap_if_t *interface = all; interface; interface = interface->next) {
        const char *between = "";

        fprintf(out, "%s\t%s\t", interface->name, interface->description ? interface->description : "");
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (interface->flags & words[i].flag) {
                fprintf(out, "%s%s", between, words[i].word);
                between = ", ";
            }
        fputc('\n', out);
    }
    if (all)
        fputs("kernel\tRDMA of this kernel, on any adapter, by iwarp-tap\t\n", out);
    else
        capture_error_set(error, "-D: no interface allows capturing; this needs root or the capability "
                                 "CAP_NET_RAW");
    pcap_freealldevs(all);
    return all != NULL;
}
