// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iwarp-gen test with a hostile device, on a simulated network and clock. The device is the stack's own, or one of its
 * mutants, and the input damages its writes, so that tests get far before an error. The input: two octets choose the
 * test, one the device, one the mutant; each write of the device takes an octet and its parameters. In every case the
 * test ends in time, with a verdict.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/tester/mutants/sample_device.h"
#include "traffic-gen/tester/suite/expect/learn_device.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/run/run.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <fcntl.h>
#include <unistd.h>

enum { POLLS_MAX = 200000, RECEIVED_MAX = 1 << 20, SECOND_US = 1000000 };
enum { HOW_INITIATOR = 1, HOW_RPC = 2, HOW_MUTANT = 4, HOW_MARKERS = 8, HOW_NO_CRC = 16, HOW_PEER = 32, HOW_OLD = 64 };

struct input {
    const uint8_t *p;
    size_t n;
};

static struct input input;
static int64_t clock_us;
static unsigned polls;

/* The device's end of the one connection that is open. */
static struct {
    struct sample_device_options options;
    struct sample_device *sample;
    GByteArray *out; /* sent octets; those from `at` on are unread */
    size_t at;
    bool fin, fin_told, reset;
} device;

static unsigned take(void)
{
    if (input.n == 0)
        return 0;
    input.n--;
    return *input.p++;
}

static unsigned take16(void)
{
    unsigned high = take();

    return high << 8 | take();
}

/* ---- what the device writes ---- */

/* Changes one octet; with `right` the CRC is corrected, as if the device had meant it. */
static void change(uint8_t *p, size_t n, bool right)
{
    size_t at = take16() % n;

    p[at] ^= (uint8_t)take();
    if (right && n > 8)
        put_le32(p + n - 4, crc32c(p, n - 4));
}

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    unsigned op = input.n > 0 ? take() : 0;
    size_t begin = device.out->len;
    uint8_t octet;

    (void)ctx;
    g_byte_array_append(device.out, p, (guint)n);
    switch (op & 15) {
    default:
        break;
    case 8:
    case 9:
    case 10:
        change(device.out->data + begin, n, op & 15 & ~8);
        break;
    case 11:
        g_byte_array_set_size(device.out, (guint)begin);
        break;
    case 12:
        g_byte_array_append(device.out, p, (guint)n);
        break;
    case 13:
        g_byte_array_set_size(device.out, (guint)(begin + take16() % n));
        break;
    case 14:
        for (unsigned i = take() % 64; i > 0; i--) {
            octet = (uint8_t)take();
            g_byte_array_append(device.out, &octet, 1);
        }
        break;
    case 15:
        device.fin |= op & 0x40;
        device.reset |= (op & 0x80) != 0;
        break;
    }
}

static size_t on_room(void *ctx)
{
    (void)ctx;
    return SIZE_MAX;
}

static void on_close(void *ctx, bool reset)
{
    (void)ctx;
    device.fin = true;
    device.reset |= reset;
}

static int64_t on_now(void *ctx)
{
    (void)ctx;
    return clock_us * 1000;
}

static const struct stream stream = {.write = on_write, .room = on_room, .close = on_close, .now = on_now, .mss = 1460};

static void hang_up(void)
{
    g_clear_pointer(&device.sample, sample_device_free);
    g_clear_pointer(&device.out, g_byte_array_unref);
}

static int open_connection(void)
{
    const struct sample_device_options options = device.options;

    hang_up();
    memset(&device, 0, sizeof device);
    device.options = options;
    device.out = g_byte_array_new();
    device.sample = sample_device_new(&options, &stream);
    qp_start(sample_device_qp(device.sample));
    return open("/dev/null", O_RDWR | O_CLOEXEC); /* talk.c closes it */
}

static bool readable(bool octets)
{
    return device.reset || (octets && (device.at < device.out->len || (device.fin && !device.fin_told)));
}

/* ---- tcp_socket.h and the clock: the linker replaces the real functions by these ---- */

#pragma GCC visibility push(default) /* shared libraries call some of them, too */

int __wrap_tcp_connect(const char *host, const char *port, const struct tcp_wish *wish, int64_t timeout_ns, char **why);
int __wrap_tcp_accept(int listener, bool alive, int64_t timeout_ns, char **why);
void __wrap_tcp_ends(int fd, struct endpoint *ours, struct endpoint *theirs);
size_t __wrap_tcp_write(int fd, const uint8_t *p, size_t n, int64_t until);
enum tcp_status __wrap_tcp_read(int fd, uint8_t *p, size_t size, size_t *n);
uint64_t __wrap_tcp_unacknowledged(int fd);
void __wrap_tcp_cork(int fd, bool on);
void __wrap_tcp_finish(int fd);
void __wrap_tcp_reset(int fd);
void __wrap_tcp_close(int fd);
bool __wrap_tcp_wait(int fd, bool fin_read, int ms);
gint64 __wrap_g_get_monotonic_time(void);
gint64 __wrap_g_get_real_time(void);
void __wrap_g_usleep(gulong us);
#pragma GCC visibility pop

int __wrap_tcp_connect(const char *host, const char *port, const struct tcp_wish *wish, int64_t timeout_ns, char **why)
{
    (void)host, (void)port, (void)wish, (void)timeout_ns, (void)why;
    return open_connection();
}

int __wrap_tcp_accept(int listener, bool alive, int64_t timeout_ns, char **why)
{
    (void)listener, (void)alive, (void)timeout_ns, (void)why;
    return open_connection();
}

