# SPDX-License-Identifier: GPL-2.0-or-later
"""Where iwarp-check, on the recording of a mutant, does not name the rule whose case the mutant fails.

For a rule that the catalogue does not judge (`judged` is "no"), the catalogue has the reason. The other mutants are listed here: another rule
finds them, as the catalogue says or because it sees the same octets first; or they stay open, with the reason."""

# Another rule, which is more specific, finds the mutant's wrong answer.
TOLD = {
    "DDP-7.1-20": "DDP-7.2-13",  # the device continues: then the fault is the message that it skipped
    "DDP-7.2-07": "DDP-7.2-01",  # a code that does not exist
    "DDP-7.2-13": "DDP-7.2-01",
    "MPA-7.1.1-16/late": "MPA-8-02",
    "MPA-8-02/pad": "MPA-4.1-07",
    "MPA-C.2.2-01": "MPA-C.2.5-04",
    "NFSULB-6.4.1-02": "RPCR-3.4.6-11",  # a missing result may have been in another chunk
    "NFSULB-6.4.1-03": "RPCR-3.4.6-11",
    "NFSULB-6.4.1-04": "RPCR-2.2.4.2-01",
    "NFSULB-6.4.2-04/both": "EXP-3.5.1-01",
    "NFSULB-6.4.2-05/read-segments": "EXP-3.2.1-02",
    "RDMAP-4.8-11": "RDMAP-4.8-20",
    "RDMAP-4.8-12": "RDMAP-4.8-20",
    "RDMAP-7-01": "RDMAP-7.2-02",
    "RPCR-4.5.2-04": "RPCR-4.2.1-01",
    "RDMAP-7.2-02/untagged-write": "DDP-7.1-07",  # read as an Untagged header, the octets have an MO beyond any buffer
    "RPCR-4.5-02": "RPCR-4.5.2-01",
    "RPCR-4.5.1-01/0": "RPCR-4.5-07",
    "RPCR-4.5.1-01/proc": "RPCR-4.5-07",
    "NFSULB-6.4.3-01": "RPCR-2.2.4.2-01",
    "RPCR-3.4.6-08": "NFSULB-6.4.2-05",
    "RPCR-4.5.3-02/large": "RPCR-3.2-01",
    "RPCR-4.5.3-02/readdir": "RPCR-3.2-01",
    "RPCR-4.5.4-03/huge": "RPCR-4.5.2-07",
    "RPCR-4.5.3-02": "RPCR-3.2-01",  # makes a Reply too long with octets outside the RPC message
}

# A recording of iwarp-gen has the octets of a socket, but not their segments.
SEGMENTS = "how the device cuts its octets into segments, and takes those of others, a socket does not tell"
# Usually found nevertheless.
LATE = "that the device has received the stimulus shows in the recording too late when the machine is busy"
RESET = "a client that resets the connection after one answer may have another reason: a note"
BRIEF = "the test has seen enough before the checker's time for it is over"
CAUSE = "a close, a silence or a Terminate without a header may have another cause"
ALIGNED = "where a buffer begins is not on the wire: two Atomics with different remainders are needed to show that one is not aligned"
ASKED = "what the ULP asked its device to send does not show on the wire"
OTHERS = "that nothing else writes to the memory only the test knows"

