-- SPDX-License-Identifier: GPL-2.0-or-later
-- A next layer for MPA: shows the octets of each ULPDU as they come, to test the table "mpa.ulpdu".
local probe = Proto("probe", "ULPDU probe")
local octets = ProtoField.bytes("probe.ulpdu", "ULPDU")
probe.fields = { octets }
function probe.dissector(tvb, pinfo, tree)
    tree:add(probe, tvb()):add(octets, tvb())
    return tvb:len()
end
local ulpdus = DissectorTable.get("mpa.ulpdu")
for revision = 0, 2 do
    ulpdus:add(revision, probe)
end
