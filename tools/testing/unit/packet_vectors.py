#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Prints the known packets of test_packet.c and test_icrc.c. The CRCs are zlib's, and a division bit by bit."""

import struct
import zlib


def vcrc(data):
    crc = 0xffff
    for byte in data:
        for bit in range(8):
            crc = crc >> 1 ^ (0xd008 if (crc ^ byte >> bit) & 1 else 0)
    return struct.pack('<H', crc ^ 0xffff)


def ones(data, *bits):
    """Returns the bytes with these bits set: (offset, mask)."""
    data = bytearray(data)
    for offset, mask in bits:
        data[offset] |= mask
    return bytes(data)


def icrc(data):
    return struct.pack('<I', zlib.crc32(data))


def bth(opcode, flags=0, pkey=0xffff, qpn=0x000012, psn=0x00abcdef, pad=0):
    return struct.pack('>BBHII', opcode, flags | pad << 4, pkey, qpn, psn)


def pattern(length):
    return bytes((7 * i + 3) % 256 for i in range(length))


def subnet(opcode, ext, length, is_global=False, vl=0, sl=0, flags=0):
    pad = -length % 4
    transport = bth(opcode, flags, pad=pad) + ext + pattern(length) + bytes(pad)
    route = b''
    if is_global:
        route = struct.pack('>IHBB', 6 << 28 | 0x5a << 20 | 0x12345, len(transport) + 4, 0x1b, 0x40)
        route += bytes.fromhex('fe80000000000000 0002c90300001234 fe80000000000000 0002c90300005678')
    words = (8 + len(route) + len(transport) + 4) // 4
    lrh = struct.pack('>BBHHH', vl << 4, sl << 4 | (3 if is_global else 2), 0x0007, words, 0x0003)
    packet = lrh + route + transport
    changing = [(0, 0xf0)]
    if is_global:
        changing += [(8, 0x0f), (9, 0xff), (10, 0xff), (11, 0xff), (15, 0xff)]
    packet += icrc(ones(packet, *changing, (8 + len(route) + 4, 0xff)))
    return packet + vcrc(packet)


def roce(version):
    transport = bth(0x64, flags=0x40, qpn=1) + struct.pack('>II', 0x80010000, 2) + pattern(8)
    udp = struct.pack('>HHHH', 0xc000, 4791, 8 + len(transport) + 4, 0x1111)
    if version == 4:
        ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0x02, 28 + len(transport) + 4, 0x478, 0x4000, 64, 17, 0x2222,
                         bytes([192, 168, 0, 7]), bytes([192, 168, 0, 9]))
        changing = [(1, 0xff), (8, 0xff), (10, 0xff), (11, 0xff)]
    else:
        ip = struct.pack('>IHBB', 6 << 28 | 0x02 << 20 | 0x54321, len(udp) + len(transport) + 4, 17, 64)
        ip += bytes.fromhex('fd770000000000000000000000000001 fd770000000000000000000000000002')
        changing = [(0, 0x0f), (1, 0xff), (2, 0xff), (3, 0xff), (7, 0xff)]
    packet = ip + udp + transport
    changing += [(len(ip) + 6, 0xff), (len(ip) + 7, 0xff), (len(ip) + 8 + 4, 0xff)]
    return packet + icrc(b'\xff' * 8 + ones(packet, *changing))


def show(name, packet):
    text = packet.hex()
    lines = [text[i:i + 64] for i in range(0, len(text), 64)]
    print(f'\t{{ "{name}",')
    print('\n'.join(f'\t  "{line}"' for line in lines), '},')


DETH = struct.pack('>II', 0x80010000, 1)
RETH = struct.pack('>QII', 0x0102030405060708, 0x11223344, 0x00001000)
show('ud_send_only', subnet(0x64, DETH, 16, vl=15))
show('ud_send_only', subnet(0x64, DETH, 5, is_global=True, sl=3))
show('ud_send_only_immediate', subnet(0x65, DETH + struct.pack('>I', 0xdeadbeef), 0))
show('rc_write_only', subnet(0x0a, RETH, 7, flags=0x80))
show('rc_read_request', subnet(0x0c, RETH, 0, vl=3, sl=9))
show('rc_acknowledge', subnet(0x11, struct.pack('>I', 0x1f000007), 0))
show('rc_fetch_add', subnet(0x14, struct.pack('>QIQQ', 0x1000, 5, 6, 7), 0, is_global=True))
show('rc_atomic_acknowledge', subnet(0x12, struct.pack('>IQ', 0x1f000009, 0x1122334455667788), 0))
show('rc_send_only_invalidate', subnet(0x17, struct.pack('>I', 0x99887766), 12))
show('xrc_write_only_immediate', subnet(0xab, struct.pack('>I', 0x000abc) + RETH + struct.pack('>I', 0xcafe), 6))
show('uc_send_first', subnet(0x20, b'', 256))
show('roce 4', roce(4))
show('roce 6', roce(6))
