// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/capture_live.h"

#include "support/privileges.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

enum {
    SNAP_LENGTH = 262144, /* packets exceed the MTU if the interface segments or reassembles them */
    BUFFER = 64 << 20,    /* more than half a second of a gigabit link, in case this program is not scheduled */
    BLOCK_MS = 100,       /* the kernel hands over a block after this time, even if the block is not full */
    NS_PER_MS = 1000000,
    NS_PER_S = 1000000000,
};

static bool live_refused(struct capture_error *error, const char *interface, pcap_t *pcap, int result)
{
    const char *what = pcap_statustostr(result), *detail = pcap_geterr(pcap);

    if (*detail && strcmp(detail, what) != 0) /* libpcap repeats the text if it has nothing to add */
        capture_error_set(error, "%s: %s: %s", interface, what, detail);
    else
        capture_error_set(error, "%s: %s", interface, what);
    return false;
}

static bool set_filter(pcap_t *pcap, const char *interface, const char *filter, struct capture_error *error)
{
    struct bpf_program program;
    bool good;

    if (pcap_compile(pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN) != 0) {
        capture_error_set(error, "%s: filter \"%s\": %s", interface, filter, pcap_geterr(pcap));
        return false;
    }
    good = pcap_setfilter(pcap, &program) == 0;
    pcap_freecode(&program);
    return good || live_refused(error, interface, pcap, PCAP_ERROR);
}

static bool activate(pcap_t *pcap, const char *interface, const struct capture_live_options *options,
                     struct capture_error *error)
{
    char reason[PCAP_ERRBUF_SIZE] = "";
    int result;

    /* Some devices only offer microseconds, which libpcap then delivers. */
    (void)!pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    result = pcap_set_snaplen(pcap, options->snap_length != 0 ? (int)options->snap_length : SNAP_LENGTH)
               ?: pcap_set_promisc(pcap, 1)
               ?: pcap_set_timeout(pcap, BLOCK_MS)
               ?: pcap_set_buffer_size(pcap, options->buffer != 0 ? (int)options->buffer : BUFFER);
    if (result == 0)
        result = pcap_activate(pcap);
    if (result < 0)
        return live_refused(error, interface, pcap, result);
    if (!privileges_drop(options->user, options->writes)) {
        if (options->user && errno == ENOENT)
            capture_error_set(error, "-Z: there is no user '%s'", options->user);
        else
            capture_error_set(error, "%s: cannot drop privileges: %s", interface, strerror(errno));
        return false;
    }
    /* This function waits itself, because libpcap's wait does not end while no packet comes. */
    if (pcap_setnonblock(pcap, 1, reason) != 0) {
        capture_error_set(error, "%s: %s", interface, reason);
        return false;
    }
    return !options->filter || set_filter(pcap, interface, options->filter, error);
}

bool live_open(struct capture_live *live, const char *interface, const struct capture_live_options *options,
               struct capture_error *error)
{
    char reason[PCAP_ERRBUF_SIZE] = "";

    live->pcap = pcap_create(interface, reason);
    if (!live->pcap)
        capture_error_set(error, "%s: %s", interface, reason);
    return live->pcap && activate(live->pcap, interface, options, error);
}

static int64_t live_clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int live_next(struct capture_live *live, struct pcap_pkthdr **header, const u_char **data)
{
    struct pollfd wait = {.fd = pcap_get_selectable_fd(live->pcap), .events = POLLIN};
    int result = pcap_next_ex(live->pcap, header, data);

    if (result != 0)
        return result;
    /* Packets from before the end arrive within the time of one block. */
    if (live->stopping && live_clock_ns(CLOCK_MONOTONIC) - live->stop_tick_ns >= INT64_C(2) * BLOCK_MS * NS_PER_MS)
        return PCAP_ERROR_BREAK;
    poll(&wait, 1, BLOCK_MS); /* interrupted or failed: the next call reports the reason */
    return 0;
}

void capture_live_stop(struct capture_live *live)
{
    if (live->stopping)
        return;
    live->stopping = true;
    live->stop_ns = live_clock_ns(CLOCK_REALTIME);
    live->stop_tick_ns = live_clock_ns(CLOCK_MONOTONIC);
}

bool live_is_over(const struct capture_live *live, int64_t time_ns)
{
    return live->stopping && time_ns > live->stop_ns;
}

uint64_t live_dropped(struct capture_live *live)
{
    struct pcap_stat statistics;

    /* An interface that has disappeared has no statistics. */
    if (pcap_stats(live->pcap, &statistics) == 0)
        live->dropped = (uint64_t)statistics.ps_drop + statistics.ps_ifdrop;
    return live->dropped;
}
