# SPDX-License-Identifier: GPL-2.0-or-later
# From packets to TCP streams: capture source, decapsulation, connections.
add_library(capture STATIC
    capture.c
    capture_direct.c
    capture_live.c
    decap.c
    decap_link.c
    fragments.c
    privileges.c
)
iwarp_optimize_whole(capture)
target_include_directories(capture PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(capture PUBLIC engine PkgConfig::PCAP)
