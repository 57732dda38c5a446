// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that use the kernel, other files or earlier reports. In this build they refuse. */
#include "conformance/annotate/annotate.h"
#include "conformance/check/large_pages.h"
#include "conformance/input/capture.h"
#include "conformance/input/capture_direct.h"
#include "conformance/input/capture_keep.h"
#include "conformance/input/capture_live.h"
#include "conformance/input/capture_tap.h"
#include "conformance/merge/merge.h"
#include "conformance/options/options.h"
#include "support/confine.h"
#include "support/privileges.h"
#include "support/stderr_line.h"

static const char left_out[] = "the checker of the web page cannot do that; the installed program can";

int merge_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    stderr_line("iwarp-check", "merge: %s", left_out);
    return CHECK_TROUBLE;
}

bool annotate_write(const struct report *report, const char *in, const char *out, GError **error)
{
    (void)report, (void)in, (void)out;
    g_set_error(error, CHECK_ERROR, CHECK_ERROR_USAGE, "--annotate: %s", left_out);
    return false;
}

bool capture_list_interfaces(FILE *out, struct capture_error *error)
{
    (void)out;
    capture_error_set(error, "--list-interfaces: %s", left_out);
    return false;
}

/* ---- the reader beside libpcap's: what stands for libpcap is in the page anyway, and as fast ---- */

struct capture_direct *direct_open(int fd, const struct direct_facts *facts)
{
    (void)fd, (void)facts;
    return NULL;
}

struct capture_direct *direct_open_pipe(int fd)
{
    (void)fd;
    return NULL;
}

void direct_close(struct capture_direct *direct)
{
    (void)direct;
}

enum direct_status direct_next(struct capture_direct *direct, struct direct_record *record)
{
    (void)direct, (void)record;
    return DIRECT_UNUSUAL;
}

uint64_t direct_position(const struct capture_direct *direct)
{
    (void)direct;
    return 0;
}

uint64_t direct_dropped(const struct capture_direct *direct)
{
    (void)direct;
    return 0;
}

/* ---- live captures: none is ever open ---- */

bool live_open(struct capture_live *live, const char *interface, const struct capture_live_options *options,
               struct capture_error *error)
{
    (void)live, (void)options;
    capture_error_set(error, "%s: %s", interface, left_out);
    return false;
}

int live_next(struct capture_live *live, struct pcap_pkthdr **header, const u_char **data)
{
    (void)live, (void)header, (void)data;
    return PCAP_ERROR_BREAK;
}

void capture_live_stop(struct capture_live *live)
{
    (void)live;
}

bool live_is_over(const struct capture_live *live, int64_t time_ns)
{
    (void)live, (void)time_ns;
    return true;
}

uint64_t live_dropped(struct capture_live *live)
{
    (void)live;
    return 0;
}

bool tap_is_interface(const char *name)
{
    (void)name;
    return false;
}

bool tap_open(struct capture_tap *tap, const struct capture_live_options *options, struct capture_error *error)
{
    (void)tap, (void)options, (void)error;
    return false;
}

void tap_wait(const struct capture_tap *tap)
{
    (void)tap;
}

void tap_stop(struct capture_tap *tap)
{
    (void)tap;
}

bool tap_close(struct capture_tap *tap)
{
    (void)tap;
    return false;
}

pcap_t *pcap_open_dead_with_tstamp_precision(int linktype, int snap_length, u_int precision)
{
    (void)linktype, (void)snap_length, (void)precision;
    return NULL;
}

bool privileges_drop_rest(void)
{
    return true;
}

/* ---- copies of captures: none is ever open ---- */

struct capture_keep *keep_open(const char *path, pcap_t *like, struct capture_error *error)
{
    (void)like;
    capture_error_set(error, "%s: %s", path, left_out);
    return NULL;
}

void keep_close(struct capture_keep *keep)
{
    (void)keep;
}

void keep_packet(struct capture_keep *keep, const struct packet *packet)
{
    (void)keep, (void)packet;
}

void keep_flush(struct capture_keep *keep)
{
    (void)keep;
}

bool keep_finish(struct capture_keep *keep, struct capture_error *error)
{
    (void)keep, (void)error;
    return false;
}

/* ---- functions that need to do nothing ---- */

void confine(const struct confine_to *to)
{
    (void)to; /* WebAssembly has no other access */
}

void large_pages_take(struct large_pages *pages)
{
    (void)pages;
}

gchar *g_uuid_string_random(void)
{
    g_error("--rotate: %s", left_out);
}
