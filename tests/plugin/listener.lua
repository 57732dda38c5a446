-- SPDX-License-Identifier: GPL-2.0-or-later
-- A dissector of somebody else's in the list of Wireshark's own "iwarp_ddp_rdmap": takes all it is offered.
local listener = Proto("listener", "Payload listener")
local octets = ProtoField.bytes("listener.payload", "Payload")
listener.fields = { octets }
listener:register_heuristic("iwarp_ddp_rdmap", function(tvb, pinfo, tree)
    if tvb:len() > 0 then
        tree:add(listener, tvb()):add(octets, tvb())
    end
    return true
end)