OPEN = {
    "CMPD-4.2-03": "a device that takes its peer's size for a smaller one sends less than it might; what is counted kept "
                   "are these Sends",
    "CMPD-4.2-03/max": CAUSE,
    "RDMAPX-5.1.1-01": OTHERS,
    "RDMAPX-5.1.1-01/flight": OTHERS,
    "RDMAPX-5.1.1-02": OTHERS,
    "RDMAPX-5.1.1-05": ALIGNED,
    "RDMAPX-5.1.2-01": OTHERS,
    "RDMAPX-5.1.2-02": OTHERS,
    "RDMAPX-5.1.2-03": OTHERS,
    "RDMAPX-5.1.2-04": OTHERS,
    "RDMAPX-5.1.2-10": ALIGNED,
    "RDMAPX-8.2-07": ALIGNED,
    "RDMAPX-8.2-07/cmpswap": ALIGNED,
    "RDMAPX-4.2-01": ASKED,
    "RDMAPX-5.2.1-01": ASKED,
    "RDMAPX-5.2.1-01/cmpswap": ASKED,
    "RDMAPX-5.2.2-12/identifier": "judged only where no request is open: the Response belongs to this one, and its identifier is the peer's fault",
    "NFSULB-3.1-05": CAUSE,
    "NFSULB-6.4.2-08": CAUSE,
    "NFSULB-6.6-03": RESET,
    "RPCR-4.3.1-04/pending": "that a Call is one too many only its device knows",
    "RPCR-4.5-01/0": CAUSE,
    "DDP-7.1-09": "a device may have posted 100,000 Receives",
    "EXP-4.3-02": "closing where there is no room for the Reply is what RFC 8166 section 4.5.4 names; what is counted kept "
                  "are the lengths of its other Sends",
    "EXP-3.9-03/empty": RESET,
    "EXP-3.9-03/unmodified": RESET,
    "MPA-4.1-07": LATE,
    "MPA-4.1-11": LATE,
    "MPA-4.2-04": LATE,
    "MPA-4.4-09": CAUSE,
    "MPA-4.4-19/memory": "that the memory is the same on another connection only the test knows",
    "MPA-4.5-07": SEGMENTS,
    "MPA-5.1-06": SEGMENTS,
    "MPA-5.1-06/crc": SEGMENTS,
    "MPA-5.1-06/header": SEGMENTS,
    "MPA-5.1-06/length": SEGMENTS,
    "MPA-5.1-06/marker": SEGMENTS,
    "MPA-5.1-06/octets": SEGMENTS,
    "MPA-5.1-06/pad": SEGMENTS,
    "MPA-6-06": SEGMENTS,
    "MPA-7.1.1-16/late": LATE,
    "MPA-7.1.1-16/own-c0": LATE,
    "MPA-7.1.1-19": CAUSE,
    "MPA-7.1.1-22": CAUSE,
    "MPA-7.1.1-25": LATE,
    "MPA-7.1.1-30": LATE,
    "MPA-7.1.2-04/http": "no MPA is spoken at all, so that it is no connection to judge",
    "MPA-7.1.2-04/pd-length": LATE,
    "MPA-7.1.2-10/256": CAUSE,
    "MPA-7.1.2-10/257": CAUSE,
    "MPA-7.1.2-10/512": CAUSE,
    "MPA-7.1.2-12": BRIEF,
    "MPA-7.1.2-12/cut": BRIEF,
    "MPA-7.1.2-16": "its ACK number covers the Reply: the device's host had it before the device took it",
    "MPA-7.1.2-17": LATE,
    "MPA-7.1.2-26": LATE,
    "MPA-7.1.2-34": LATE,
    "MPA-7.1.2-41/key": LATE,
    "MPA-7.1.2-41/nothing": BRIEF,
    "MPA-7.1.2-42": LATE,
    "MPA-7.1.5-04": SEGMENTS,
    "MPA-7.1.5-04/halves": CAUSE,
    "MPA-7.1.5-04/late": CAUSE,
    "MPA-7.1.5-04/octets": SEGMENTS,
    "MPA-8-02/crc": LATE,
    "MPA-8-02/marker": LATE,
    "MPA-8-02/pad": LATE,
    "MPA-8-02/ulpdu": LATE,
    "MPA-8-09": LATE,
    "MPA-8-12/length": "the answer is DDP-7.1-20; where MPA went on after the wrong length only the test knows",
    "MPA-8-14": LATE,
    "MPA2-9.1-17": LATE,
    "MPA2-9.2-05/send": CAUSE,
    "MPA2-9.2-05/write": CAUSE,
    "MPA2-9.2-05/read": CAUSE,
    "MPA2-9.2-14": LATE,
    "MPA2-9.2-20": CAUSE,
    "MPA2-9.2-26/write": LATE,
    "NFSULB-6.4.2-04/body": "the Call is not fetched: that it is one of NFSv4, only its sender knows",
    "NFSULB-6.4.2-05/write": "how long the link is only the server knows: ERR_CHUNK may be for want of room",
    "NFSULB-6.4.2-05/write-segments": "how long the link is only the server knows: ERR_CHUNK may be for want of room",
    "NFSULB-6.4.2-05/reply-segments": "how long the link is only the server knows: ERR_CHUNK may be for want of room",
    "NFSULB-6.7.2-02": "the Call with the former XID asks for something else, which is allowed once the XID is free",
    "RDMAP-1.2-02": "the device has sent something since, which may have advertised the STag anew",
    "RDMAP-1.2-02/read": "the device has sent something since, which may have advertised the STag anew",
    "RDMAP-5.2.1-06/mo": "how large the buffer for a Read Request is, only the device knows",
    "RDMAP-5.2.1-17/row": BRIEF,
    "RDMAP-7.1-05": "what goes out within the time for a Terminate may have been on its way",
    "RDMAP-7.2-02/tagged-send": "that the Send after it is its echo only who knows the service can tell, and the case ends with it",
    "RDMAP-7.2-04/gone": "that the STag was invalidated before only the private data tell",
    "RDMAP-7.2-04": "which STags are valid the capture does not tell",
    "RDMAP-7.2-05": "of which stream an STag is the capture does not tell",
    "RPCR-4.5-08": "the Call with the former XID asks for something else, which is allowed once the XID is free",
    "RPCR-2.2.4.2-01/write": "somebody else may have changed the file between the WRITE and the READ",
    "RPCR-4.5-03/many": CAUSE,
    "RPCR-4.5.4-03/memory": "a server may take 30 seconds for a Call",
    "RPCR-3.3.3-01/thousand": "a server may take 30 seconds for a Call",
    "RPCR-4.5.4-03/huge-body": "a server may take 30 seconds for a Call",
    "RPCR-4.5.2-07/overlap": "a server may take 30 seconds for a Call",
    "RPCR-4.5.4-03": "a server may take 30 seconds for a Call; what is counted kept are the others",
}
