// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/capture_keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_S = 1000000000 };

struct capture_keep {
    char *path;
    pcap_t *form; /* libpcap needs a handle to write the file */
    pcap_dumper_t *dumper;
    int trouble; /* errno of the first write that failed */
};

static bool keep_begin(struct capture_keep *keep, pcap_t *like, struct capture_error *error)
{
    int snap_length = pcap_snapshot(like);
    FILE *file;

    keep->form = pcap_open_dead_with_tstamp_precision(pcap_datalink(like), snap_length, PCAP_TSTAMP_PRECISION_NANO);
    if (!keep->form || !keep->path) {
        capture_error_set(error, "out of memory");
        return false;
    }
    file = fopen(keep->path, "wb");
    if (!file) {
        capture_error_set(error, "cannot write %s: %s", keep->path, strerror(errno));
        return false;
    }
    keep->dumper = pcap_dump_fopen(keep->form, file);
    if (!keep->dumper) {
        capture_error_set(error, "cannot write %s: %s", keep->path, pcap_geterr(keep->form));
        fclose(file);
    }
    return keep->dumper != NULL;
}

struct capture_keep *keep_open(const char *path, pcap_t *like, struct capture_error *error)
{
    struct capture_keep *keep = calloc(1, sizeof *keep);

    if (!keep) {
        capture_error_set(error, "out of memory");
        return NULL;
    }
    keep->path = strdup(path);
    if (keep_begin(keep, like, error))
        return keep;
    keep_close(keep);
    return NULL;
}

void keep_close(struct capture_keep *keep)
{
    if (!keep)
        return;
    if (keep->dumper)
        pcap_dump_close(keep->dumper);
    if (keep->form)
        pcap_close(keep->form);
    free(keep->path);
    free(keep);
}

void keep_packet(struct capture_keep *keep, const struct packet *packet)
{
    /* In such a file, "microseconds" are nanoseconds. */
    const struct pcap_pkthdr header = {.ts = {packet->time_ns / NS_PER_S, packet->time_ns % NS_PER_S},
                                       .caplen = packet->captured,
                                       .len = packet->length};

    if (keep->trouble != 0)
        return;
    errno = 0;
    pcap_dump((u_char *)keep->dumper, &header, packet->data);
    if (ferror(pcap_dump_file(keep->dumper)))
        keep->trouble = errno ? errno : EIO;
}

void keep_flush(struct capture_keep *keep)
{
    if (keep->trouble == 0 && pcap_dump_flush(keep->dumper) != 0)
        keep->trouble = errno ? errno : EIO;
}

bool keep_finish(struct capture_keep *keep, struct capture_error *error)
{
    keep_flush(keep);
    if (keep->trouble != 0)
        capture_error_set(error, "cannot write %s: %s", keep->path, strerror(keep->trouble));
    return keep->trouble == 0;
}