void __wrap_tcp_ends(int fd, struct endpoint *ours, struct endpoint *theirs)
{
    (void)fd;
    *ours = (struct endpoint){.ip = 4, .address = {192, 0, 2, 1}, .port = 40000};
    *theirs = (struct endpoint){.ip = 4, .address = {192, 0, 2, 2}, .port = 7174};
}

size_t __wrap_tcp_write(int fd, const uint8_t *p, size_t n, int64_t until)
{
    (void)fd, (void)until;
    if (device.reset)
        return 0;
    qp_receive(sample_device_qp(device.sample), p, n);
    return n;
}

enum tcp_status __wrap_tcp_read(int fd, uint8_t *p, size_t size, size_t *n)
{
    (void)fd;
    if (device.reset)
        return TCP_READ_RESET;
    *n = MIN(size, device.out->len - device.at);
    if (*n == 0) {
        device.fin_told |= device.fin;
        return device.fin ? TCP_READ_FIN : TCP_READ_NOTHING;
    }
    memcpy(p, device.out->data + device.at, *n);
    device.at += *n;
    return TCP_READ_OCTETS;
}

uint64_t __wrap_tcp_unacknowledged(int fd)
{
    (void)fd;
    return 0;
}

void __wrap_tcp_cork(int fd, bool on)
{
    (void)fd, (void)on;
}

void __wrap_tcp_finish(int fd)
{
    (void)fd;
    if (!device.reset)
        qp_receive_fin(sample_device_qp(device.sample));
}

void __wrap_tcp_reset(int fd)
{
    if (!device.reset)
        qp_receive_reset(sample_device_qp(device.sample));
    close(fd);
}

void __wrap_tcp_close(int fd)
{
    close(fd);
}

bool __wrap_tcp_wait(int fd, bool fin_read, int ms)
{
    (void)fd;
    HOLDS(++polls < POLLS_MAX);
    clock_us++;
    if (!readable(!fin_read)) {
        clock_us += ms * 1000;
        qp_tick(sample_device_qp(device.sample));
    }
    return readable(!fin_read);
}

gint64 __wrap_g_get_monotonic_time(void)
{
    return clock_us;
}

gint64 __wrap_g_get_real_time(void)
{
    return clock_us + INT64_C(1700000000) * SECOND_US;
}

void __wrap_g_usleep(gulong us)
{
    clock_us += (int64_t)us;
}

/* ---- one test ---- */

/* NULL: the connection that learns the device. */
static const struct suite_case *choose(unsigned number)
{
    for (unsigned i = 0; suites[i]; number -= suites[i++]->n)
        if (number < suites[i]->n)
            return &suites[i]->cases[number];
    return NULL;
}

static void run_test(struct talk_run *run, const struct suite_case *row)
{
    struct case_result *result = case_result_new();
    struct talk *talk = talk_begin_job(run, row, 1, result);
    int64_t deadline;

    row->run(talk, row);
    deadline = talk_job(talk)->deadline;
    talk_end_job(talk);
    HOLDS(clock_us * 1000 < deadline + run->t_react);
    HOLDS(!result->actual || g_utf8_validate(result->actual, -1, NULL));
    for (guint i = 0; i < result->observations->len; i++)
        HOLDS(g_utf8_validate(g_ptr_array_index(result->observations, i), -1, NULL));
    case_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int64_t ms = 1000000;
    struct talk_run run = {.host = "device",
                           .port = "7174",
                           .listener = -1,
                           .t_react = 200 * ms,
                           .t_start = 500 * ms,
                           .t_idle = 500 * ms,
                           .t_accept = 500 * ms,
                           .received_max = RECEIVED_MAX,
                           .sign = SIGN_READ,
                           .signs = 1u << SIGN_READ | 1u << SIGN_ECHO,
                           .has = UINT_MAX & ~(unsigned)(NEED_RPC | NEED_NFS)};
    const struct suite_case *row;
    unsigned how, mutant;

    input = (struct input){data, size};
    clock_us = SECOND_US;
    polls = 0;
    row = choose(take16() % 512);
    how = take();
    mutant = take();
    run.dut = how & HOW_INITIATOR ? DUT_INITIATOR : DUT_RESPONDER;
    if (row && !(row->duts & run.dut))
        run.dut = row->duts == DUT_ANY ? DUT_RESPONDER : (enum suite_dut)row->duts;
    if ((row && row->needs & (NEED_RPC | NEED_NFS)) || how & HOW_RPC)
        run.services = NEED_RPC | NEED_NFS | NEED_RECEIVES;
    /* MOUNT of version 3 uses TCP, which must not leave this process. */
    run.seed = how;
    run.nfs = nfs_run_new();
    run.nfs->wanted = NFS_ALL_VERSIONS & ~(1U << NFS_V3);
    device.options = (struct sample_device_options){.role = run.dut,
                                                    .how = how & HOW_MUTANT ? misbehave_at(mutant) : NULL,
                                                    .rpc = run.services != 0,
                                                    .revision = how & HOW_OLD ? 1 : 2,
                                                    .markers = how & HOW_MARKERS,
                                                    .no_crc = how & HOW_NO_CRC,
                                                    .peer_to_peer = how & HOW_PEER};
    if (device.options.how && !(device.options.how->roles & run.dut))
        device.options.how = NULL;
    if (row) {
        run_test(&run, row);
    } else {
        char *why = NULL;

        HOLDS(learn_device(&run, &why) || why);
        g_free(why);
    }
    hang_up();
    nfs_run_free(run.nfs);
    return 0;
}
