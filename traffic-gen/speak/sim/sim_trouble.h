/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's disturbances: the value of the option --net. */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_SIM_TROUBLE_H
#define IWARP_TRAFFIC_SPEAK_SIM_SIM_TROUBLE_H

#include "traffic-gen/speak/sim/sim_tcp.h"

/* "loss=0.02,delay=10,window=8192", on TCP or RoCE. False: *error (for g_free()) names the mistake. */
bool sim_trouble_parse(const char *text, bool roce, struct sim_trouble *trouble, char **error);

#endif
