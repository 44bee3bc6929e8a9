-- Shows frames between nodes in Wireshark: what of them is in the clear. docs/src/nodes.md is the protocol.
-- wireshark -X lua_script:servers/node/nodes.lua

local protocol = Proto("riposte_node", "Riposte messages between nodes")

local kinds = { [1] = "hello", [2] = "welcome", [3] = "confirm", [4] = "sealed", [5] = "other version" }

local version = ProtoField.uint8("riposte_node.version", "Version")
local kind = ProtoField.uint8("riposte_node.kind", "Kind", base.DEC, kinds)
local from = ProtoField.uint8("riposte_node.from", "From node")
local to = ProtoField.uint8("riposte_node.to", "To node")
local own_life = ProtoField.uint64("riposte_node.own_life", "Sender's life")
local own_count = ProtoField.uint64("riposte_node.own_count", "Sender's count")
local other_life = ProtoField.uint64("riposte_node.other_life", "Receiver's life")
local other_count = ProtoField.uint64("riposte_node.other_count", "Receiver's count")
local proof = ProtoField.bytes("riposte_node.proof", "Proof")
local session = ProtoField.uint32("riposte_node.session", "Session", base.HEX)
local number = ProtoField.uint64("riposte_node.number", "Number")
local sealed = ProtoField.bytes("riposte_node.sealed", "Sealed")
local tag = ProtoField.bytes("riposte_node.tag", "Tag")

protocol.fields = {
    version, kind, from, to, own_life, own_count, other_life, other_count, proof, session, number, sealed, tag,
}

local HANDSHAKE = 52
local SEALED = 16 + 24 + 16

function protocol.dissector(buffer, packet, tree)
    local length = buffer:len()
    if length < 4 then
        return 0
    end
    packet.cols.protocol = "Riposte"
    local shown = tree:add(protocol, buffer())
    shown:add(version, buffer(0, 1))
    shown:add(kind, buffer(1, 1))
    shown:add(from, buffer(2, 1))
    shown:add(to, buffer(3, 1))
    local what = buffer(1, 1):uint()
    local text = (kinds[what] or "unknown") .. ", node " .. buffer(2, 1):uint() .. " to " .. buffer(3, 1):uint()
    if buffer(0, 1):uint() ~= 1 then
        text = text .. ", version " .. buffer(0, 1):uint()
    elseif what >= 1 and what <= 3 and length == HANDSHAKE then
        shown:add_le(own_life, buffer(4, 8))
        shown:add_le(own_count, buffer(12, 8))
        shown:add_le(other_life, buffer(20, 8))
        shown:add_le(other_count, buffer(28, 8))
        shown:add(proof, buffer(36, 16))
    elseif what == 4 and length >= SEALED then
        shown:add_le(session, buffer(4, 4))
        shown:add_le(number, buffer(8, 8))
        shown:add(sealed, buffer(16, length - 32))
        shown:add(tag, buffer(length - 16, 16))
        text = text .. ", number " .. buffer(8, 8):le_uint64() .. ", " .. (length - SEALED) .. " bytes"
    end
    packet.cols.info = text
    return length
end

DissectorTable.get("udp.port"):add(7201, protocol)
