#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Decodes and builds packets of InfiniBand and captures of them, from the specifications alone: IBTA volume 1, chapters 7 to 9,
13 and 14, the pcap format, and the Extensible Record Format (ERF). The ICRC is zlib's CRC-32; the VCRC a division bit by bit.

    decode.py options           prints the options by which tshark prints the fields that `compare` compares
    decode.py compare FILE      compares what tshark prints, on standard input, with the packets of a capture
    decode.py check FILE        fails if a packet of a capture has a wrong CRC or a wrong length
    decode.py attributes FILE   prints class and attribute of all MADs
    decode.py immediates FILE   prints the immediate data of all packets that have some
"""

import struct
import sys
import zlib

LINKTYPE_ERF, ERF_INFINIBAND, ERF_HOST_ID = 197, 21, 17
LOCAL, GLOBAL = 2, 3
SEND, SEND_IMM = 0x64, 0x65
MANAGEMENT_VL = 15
SMP, SMP_DIRECTED, SUBN_ADM = 0x01, 0x81, 0x03
MAD = 256
CRCS = 6                # bytes of both

# Fields of a packet, by tshark's names.
TSHARK_FIELDS = ('erf.flags.cap', 'erf.lctr', 'erf.ehdr.hostid.sourceid', 'infiniband.lrh.vl', 'infiniband.lrh.sl',
                 'infiniband.lrh.dlid', 'infiniband.lrh.slid', 'infiniband.lrh.pktlen', 'infiniband.bth.opcode',
                 'infiniband.bth.padcnt', 'infiniband.bth.p_key', 'infiniband.bth.destqp', 'infiniband.deth.q_key',
                 'infiniband.deth.srcqp', 'infiniband.mad.mgmtclass', 'infiniband.mad.method', 'infiniband.mad.transactionid',
                 'infiniband.mad.attributeid', 'infiniband.mad.attributemodifier', 'infiniband.smpdirected.hoppointer',
                 'infiniband.smpdirected.hopcount', 'infiniband.invariant.crc', 'infiniband.variant.crc')


def vcrc(data):
    """Returns the CRC of all bytes, by the polynomial 0x100b, the least significant bit first."""
    crc = 0xffff
    for byte in data:
        for bit in range(8):
            crc = crc >> 1 ^ (0xd008 if (crc ^ byte >> bit) & 1 else 0)
    return struct.pack('<H', crc ^ 0xffff)


def icrc(packet):
    """Returns the CRC of LRH to payload, with ones for what may change on the way."""
    data = bytearray(packet)
    transport = 8
    data[0] |= 0xf0                                     # VL
    if data[1] & 3 == GLOBAL:
        data[8] |= 0x0f                                 # traffic class, flow label
        data[9:12] = b'\xff' * 3
        data[15] = 0xff                                 # hop limit
        transport = 48
    data[transport + 4] = 0xff                          # FECN, BECN
    return struct.pack('<I', zlib.crc32(data))


def seal(packet):
    """Returns LRH to payload with both CRCs."""
    packet = bytes(packet) + icrc(packet)
    return packet + vcrc(packet)


class Packet:
    """A packet from LRH to VCRC. Raises ValueError if a length is wrong."""

    def __init__(self, data, **record):
        self.data = data
        self.cap = record.get('cap', 0)
        self.bad = record.get('bad', 0)
        self.lost = record.get('lost', 0)
        self.host = record.get('host', 0)
        self.port = record.get('port', 0)
        self.time = record.get('time', 0)
        if len(data) < 8 + 12 + CRCS:
            raise ValueError(f'{len(data)} bytes')
        first, second, self.dlid, length, self.slid = struct.unpack('>BBHHH', data[:8])
        self.vl, self.lver, self.sl, self.lnh, self.words = first >> 4, first & 15, second >> 4, second & 3, length & 0x7ff
        if self.lver or self.lnh not in (LOCAL, GLOBAL) or self.words * 4 + 2 != len(data):
            raise ValueError(f'LVer {self.lver}, LNH {self.lnh}, {self.words} words, {len(data)} bytes')
        at = 8
        self.sgid = self.dgid = None
        if self.lnh == GLOBAL:
            version, length, following, self.hop_limit = struct.unpack('>IHBB', data[8:16])
            self.sgid, self.dgid = data[16:32], data[32:48]
            at = 48
            if version >> 28 != 6 or following != 0x1b or length != len(data) - at - 2:
                raise ValueError(f'GRH: {version:#x}, next header {following:#x}, {length} bytes')
        self.opcode, flags, self.pkey, dqpn, psn = struct.unpack('>BBHII', data[at:at + 12])
        self.solicited, self.pad, self.tver = flags >> 7, flags >> 4 & 3, flags & 15
        self.dqpn, self.psn = dqpn & 0xffffff, psn & 0xffffff
        at += 12
        if self.opcode not in (SEND, SEND_IMM) or self.tver:
            raise ValueError(f'opcode {self.opcode:#x}, TVer {self.tver}')
        self.qkey, sqpn = struct.unpack('>II', data[at:at + 8])
        self.sqpn = sqpn & 0xffffff
        at += 8
        self.imm = None
        if self.opcode == SEND_IMM:
            self.imm, at = data[at:at + 4], at + 4
        if at + self.pad > len(data) - CRCS:
            raise ValueError(f'pad {self.pad}')
        self.payload = data[at:len(data) - CRCS - self.pad]
        self.mad = None
        if len(self.payload) == MAD and self.dqpn <= 1:
            self.mad = Mad(self.payload)

    def check(self):
        """Raises ValueError if a CRC is wrong."""
        if icrc(self.data[:-CRCS]) != self.data[-CRCS:-2]:
            raise ValueError('ICRC')
        if vcrc(self.data[:-2]) != self.data[-2:]:
            raise ValueError('VCRC')

    def fields(self):
        """Returns the values of TSHARK_FIELDS; None: the packet has no such field."""
        mad = self.mad
        values = [self.cap, self.lost, self.port, self.vl, self.sl, self.dlid, self.slid, self.words, self.opcode, self.pad,
                  self.pkey, self.dqpn, self.qkey, self.sqpn]
        values += [mad.mgmt_class, mad.method, mad.tid, mad.attr, mad.mod] if mad else [None] * 5
        values += [mad.specific >> 8, mad.specific & 255] if mad and mad.mgmt_class == SMP_DIRECTED else [None] * 2
        return values + [int.from_bytes(self.data[-6:-2], 'big'), int.from_bytes(self.data[-2:], 'big')]


class Mad:
    """The header of a MAD."""

    def __init__(self, data):
        (self.base, self.mgmt_class, self.version, self.method, self.status, self.specific, self.tid, self.attr, _,
         self.mod) = struct.unpack('>BBBBHHQHHI', data[:24])
        if self.base != 1:
            raise ValueError(f'base version {self.base} of a MAD')

    def has_rmpp(self):
        return self.mgmt_class == SUBN_ADM or 0x30 <= self.mgmt_class <= 0x4f


def build(payload, vl=MANAGEMENT_VL, dlid=0xffff, slid=0xffff, dqpn=0, sqpn=0, qkey=0, pkey=0xffff, opcode=SEND, **more):
    """Returns a packet from LRH to payload and pad. The members of @more are those that are 0 in most packets, or follow from
    the length; ext is what follows the DETH, grh a pair of GIDs."""
    pad = -len(payload) % 4
    transport = struct.pack('>BBHII', opcode, more.get('pad', pad) << 4 | more.get('tver', 0), pkey, dqpn, 0)
    transport += struct.pack('>II', qkey, sqpn) + more.get('ext', b'') + payload + bytes(pad)
    route, lnh = b'', LOCAL
    if 'grh' in more:
        lnh = GLOBAL
        route = struct.pack('>IHBB', more.get('ip', 6) << 28, more.get('paylen', len(transport) + 4), more.get('next', 0x1b), 1)
        route += b''.join(more['grh'])
    words = more.get('words', (8 + len(route) + len(transport) + 4) // 4)
    lrh = struct.pack('>BBHHH', vl << 4 | more.get('lver', 0), more.get('sl', 0) << 4 | more.get('lnh', lnh), dlid, words, slid)
    return lrh + route + transport


def nanoseconds(time):
    """Returns a time of ERF, with 32 bits of a fraction, in nanoseconds."""
    return (time >> 32) * 10 ** 9 + ((time & 0xffffffff) * 10 ** 9 >> 32)


def read_records(data):
    """Yields the bytes of a packet, and what its record tells, for each record of a capture that is whole."""
    magic, major, minor, _, _, snaplen, link = struct.unpack('=IHHiIII', data[:24])
    if (magic, major, minor, snaplen, link) != (0xa1b23c4d, 2, 4, 65535, LINKTYPE_ERF):
        raise ValueError(f'no capture: {data[:24].hex()}')
    at = 24
    while at < len(data):
        sec, nsec, length, original = struct.unpack('=IIII', data[at:at + 16])
        at += 16
        record = data[at:at + length]
        at += length
        if len(record) != length or original != length:
            raise ValueError(f'a record of {length} bytes ends after {len(record)}')
        time, = struct.unpack('<Q', record[:8])
        kind, flags, total, lost, wire = struct.unpack('>BBHHH', record[8:16])
        ext, = struct.unpack('>Q', record[16:24])
        if (kind, total, wire, ext >> 56) != (0x80 | ERF_INFINIBAND, length, length - 24, ERF_HOST_ID):
            raise ValueError(f'a record of type {kind:#x}, {total} of {length} bytes, with a header of type {ext >> 56}')
        if nanoseconds(time) != sec * 10 ** 9 + nsec:
            raise ValueError(f'times {time:#x} and {sec}.{nsec:09}')
        yield record[24:], {'cap': flags & 3, 'bad': flags >> 4 & 1, 'lost': lost, 'port': ext >> 48 & 0xff,
                            'host': ext & 0xffffffffffff, 'time': nanoseconds(time)}


def read_capture(data):
    """Returns the packets of a capture, which have to be good ones."""
    return [Packet(packet, **record) for packet, record in read_records(data)]


def compare(packets, lines):
    """Compares each packet with a line of tshark, whose numbers are decimal or hexadecimal. Returns the number of differences."""
    different = 0
    for number, (packet, line) in enumerate(zip(packets, lines, strict=True), 1):
        seen = [int(value, 0) if value else None for value in line.rstrip('\n').split('|')]
        for name, own, other in zip(TSHARK_FIELDS, packet.fields(), seen, strict=True):
            # tshark loses its place in MADs with RMPP, and finds no CRC behind them.
            if own != other and not (other is None and name.endswith('.crc') and packet.mad and packet.mad.has_rmpp()):
                print(f'packet {number}: {name}: {own}, and of tshark {other}')
                different += 1
    return different


def main(command, path=None):
    if command == 'options':
        print('-E separator=|', ' '.join(f'-e {name}' for name in TSHARK_FIELDS))
        return 0
    with open(path, 'rb') as file:
        packets = read_capture(file.read())
    if command == 'compare':
        return 1 if compare(packets, list(sys.stdin)) or not packets else 0
    if command == 'attributes':
        seen = {f'{p.mad.mgmt_class:02x}:{p.mad.attr:02x}' for p in packets if p.mad}
        print(' '.join(sorted(seen)))
        return 0
    if command == 'immediates':
        print(' '.join(sorted({p.imm.hex() for p in packets if p.imm})))
        return 0
    for packet in packets:
        packet.check()
    print(f'{len(packets)} packets are good')
    return 0 if packets else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
