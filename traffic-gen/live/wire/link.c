// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/wire/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>

#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECEIVE_BUFFER = 4 << 20, MTU_MIN = 576 };

/* Advice for known errors. */
static char *link_trouble(const char *interface, const char *what, int error)
{
    switch (error) {
    case EPERM:
    case EACCES:
        return g_strdup_printf(
            "%s: %s: %s; run as root, or grant the capabilities: setcap cap_net_raw,cap_net_admin+ep "
            "$(which iwarp-gen)",
            interface, what, g_strerror(error));
    default:
        return g_strdup_printf("%s: %s: %s", interface, what, g_strerror(error));
    }
}

static bool link_fail(struct wire_link *link, const char *interface, const char *what, char **why)
{
    *why = link_trouble(interface, what, errno);
    wire_link_close(link);
    return false;
}

/* ---- a packet socket ---- */

/* Only frames to us or to a group reach the program. */
static bool filter(int fd, const uint8_t mac[WIRE_MAC])
{
    const uint32_t high = (uint32_t)mac[0] << 24 | (uint32_t)mac[1] << 16 | (uint32_t)mac[2] << 8 | mac[3],
                   low = (uint32_t)mac[4] << 8 | mac[5];
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1, 4, 0), /* a group address */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 0, 3),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 4), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, low, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const struct sock_fprog program = {.len = G_N_ELEMENTS(code), .filter = code};

    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

static bool open_packet_socket(const char *interface, const uint8_t mac[WIRE_MAC], struct wire_link *link, char **why)
{
    const int index = (int)if_nametoindex(interface), on = 1, size = RECEIVE_BUFFER;
    const struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = index};
    const struct packet_mreq all = {.mr_ifindex = index, .mr_type = PACKET_MR_PROMISC};

    /* Binds with protocol 0: no frame arrives before the filter is set. */
    link->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->fd < 0)
        return link_fail(link, interface, "cannot open a packet socket", why);
    if (!filter(link->fd, mac) || setsockopt(link->fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) != 0 ||
        setsockopt(link->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0 ||
        bind(link->fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(link->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) != 0)
        return link_fail(link, interface, "cannot listen to the interface", why);
    setsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    return true;
}

/* ---- a TAP device ---- */

static bool is_tap(const char *interface)
{
    g_autofree char *path = g_strdup_printf("/sys/class/net/%s/tun_flags", interface), *text = NULL;

    return g_file_get_contents(path, &text, NULL, NULL) && g_ascii_strtoull(text, NULL, 16) & IFF_TAP;
}

/*
 * A TAP device held by another program, such as a virtual machine, is used like any interface: that program is at its
 * end.
 */
static bool open_tap(const char *interface, const uint8_t mac[WIRE_MAC], struct wire_link *link, char **why)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};

    link->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (link->fd < 0)
        return link_fail(link, interface, "cannot open /dev/net/tun", why);
    g_strlcpy(request.ifr_name, interface, sizeof request.ifr_name);
    link->is_tap = ioctl(link->fd, TUNSETIFF, &request) == 0;
    if (link->is_tap)
        return true;
    if (errno != EBUSY)
        return link_fail(link, interface, "cannot take the TAP device", why);
    wire_link_close(link);
    return open_packet_socket(interface, mac, link, why);
}

/* ---- both kinds ---- */

/* Gets the MTU, and whether the interface is Ethernet and up. */
static bool link_look_at(const char *interface, unsigned *mtu, char **why)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good = true;
    short kind = 0;

    g_strlcpy(request.ifr_name, interface, sizeof request.ifr_name);
    if (ioctl(fd, SIOCGIFHWADDR, &request) == 0)
        kind = (short)request.ifr_hwaddr.sa_family;
    if (kind != ARPHRD_ETHER) {
        *why = g_strdup_printf("%s is not an Ethernet interface", interface);
        good = false;
    } else if (ioctl(fd, SIOCGIFFLAGS, &request) == 0 && !(request.ifr_flags & IFF_UP)) {
        *why = g_strdup_printf("%s: is down; set it up: ip link set %s up", interface, interface);
        good = false;
    } else if (ioctl(fd, SIOCGIFMTU, &request) != 0 || request.ifr_mtu < MTU_MIN) {
        *why = g_strdup_printf("%s: its MTU is below %d octets", interface, MTU_MIN);
        good = false;
    }
    *mtu = good ? (unsigned)MIN(request.ifr_mtu, 65535) : 0;
    close(fd);
    return good;
}

bool wire_link_open(const char *interface, const uint8_t mac[WIRE_MAC], struct wire_link *out, char **why)
{
    *out = (struct wire_link){.fd = -1};
    if (strlen(interface) >= IFNAMSIZ || if_nametoindex(interface) == 0) {
        *why = g_strdup_printf("%s: no such network interface (ip link lists them)", interface);
        return false;
    }
    if (!link_look_at(interface, &out->mtu, why))
        return false;
    return is_tap(interface) ? open_tap(interface, mac, out, why) : open_packet_socket(interface, mac, out, why);
}

void wire_link_close(struct wire_link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
}

void wire_link_send(const struct wire_link *link, const uint8_t *frame, size_t n)
{
    ssize_t sent;

    do
        sent = write(link->fd, frame, n);
    while (sent < 0 && errno == EINTR);
}

/*
 * TP_STATUS_CSUMNOTREADY: from this machine, with the checksum left to the interface. A tagged frame belongs to another
 * network.
 */
static bool read_auxiliary(struct msghdr *message, bool *sums_due)
{
    for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each; each = CMSG_NXTHDR(message, each)) {
        struct tpacket_auxdata data;

        if (each->cmsg_level != SOL_PACKET || each->cmsg_type != PACKET_AUXDATA)
            continue;
        memcpy(&data, CMSG_DATA(each), sizeof data);
        *sums_due = !(data.tp_status & TP_STATUS_CSUMNOTREADY);
        return !(data.tp_status & TP_STATUS_VLAN_VALID);
    }
    return true;
}

size_t wire_link_receive(const struct wire_link *link, uint8_t frame[WIRE_FRAME_ROOM], bool *sums_due)
{
    union {
        struct cmsghdr align;
        uint8_t octets[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
    } control;
    struct iovec vector = {.iov_base = frame, .iov_len = WIRE_FRAME_ROOM};
    ssize_t n;

    *sums_due = true;
    if (link->is_tap) {
        n = read(link->fd, frame, WIRE_FRAME_ROOM);
        return n > 0 ? (size_t)n : 0;
    }
    for (;;) {
        struct msghdr message = {
            .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

        n = recvmsg(link->fd, &message, 0);
        if (n <= 0)
            return 0;
        if (read_auxiliary(&message, sums_due))
            return (size_t)n;
    }
}
