// SPDX-License-Identifier: GPL-2.0-or-later
/* Sound Calls that are refused as if they were not, and (ID+ok) Calls that are refused for a reason. */
#include "traffic-gen/faults/fault_rows.h"

#define NFS        "with nfs; " TALKED
#define DEFAULT    "with nfs no-private-data; " TALKED
#define GOES_ON    "; I call nfs3.null; R reply"
#define CHUNK      "; R error chunk" GOES_ON
#define GARBAGE    "; R reply accept=4" GOES_ON
#define SEGMENTS_8 "256+256+256+256+256+256+256+256"

#define CHUNK_FOR(id, family, call)                                                                                    \
    SCRIPT(family, "RPCR-4.5-12" id, NULL, "ERR_CHUNK for " call, NFS "I call " call CHUNK)
#define GARBAGE_FOR(id, family, call)                                                                                  \
    SCRIPT(family, "RPC-9-05" id, NULL, "GARBAGE_ARGS for " call, NFS "I call " call GARBAGE)

static const struct fault faults[] = {
    CHUNK_FOR("/read", "nfs3", "nfs3.read count=8192 write"),
    CHUNK_FOR("/read-segments", "nfs3", "nfs3.read count=8192 write=4096+4096"),
    CHUNK_FOR("/read-inline", "nfs3", "nfs3.read count=512"),
    CHUNK_FOR("/readdir", "nfs3", "nfs3.readdir count=8192 reply"),
    CHUNK_FOR("/readdirplus", "nfs3", "nfs3.readdirplus maxcount=8192 reply=4096+8192"),
    CHUNK_FOR("/symlink", "nfs3", "nfs3.symlink len=1000 pz; R pull"),
    CHUNK_FOR("/setacl", "nfs-auxiliary", "nfsacl3.setacl aclcnt=400 pz; R pull"),
    CHUNK_FOR("/nfs2", "nfs2", "nfs2.write len=4096 read; R pull"),
    CHUNK_FOR("/write", "nfs3", "nfs3.write len=4096 read; R pull"),
    CHUNK_FOR("/mount", "nfs-auxiliary", "mount1.mnt"),
    CHUNK_FOR("/lock", "nfs-auxiliary", "nlm4.lock"),
    CHUNK_FOR("/compound", "nfs40", "nfs40.compound ops=putfh,lookup,getfh,getattr"),
    CHUNK_FOR("/compound-read", "nfs40", "nfs40.compound ops=putfh,read:2000"),
    CHUNK_FOR("/compound-readdir", "nfs40", "nfs40.compound ops=putfh,readdir:8192 reply"),
    CHUNK_FOR("/segments", "nfs3", "nfs3.read count=6144 write=" SEGMENTS_8 "+" SEGMENTS_8 "+" SEGMENTS_8),
    SCRIPT("nfs3", "RPCR-3.5.3-15/read", NULL, "a Long Call that would have fit inline, read and refused",
           NFS "I call nfs3.setattr pz; R pull" CHUNK),
    SCRIPT("nfs3", "RPCR-4.5-12/default", NULL, "ERR_CHUNK for a WRITE by a Read chunk at the default threshold",
           DEFAULT "I call nfs3.write len=2000 read; R pull" CHUNK),
    SCRIPT("nfs3", "RPCR-4.5-12/first", NULL, "the first Call has a Write chunk, and meets ERR_CHUNK",
           "with nfs; I call nfs3.read count=4096 write" CHUNK),
    SCRIPT("nfs3", "RPCR-4.5-12+ok", "RPCR-4.3.2-02", "ERR_CHUNK for a GETATTR with a Write chunk",
           NFS "I call nfs3.getattr write=4096" CHUNK),
    SCRIPT("nfs40", "NFSULB-6.4.2-04/create", NULL, "a Long Call with the CREATE of a link, read and refused",
           NFS "I call nfs40.compound ops=putfh,create:1000,getfh,getattr pz; R pull" CHUNK),
    SCRIPT("nfs40", "NFSULB-6.4.2-04/default", NULL,
           "a WRITE with one Read chunk meets ERR_CHUNK at the default threshold",
           DEFAULT "I call nfs40.compound ops=putfh,write:2000 read" CHUNK),
    SCRIPT("nfs40", "NFSULB-6.4.2-04/attributes", NULL, "a WRITE with one Read chunk and a GETATTR meets ERR_CHUNK",
           NFS "I call nfs40.compound ops=putfh,write:2000,getattr read" CHUNK),
    SCRIPT("nfs40", "NFSULB-6.4.2-05/inline", NULL, "two READs, one into a Write chunk and one inline, meet ERR_CHUNK",
           NFS "I call nfs40.compound ops=putfh,read:2000,read:500 write=2000" CHUNK),

    GARBAGE_FOR("", "nfs3", "nfs3.write len=4096 read; R pull"),
    GARBAGE_FOR("/symlink", "nfs3", "nfs3.symlink len=400 read; R pull"),
    GARBAGE_FOR("/long", "nfs-auxiliary", "nfsacl3.setacl aclcnt=400 pz; R pull"),
    GARBAGE_FOR("/plain", "nfs3", "nfs3.getattr"),
    GARBAGE_FOR("/read", "nfs3", "nfs3.read count=100"),
    GARBAGE_FOR("/compound", "nfs40", "nfs40.compound ops=putfh,getattr"),
    GARBAGE_FOR("/inline", "nfs40", "nfs40.compound ops=putfh,read:512"),
    SCRIPT("nfs41-backchannel", "RPC-9-05/callback", NULL, "GARBAGE_ARGS for a callback that can be decoded",
           NFS "I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session; R reply; "
               "R call cb41.cb_compound ops=cb_sequence,cb_recall; I reply accept=4" GOES_ON),
    SCRIPT("nfs3", "RPC-9-05+ok", NULL, "GARBAGE_ARGS for a WRITE whose count is not that of its data",
           NFS "I call nfs3.write len=400 p.count=500" GARBAGE "; I call nfs3.write len=4; R reply"),

    /* ---- Long Calls that are not read to their end ---- */
    SCRIPT("nfs3", "RPCR-4.5-12/unread", NULL, "ERR_CHUNK for a Long Call none of which was read",
           NFS "I call nfs3.symlink len=2000 pz" CHUNK),
    SCRIPT("nfs3", "RPCR-4.5-12/half", NULL, "ERR_CHUNK for a Long Call, of which half was read",
           NFS "I call nfs3.symlink len=2000 pz; R get read0 len=1000" CHUNK),
    SCRIPT("nfs3", "RPC-9-05/unread", NULL, "GARBAGE_ARGS for a Long Call none of which was read",
           NFS "I call nfs3.symlink len=2000 pz" GARBAGE),
    SCRIPT("nfs3", "RPCR-3.4.5.1-01/half-long", NULL, "a Long Call of which half was read, and success",
           NFS "I call nfs3.symlink len=900 pz; R get read0 len=500; R reply" GOES_ON),

    /* ---- Calls of the server that no client serves ---- */
    SCRIPT("nfs41", "BIDI-6-01/nfs", NULL, "the server calls GETATTR of NFS",
           NFS "I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session; R reply; "
               "R call nfs3.getattr; I reply"),
    SCRIPT("nfs41", "BIDI-6-01/mount", NULL, "the server calls MOUNT", NFS "R call mount3.null; I reply"),

    /* ---- at the edge ---- */
    SCRIPT("nfs3", "RPCR-4.3.3-01/edge", NULL, "a READDIR of 4096 octets at a threshold of 4096",
           NFS "I call nfs3.readdir count=4096; R reply"),
    SCRIPT("nfs3", "RPCR-4.3.3-01/edge-plus", NULL, "a READDIRPLUS one octet above the threshold",
           NFS "I call nfs3.readdirplus maxcount=4041; R reply"),
    SCRIPT("nfs3", "RPCR-4.3.2.3-04/edge", NULL, "a READ of 4000 octets at a threshold of 4096",
           NFS "I call nfs3.read count=4000; R reply len=100"),
    SCRIPT("nfs40", "RPCR-4.3.2.3-04/edge-v4", NULL, "a READ of NFSv4 of 4032 octets at a threshold of 4096",
           NFS "I call nfs40.compound ops=putfh,read:4032; R reply op1.len=100"),
    SCRIPT("nfs3", "RPCR-4.3.3-01+ok/edge", NULL, "a READDIR and a READ that fit exactly",
           NFS "I call nfs3.readdir count=4040; R reply; I call nfs3.read count=3940; R reply"),
};

const struct fault_table nfs_refused_faults = {faults, sizeof faults / sizeof faults[0]};
