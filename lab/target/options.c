// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/target/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: iwarp-target [OPTION...] [[HOST:]PORT]\n"
    "       iwarp-target --connect HOST:PORT [OPTION...]\n"
    "\n"
    "Runs on the host of an RDMA device and offers what iwarp-gen test needs there: memory with known access rights,\n"
    "Receives, an echo. It is a Responder at PORT (default 7174), or with --connect an Initiator that connects "
    "repeatedly.\n"
    "\n"
    "  --connect=HOST:PORT   be the Initiator; for iwarp-gen test --listen\n"
    "  --service=NAME        for peers without wishes: echo (default), or sink, which receives and never sends\n"
    "  --advertise=WHERE     how memory is announced: private-data (default), or send, in a Send\n"
    "  --ird=N, --ord=N      Reads in flight from the peer, and from us (default 16; limited by the device)\n"
    "  --receives=N          Receives for peers without wishes (default 64)\n"
    "  --receive-size=N      octets of each Receive (default 4096)\n"
    "  --region-size=N       octets of region 0 (default 65536); regions 1 to 5 have 4096\n"
    "  --connections=N       accept at most N at a time (default 256); others are rejected\n"
    "  --idle=SECONDS        close a connection after this time without completions (default 90; 0: never)\n"
    "  --pause=SECONDS       Initiator: pause between two connections (default 0.05)\n"
    "  --patience=SECONDS    Initiator: give up after this time without an answer (default 0: never)\n"
    "  --watch=SECONDS       Responder: how often to check that the device still listens (default 10; 0: never)\n"
    "  --verbose             log the events of each connection\n"
    "  --help, --version\n";

enum name {
    CONNECT = 256,
    SERVICE,
    ADVERTISE,
    IRD,
    ORD,
    RECEIVES,
    RECEIVE_SIZE,
    REGION_SIZE,
    CONNECTIONS,
    IDLE,
    PAUSE,
    PATIENCE,
    WATCH,
    VERBOSE,
    HELP,
    VERSION
};

static const struct option names[] = {
    {"connect", required_argument, NULL, CONNECT},
    {"service", required_argument, NULL, SERVICE},
    {"advertise", required_argument, NULL, ADVERTISE},
    {"ird", required_argument, NULL, IRD},
    {"ord", required_argument, NULL, ORD},
    {"receives", required_argument, NULL, RECEIVES},
    {"receive-size", required_argument, NULL, RECEIVE_SIZE},
    {"region-size", required_argument, NULL, REGION_SIZE},
    {"connections", required_argument, NULL, CONNECTIONS},
    {"idle", required_argument, NULL, IDLE},
    {"pause", required_argument, NULL, PAUSE},
    {"patience", required_argument, NULL, PATIENCE},
    {"watch", required_argument, NULL, WATCH},
    {"verbose", no_argument, NULL, VERBOSE},
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0},
};

/* Splits "HOST:PORT", "[IPV6]:PORT", ":PORT" or "PORT" into out->host and out->port. */
static bool options_address(struct target_options *out, const char *text)
{
    const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text, *host = text;
    size_t n = colon ? (size_t)(colon - text) : 0;
    char *end;
    unsigned long number = strtoul(port, &end, 10);

    if (*port < '0' || *port > '9' || *end || number < 1 || number > 65535)
        return false;
    if (n > 0 && host[0] == '[') {
        if (n < 3 || host[n - 1] != ']')
            return false;
        host++;
        n -= 2;
    } else if (memchr(host, ':', n)) {
        return false; /* an IPv6 address without brackets */
    }
    if (n >= sizeof out->host)
        return false;
    memcpy(out->host, host, n);
    out->host[n] = '\0';
    snprintf(out->port, sizeof out->port, "%lu", number);
    return true;
}

static bool options_whole(const char *text, unsigned least, unsigned most, unsigned *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || value < least || value > most)
        return false;
    *out = (unsigned)value;
    return true;
}

