#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""link_types.py OUT: writes libpcap's names of link types as C."""
import ctypes
import json
import sys

MOST = 1024
PCAP = ctypes.CDLL("libpcap.so.0.8")
PCAP.pcap_datalink_val_to_name.restype = PCAP.pcap_datalink_val_to_description.restype = ctypes.c_char_p

with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("/* Made by link_types.py. */\n")
    for number in range(MOST):
        name = PCAP.pcap_datalink_val_to_name(number)
        if name:
            text = PCAP.pcap_datalink_val_to_description(number).decode("ascii")
            out.write(f"    {{{number}, {json.dumps(name.decode('ascii'))}, {json.dumps(text)}}},\n")