static bool options_seconds(const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= 0 && value <= 86400))
        return false;
    *out = value;
    return true;
}

/* Reads one of two names; *second: the second name was given. */
static bool options_choose(const char *text, const char *first, const char *other, bool *second)
{
    *second = strcmp(text, other) == 0;
    return *second || strcmp(text, first) == 0;
}

static const char *const allowed[] = {
    [CONNECT - CONNECT] = "HOST:PORT",
    [SERVICE - CONNECT] = "echo or sink",
    [ADVERTISE - CONNECT] = "private-data or send",
    [IRD - CONNECT] = "from 0 to 255",
    [ORD - CONNECT] = "from 0 to 255",
    [RECEIVES - CONNECT] = "from 0 to 4096",
    [RECEIVE_SIZE - CONNECT] = "from 0 to 1048576",
    [REGION_SIZE - CONNECT] = "from 4096 to 268435456",
    [CONNECTIONS - CONNECT] = "from 1 to 4096",
    [IDLE - CONNECT] = "from 0 to 86400 seconds",
    [PAUSE - CONNECT] = "from 0 to 86400 seconds",
    [PATIENCE - CONNECT] = "from 0 to 86400 seconds",
    [WATCH - CONNECT] = "from 0 to 86400 seconds",
};

/* False: the value is not allowed. */
static bool options_take(struct target_options *out, int option, const char *value)
{
    switch (option) {
    case CONNECT:
        out->connects = true;
        return options_address(out, value) && out->host[0];
    case SERVICE:
        return options_choose(value, "echo", "sink", &out->sink);
    case ADVERTISE:
        return options_choose(value, "private-data", "send", &out->tell_in_send);
    case IRD:
        return options_whole(value, 0, 255, &out->ird);
    case ORD:
        return options_whole(value, 0, 255, &out->ord);
    case RECEIVES:
        return options_whole(value, 0, 4096, &out->receives);
    case RECEIVE_SIZE:
        return options_whole(value, 0, 1 << 20, &out->size);
    case REGION_SIZE:
        return options_whole(value, 4096, 1 << 28, &out->region);
    case CONNECTIONS:
        return options_whole(value, 1, 4096, &out->connections);
    case IDLE:
        return options_seconds(value, &out->idle);
    case PAUSE:
        return options_seconds(value, &out->pause);
    case PATIENCE:
        return options_seconds(value, &out->patience);
    case WATCH:
        return options_seconds(value, &out->watch);
    default:
        out->verbose = true;
        return true;
    }
}

enum options_outcome target_options_parse(struct target_options *out, int argc, char **argv, char *why, size_t size)
{
    int option, index;

    *out = (struct target_options){.ird = 16,
                                   .ord = 16,
                                   .receives = 64,
                                   .size = 4096,
                                   .region = 65536,
                                   .connections = 256,
                                   .idle = 90,
                                   .pause = 0.05,
                                   .watch = 10};
    snprintf(out->port, sizeof out->port, "%d", TARGET_PORT);
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", names, &index)) != -1) {
        if (option == HELP || option == VERSION) {
            fputs(option == HELP ? help : "iwarp-target " IWARP_KIT_VERSION "\n", stdout);
            return OPTIONS_DONE;
        }
        if (option == '?') {
            snprintf(why, size, "%s: unknown option or missing value (see --help)", argv[optind - 1]);
            return OPTIONS_BAD;
        }
        if (!options_take(out, option, optarg)) {
            snprintf(why, size, "--%s: '%s' is not %s", names[index].name, optarg, allowed[option - CONNECT]);
            return OPTIONS_BAD;
        }
    }
    if (argc - optind > (out->connects ? 0 : 1)) {
        snprintf(why, size, "unexpected argument '%s'", argv[argc - 1]);
        return OPTIONS_BAD;
    }
    if (optind < argc && !options_address(out, argv[optind])) {
        snprintf(why, size, "'%s' is not [HOST:]PORT", argv[optind]);
        return OPTIONS_BAD;
    }
    return OPTIONS_RUN;
}
