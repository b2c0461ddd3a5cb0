#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Captures packets of the fabric, and injects some, for capture.sh.

    sib0  port 1  ------  port 1  switch  port 2  ------  port 1  sib1
"""

import errno
import os
import random
import re
import select
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../umad'))

# pylint: disable=wrong-import-position
from agents import CLASS_PORT_INFO, DOWN, MULTICAST, NODE_INFO, PEER, PERFORMANCE, SELF, SWITCH, Agent, Counters, bring_up
from decode import CRCS, MAD as MAD_LENGTH, MANAGEMENT_VL, SMP_DIRECTED, Packet, build, icrc, read_records, seal, vcrc
from ktap import expect, run_cases
from umad import GET, GET_RESPONSE, PATIENCE, QKEY, Call, Page, expect_errno, gid, mad, read, read_at, write_at

FABRIC = f'/sys/kernel/debug/sib/ns-{os.stat("/proc/self/ns/net").st_ino}/'
FILE_HEAD, RECORD_HEAD = 24, 40
READERS = 8
READER_PACKETS, READER_BYTES = 4096, 1 << 20
PACKET_MAX = 2047 * 4 + 2
LRH_TO_DETH, TRAP = 28, 0x05
INJECT_NAMES = 'inject_good', 'inject_bad_'


def stats():
    with open(FABRIC + 'stats', encoding='ascii') as file:
        return {name: int(value) for name, value in (line.split() for line in file)}


def injected(counts):
    return {name: value for name, value in counts.items() if name.startswith(INJECT_NAMES)}


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f'not in time: {what}')
        time.sleep(0.01)


def is_trap(data):
    """A trap comes again each second until an SM represses it, and there is none."""
    return len(data) == LRH_TO_DETH + MAD_LENGTH + CRCS and data[0] >> 4 == MANAGEMENT_VL and data[LRH_TO_DETH + 3] == TRAP


class Capture:
    """An open capture. The packets of the filter's place, and no other ones, are let through."""

    def __init__(self, place='', flags=os.O_NONBLOCK):
        set_filter(place)
        try:
            self.fd = os.open(FABRIC + 'capture', os.O_RDONLY | os.O_CLOEXEC | flags)
        finally:
            set_filter('')
        self.data = b''

    def __enter__(self):
        return self

    def __exit__(self, *args):
        os.close(self.fd)

    def is_readable(self, seconds=PATIENCE):
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def read(self, room=1 << 16):
        return os.read(self.fd, room)

    def drain(self):
        """Reads all that waits."""
        while self.is_readable(0):
            data = self.read()
            if not data:
                break
            self.data += data
        return [(data, record) for data, record in read_records(self.data) if not is_trap(data)]

    def take(self, count):
        """Returns that many packets, and expects that no other one waits."""
        wait_for(lambda: len(self.drain()) >= count, f'{count} packets')
        return self.take_all(count)

    def take_all(self, count):
        records = self.drain()
        expect(count, len(records), 'packets')
        self.data = self.data[:FILE_HEAD]
        packets = [Packet(data, **record) for data, record in records]
        for packet in packets:
            packet.check()
        return packets


def set_filter(place):
    with open(FABRIC + 'filter', 'w', encoding='ascii') as file:
        file.write(place + '\n')


def inject(place, packet):
    """Writes a packet. Returns what is written."""
    fd = os.open(FABRIC + 'inject', os.O_WRONLY | os.O_CLOEXEC)
    try:
        return os.write(fd, place.encode() + b'\n' + packet)
    finally:
        os.close(fd)


def guid_of(agent, route):
    """Returns what a record tells of a node: 48 bits of its GUID."""
    return int.from_bytes(agent.get(route, NODE_INFO)[14:20], 'big')


def crossings():
    """Each link that an SMP crosses gives a record, with the port that has sent it, and the SMP as it was there."""
    with Agent() as agent:
        sib0, switch, sib1 = (guid_of(agent, route) for route in (SELF, SWITCH, PEER))
        with Capture() as capture:
            agent.get(PEER, NODE_INFO)
            packets = capture.take(4)
        expect([(sib0, 1), (switch, 2), (sib1, 1), (switch, 1)], [(p.host, p.port) for p in packets], 'senders')
        expect([1, 2, 2, 1], [p.mad.specific >> 8 for p in packets], 'hop pointers')
        expect([GET, GET, GET_RESPONSE, GET_RESPONSE], [p.mad.method for p in packets], 'methods')
        expect([0, 0, 0x8000, 0x8000], [p.mad.status for p in packets], 'directions')
        for packet in packets:
            expect((MANAGEMENT_VL, 0xffff, 0xffff), (packet.vl, packet.dlid, packet.slid), 'VL, LIDs')
            expect((0, 0, 0xffff), (packet.dqpn, packet.sqpn, packet.pkey), 'QPs, P_Key')
            expect((SMP_DIRECTED, NODE_INFO), (packet.mad.mgmt_class, packet.mad.attr), 'class, attribute')
            expect((0, 0, 0), (packet.cap, packet.lost, packet.bad), 'flags')
        expect(sorted(p.time for p in packets), [p.time for p in packets], 'times')
        expect(True, abs(time.time_ns() - packets[0].time) < 60 * 10 ** 9, 'the time is that of the clock')


def datagrams():
    """Datagrams of data have the LIDs, QPs and keys that they were sent with, and a GRH if they were."""
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        with Capture() as capture:
            expect(0, counters.ask(3, 1)[0], 'an answer')
            asked, _, answered, _ = capture.take(4)
            expect(0, counters.ask(3, 1, grh=1, gid=gid('sib1', 1), hop_limit=9)[0], 'an answer with a GRH')
            there, _, back, _ = capture.take(4)
    for packet in asked, there:
        expect((0, 3, 1), (packet.vl, packet.dlid, packet.slid), 'VL, LIDs')
        expect((1, 1, QKEY, 0xffff), (packet.dqpn, packet.sqpn, packet.qkey, packet.pkey), 'QPs, keys')
        expect(GET, packet.mad.method, 'method')
    for packet in answered, back:
        expect((1, 3, GET_RESPONSE), (packet.dlid, packet.slid, packet.mad.method), 'LIDs, method of the answer')
    expect((None, None), (asked.dgid, answered.dgid), 'no GRH')
    expect((gid('sib0', 1), gid('sib1', 1), 9), (there.sgid, there.dgid, there.hop_limit), 'GRH')
    expect((gid('sib1', 1), gid('sib0', 1)), (back.sgid, back.dgid), 'GRH of the answer')


def filters():
    """A capture that was opened with a filter has the packets of its place only, and knows which ones came to it."""
    with Agent() as agent:
        for place, ports, came in (('', [1, 2, 1, 1], [0, 0, 0, 0]), ('sib1', [2, 1], [1, 0]), ('sib1:1', [2, 1], [1, 0]),
                                   ('sib0', [1, 1], [0, 1]), ('switch', [1, 2, 1, 1], [1, 0, 1, 0]),
                                   ('switch:1', [1, 1], [1, 0]), ('switch:2', [2, 1], [0, 1]), ('switch:3', [], [])):
            with Capture() as everything, Capture(place) as capture:
                agent.get(PEER, NODE_INFO)
                everything.take(4)
                packets = capture.take_all(len(ports))
            expect(ports, [p.port for p in packets], f'ports of {place}')
            expect(came, [p.cap for p in packets], f'directions at {place}')


def filter_file():
    """The filter can be read, and a place that does not exist is refused and changes nothing."""
    for place in 'sib1', 'switch:36', 'switch:0', 'sib0:1':
        set_filter(place)
        expect(place, read(FABRIC + 'filter'), 'filter')
    for place, error in (('sib2', errno.ENOENT), ('switch:37', errno.ENOENT), ('sib0:0', errno.ENOENT), ('sib0:2', errno.ENOENT),
                         ('sib', errno.ENOENT), ('sib0 ', errno.ENOENT), (':1', errno.EINVAL), ('sib0:', errno.EINVAL),
                         ('sib0:-1', errno.EINVAL), ('sib0:+1', errno.EINVAL), ('sib0:256', errno.EINVAL),
                         ('sib0:0x1', errno.EINVAL), ('sib0:0001', errno.EINVAL), ('sib0:1\n', errno.EINVAL),
                         ('sib0:1:1', errno.EINVAL), ('x' * 63, errno.ENOENT), ('x' * 64, errno.EINVAL),
                         ('x' * 63 + ':255', errno.ENOENT), ('x' * 100, errno.EINVAL), ('sib0\0', errno.EINVAL)):
        expect_errno(error, set_filter, place)
        expect('sib0:1', read(FABRIC + 'filter'), f'filter after {place!r}')
    page = Page()
    page.protect(0)
    with open(FABRIC + 'filter', 'wb', buffering=0) as file:
        expect_errno(errno.EFAULT, write_at, file.fileno(), page.address, 4)
    expect('sib0:1', read(FABRIC + 'filter'), 'filter after a bad address')
    set_filter('')
    expect('', read(FABRIC + 'filter'), 'no filter')


def readers():
    """Each reader has packets from its open() on; there may be eight."""
    with Agent() as agent:
        captures = []
        for number in range(READERS):
            captures.append(Capture())
            expect(number + 1, stats()['captures'], 'captures')
            agent.get(SWITCH, NODE_INFO)
        expect_errno(errno.EBUSY, Capture)
        for number, capture in enumerate(captures):
            capture.take(2 * (READERS - number))
        os.close(captures.pop().fd)
        with Capture():
            expect(READERS, stats()['captures'], 'captures')
        for capture in captures:
            os.close(capture.fd)
        expect((0, 0), (stats()['captures'], stats()['capture_waiting_bytes']), 'nothing is left')


def waiting():
    """A read blocks, or does not if it must not, and poll() knows when there is something."""
    with Agent() as agent, Capture() as capture, Capture(flags=0) as blocking:
        for reader in capture, blocking:
            expect(FILE_HEAD, len(reader.read()), 'head of the file')
            expect(False, reader.is_readable(0), 'nothing to read')
        expect_errno(errno.EAGAIN, capture.read)
        expect(0, len(capture.read(0)), 'a read of nothing')
        call = Call(blocking.read)
        agent.get(SWITCH, NODE_INFO)
        expect(True, len(call.end()) >= RECORD_HEAD + MAD_LENGTH, 'the read ends with a packet')
        expect(True, capture.is_readable(), 'a packet waits')


def portions():
    """The stream is the same in whatever portions it is read, and a read to bad memory loses nothing."""
    page = Page()
    with Agent() as agent, Capture() as whole, Capture() as bytewise:
        agent.get(PEER, NODE_INFO)
        whole.drain()
        page.protect(0)
        while bytewise.is_readable(0):
            expect_errno(errno.EFAULT, read_at, bytewise.fd, page.address, 1)
            bytewise.data += bytewise.read(1 + len(bytewise.data) % 61)
        expect(whole.data, bytewise.data, 'stream')
        expect(4, len(list(read_records(whole.data))), 'packets')


def bounded():
    """A reader that does not read loses packets, which are counted, and takes no more memory."""
    number, before = 20000, stats()
    packet = build(mad(SMP_DIRECTED, GET, 1, NODE_INFO).ljust(MAD_LENGTH, b'\0')) + bytes(CRCS)
    with Capture() as small, Capture('sib1') as other:
        fd = os.open(FABRIC + 'inject', os.O_WRONLY)
        for _ in range(number):
            os.write(fd, b'sib0:1\n' + packet[:64])
        after = stats()
        expect(READER_PACKETS * 64, after['capture_waiting_bytes'], 'bytes that wait')
        expect(READER_PACKETS, after['capture_packets'] - before['capture_packets'], 'packets captured')
        expect(number - READER_PACKETS, after['capture_drops'] - before['capture_drops'], 'packets dropped')
        records = small.drain()
        expect(READER_PACKETS, len(records), 'packets read')
        expect({0}, {record['lost'] for _, record in records}, 'losses before the last packet that was captured')
        small.data = small.data[:FILE_HEAD]
        os.write(fd, b'sib0:1\n' + packet[:64])
        expect(number - READER_PACKETS, small.drain()[0][1]['lost'], 'losses before the next one')
        expect([], other.drain(), 'packets of another place')
        # Long packets: bytes are the limit.
        small.data = small.data[:FILE_HEAD]
        for _ in range(READER_BYTES // PACKET_MAX + 10):
            os.write(fd, b'sib0:1\n' + bytes(PACKET_MAX))
        expect(READER_BYTES // PACKET_MAX * PACKET_MAX, stats()['capture_waiting_bytes'], 'bytes that wait')
        expect(READER_BYTES // PACKET_MAX, len(small.drain()), 'packets')
        os.close(fd)


def killed():
    """A reader that is killed while it waits leaves nothing."""
    with subprocess.Popen(['cat', FABRIC + 'capture'], stdout=subprocess.DEVNULL) as reader:
        wait_for(lambda: stats()['captures'] == 1, 'the reader')
        reader.kill()
    expect(0, stats()['captures'], 'captures')


def killed_in_queue():
    """A process that waits for another one, whose read of the same capture does not end, can be killed."""
    page = Page(missing=True)
    with Capture(flags=0) as capture:
        call = Call(read_at, capture.fd, page.address, FILE_HEAD)
        page.wait()
        with subprocess.Popen(['cat'], stdin=capture.fd, stdout=subprocess.DEVNULL) as reader:
            wait_for(lambda: re.search(r'\(cat\) S', read(f'/proc/{reader.pid}/stat')), 'the second reader')
            reader.kill()
            expect(-signal.SIGKILL, reader.wait(PATIENCE), 'how it ends')
        page.fill()
        expect(FILE_HEAD, call.end(), 'the first read')


def link(action, *more):
    for name in 'sib0', 'sib1':
        subprocess.run(['rdma', 'link', action, name, *more], check=True)


def ended():
    """When the fabric goes, readers get what is left, and then the end; a blocked read ends, too."""
    with Capture() as capture, Capture('switch:36', 0) as blocking:
        with Agent() as agent:
            agent.get(PEER, NODE_INFO)
        expect(FILE_HEAD, len(blocking.read()), 'head of the file')
        call = Call(blocking.read)
        filter_fd = os.open(FABRIC + 'filter', os.O_RDWR)
        link('delete')
        expect(b'', call.end(), 'the read ends')
        expect(False, os.path.exists(FABRIC), 'the files are gone')
        expect_errno(errno.EIO, os.write, filter_fd, b'sib0\n')
        os.close(filter_fd)
        poll = select.poll()
        poll.register(capture.fd, select.POLLIN)
        expect(select.POLLIN | select.POLLHUP, poll.poll(0)[0][1], 'events')
        capture.take(4)
        expect(b'', capture.read(), 'the end')
        expect(select.POLLHUP, poll.poll(0)[0][1], 'events at the end')
        link('add', 'type', 'sib', 'netdev', 'lo')
        expect(b'', capture.read(), 'a new fabric is another one')
    expect(0, stats()['captures'], 'captures')
    wait_for(lambda: os.path.exists('/dev/infiniband/umad1'), 'nodes')


def smp(method=GET, attr=NODE_INFO, hops=(1,), mod=0, pointer=1):
    """Returns an SMP with a directed route whose first step is done."""
    data = mad(SMP_DIRECTED, method, 0x1234, attr, mod, specific=pointer << 8 | len(hops))
    data += struct.pack('>QHH28x', 0, 0xffff, 0xffff)
    return data + bytes(64) + bytes((0, *hops)).ljust(64, b'\0') + bytes(64)


def good_smp():
    """An SMP that is injected is answered, and a capture has both."""
    with Agent() as agent:
        sib0, switch = guid_of(agent, SELF), guid_of(agent, SWITCH)
    raw = seal(build(smp()))
    with Capture() as capture:
        expect(len(b'switch:1\n') + len(raw), inject('switch:1', raw), 'length written')
        asked, answered = capture.take(2)
        expect(raw, asked.data, 'the packet as it was injected')
        expect((sib0, 1, 0), (asked.host, asked.port, asked.bad), 'it comes by the link')
        expect((switch, 1), (answered.host, answered.port), 'the answer leaves by the same port')
        expect((GET_RESPONSE, NODE_INFO, 0x1234), (answered.mad.method, answered.mad.attr, answered.mad.tid), 'answer')
        expect((1, 1, 2, 36), tuple(answered.payload[64:68]), 'NodeInfo of the switch')
        # A port without a link takes the packet; the answer is lost.
        inject('switch:36', seal(build(smp())))
        lone, = capture.take(1)
        expect((0, 0), (lone.host, lone.port), 'nobody has sent it')
        # On from the switch to the next node, and back by the port that the route begins with.
        inject('switch:1', seal(build(smp(hops=(1, 2)))))
        packets = capture.take(4)
        expect([2, 2, 1], [p.mad.specific >> 8 for p in packets[1:]], 'hop pointers')
        expect((1, 1, 1, 1), tuple(packets[3].payload[64:68]), 'NodeInfo of the CA')


def good_datagram():
    """A datagram that is injected is forwarded, and answered by the agent of the node that it comes to."""
    with Agent() as agent:
        bring_up(agent)
    request = mad(PERFORMANCE, GET, 0x5678, CLASS_PORT_INFO).ljust(MAD_LENGTH, b'\0')
    raw = seal(build(request, vl=0, dlid=3, slid=1, dqpn=1, sqpn=1, qkey=QKEY))
    with Capture() as capture:
        for place, crossed in ('switch:1', 4), ('sib1:1', 3):
            before = stats()['inject_good']
            inject(place, raw)
            packets = capture.take(crossed)
            expect(raw, packets[0].data, 'the packet as it was injected')
            last = packets[-1]
            expect((GET_RESPONSE, 0x5678, 1, 3), (last.mad.method, last.mad.tid, last.dlid, last.slid), f'answer to {place}')
            expect(before + 1, stats()['inject_good'], 'good packets')


def not_armed():
    """A port that is not armed takes no datagram."""
    raw = seal(build(mad(PERFORMANCE, GET, 0x5678, CLASS_PORT_INFO).ljust(MAD_LENGTH, b'\0'), vl=0, dlid=3, slid=1, dqpn=1, sqpn=1,
                     qkey=QKEY))
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        before = counters.read(3, 1)['errors']
        expect(0, agent.set_state(SWITCH, 2, DOWN), 'the link begins anew')
        with Capture() as capture:
            inject('sib1:1', raw)
            expect(raw, capture.take(1)[0].data, 'the packet as it was injected')
        bring_up(agent)
        expect(before + 1, counters.read(3, 1)['errors'], 'errors')


def vl15_dropped(counters, to, port):
    return int.from_bytes(counters.ask(to, port)[1][22:24], 'big')


def no_way_back():
    """An SMP at the end of its path, which does not name the port to go back by: the answer is dropped, and counted."""
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        for place, lid in ('switch:1', 2), ('sib1:1', 3):
            before = vl15_dropped(counters, lid, 1)
            with Capture() as capture:
                inject(place, seal(build(smp(pointer=2))))
                capture.take(1)
            expect(before + 1, vl15_dropped(counters, lid, 1), f'VL15Dropped of {place}')


def good_multicast():
    """A datagram to a group that is injected is copied by the switch's table."""
    group = b'\xff\x12' + bytes(14)
    with Agent() as agent:
        bring_up(agent)
        sib0, switch, sib1 = (guid_of(agent, route) for route in (SELF, SWITCH, PEER))
        agent.set(SWITCH, MULTICAST, 0, bytes((0, 0, 0, 6)).ljust(64, b'\0'))
    raw = seal(build(b'news', vl=0, dlid=0xc001, slid=1, dqpn=0xffffff, sqpn=0x48, qkey=7, grh=(bytes(16), group)))
    with Capture() as capture:
        for place, origin, copies in (('switch:1', (sib0, 1), [(switch, 2)]), ('switch:2', (sib1, 1), [(switch, 1)]),
                                      ('sib1:1', (switch, 2), [])):
            inject(place, raw)
            packets = capture.take(1 + len(copies))
            expect(raw, packets[0].data, 'the packet as it was injected')
            expect([origin, *copies], [(p.host, p.port) for p in packets], f'senders of what came to {place}')
            for copy in packets[1:]:
                expect((0xc001, 0xffffff, group, b'news'), (copy.dlid, copy.dqpn, copy.dgid, copy.payload), 'copy')


def refused():
    """A first line that names no port, and a packet that is too long, give an errno, and count nothing."""
    raw = seal(build(smp()))
    before = injected(stats())
    for place, error in (('', errno.EINVAL), ('switch', errno.EINVAL), (':1', errno.EINVAL), ('switch:', errno.EINVAL),
                         ('switch:x', errno.EINVAL), ('switch:1 ', errno.EINVAL), ('switch:256', errno.EINVAL),
                         ('x' * 64 + ':1', errno.EINVAL), ('x' * 200, errno.EINVAL), ('switch:0', errno.ENOENT),
                         ('switch:37', errno.ENOENT), ('sib0:0', errno.ENOENT), ('sib0:2', errno.ENOENT),
                         ('nobody:1', errno.ENOENT)):
        expect_errno(error, inject, place, raw)
    expect_errno(errno.EMSGSIZE, inject, 'sib0:1', bytes(PACKET_MAX + 1))
    expect_errno(errno.EMSGSIZE, inject, 'sib0:1', bytes(1 << 20))
    fd = os.open(FABRIC + 'inject', os.O_WRONLY)
    expect_errno(errno.EINVAL, os.write, fd, b'')
    expect_errno(errno.EINVAL, os.write, fd, b'switch:1')
    expect_errno(errno.EFAULT, write_at, fd, 1, 100)
    os.close(fd)
    expect(before, injected(stats()), 'counters')
    inject('sib0:1', bytes(PACKET_MAX))
    expect(sum(before.values()) + 1, sum(injected(stats()).values()), 'the longest packet is counted')


def flip(packet, offset):
    packet = bytearray(packet)
    packet[offset] ^= 0x40
    return bytes(packet)


def bad_packets():
    """Returns bad packets, and what each is counted as."""
    good, data = build(smp()), {'vl': 0, 'dlid': 1, 'slid': 3, 'dqpn': 0x48, 'sqpn': 0x49}
    group = b'\xff\x12' + bytes(14)
    one = b'\xfe\x80' + bytes(14)
    ack = {'opcode': 0x11, 'vl': 0, 'dlid': 1, 'slid': 3}
    return (
        ('truncated', b''), ('truncated', seal(good)[:7]), ('length', seal(good)[:8]), ('length', seal(good)[:-1]),
        ('length', seal(good) + b'\0'), ('length', seal(build(smp(), words=71))), ('length', seal(good) + bytes(4)),
        ('lver', seal(build(smp(), lver=1))), ('raw', seal(build(smp(), lnh=0))), ('raw', seal(build(smp(), lnh=1))),
        ('dlid', seal(build(smp(), dlid=0))), ('dlid', seal(build(smp(), dlid=0xc000))),
        ('dlid', seal(build(b'x', **data | {'dlid': 0xffff}))), ('slid', seal(build(smp(), slid=0))),
        ('slid', seal(build(smp(), slid=0xc001))), ('slid', seal(build(b'x', **data | {'slid': 0xffff}))),
        ('grh', seal(build(b'x', **data, grh=(one, one), ip=4))), ('grh', seal(build(b'x', **data, grh=(one, one), next=0x1c))),
        ('grh', seal(build(smp(), grh=(one, one)))), ('grh', seal(build(b'x', **data, grh=(one, group)))),
        ('paylen', seal(build(b'x', **data, grh=(one, one), paylen=3))), ('tver', seal(build(smp(), tver=1))),
        ('opcode', seal(build(smp(), opcode=0x66))), ('opcode', seal(build(b'x', **data, opcode=0x04))),
        ('opcode', seal(build(smp(), opcode=0x65, ext=bytes(4)))), ('pad', seal(build(b'', **data, pad=1))),
        ('payload', seal(build(smp()[:252]))), ('payload', seal(build(smp() + bytes(4)))), ('payload', seal(build(b'12345', **ack))),
        ('icrc', flip(good + icrc(good), 100) + vcrc(flip(good + icrc(good), 100))),
        ('vcrc', flip(seal(good), -1)), ('vcrc', flip(seal(good), 100)), ('vcrc', flip(seal(good), -4)),
        ('mad_version', seal(build(b'\2' + smp()[1:]))), ('mad_class', seal(build(smp()[:1] + b'\3' + smp()[2:]))),
        ('vl', seal(build(b'x', **data | {'vl': 8}))), ('vl', seal(build(b'x', **data | {'vl': 14}))),
        ('qp', seal(build(smp(), dqpn=1))), ('qp', seal(build(smp(), sqpn=1))), ('qp', seal(build(smp(), **data | {'dqpn': 0}))),
        ('qp', seal(build(b'x', **data | {'sqpn': 0}))), ('qp', seal(build(b'x', **data | {'dqpn': 0xffffff}))),
        ('qp', seal(build(b'x', **data | {'dlid': 0xc000}, grh=(one, group)))),
        ('pkey', seal(build(b'x', **data, pkey=0x8000))), ('mtu', seal(build(bytes(4097), **data))),
    )


def bad():
    """Each bad packet is counted by what is wrong with it, and at the port; a capture marks it."""
    rows = bad_packets()
    expect({name[len('inject_bad_'):] for name in stats() if name.startswith('inject_bad_')}, {name for name, _ in rows},
           'what can be wrong')
    with Agent() as agent, Counters() as counters, Capture('sib0') as capture:
        bring_up(agent)
        capture.drain()
        for number, (name, packet) in enumerate(rows):
            capture.data = capture.data[:FILE_HEAD]
            before, before_errors = stats(), counters.read(1, 1)['errors']
            expect(len(b'sib0:1\n') + len(packet), inject('sib0:1', packet), 'length written')
            after = injected(before) | {f'inject_bad_{name}': before[f'inject_bad_{name}'] + 1}
            expect(after, injected(stats()), f'counters of row {number}')
            expect(before_errors + 1, counters.read(1, 1)['errors'], f'PortRcvErrors of row {number}')
            expect([(packet, 1)], [(data, record['bad']) for data, record in capture.drain()], f'capture of row {number}')


def noise():
    """Random bytes, and good packets with random changes, are counted one and all."""
    generator = random.Random(45)
    good = [build(smp()), build(smp(hops=(1, 2))), build(smp(method=2, attr=0x15)),
            build(bytes(100), vl=0, dlid=3, slid=1, dqpn=0x48, sqpn=0x49),
            build(bytes(300), vl=0, dlid=3, slid=1, dqpn=1, sqpn=1, grh=(bytes(16), bytes(16)))]
    places = 'sib0:1', 'switch:1', 'switch:2', 'switch:36', 'sib1:1'
    before, number = sum(injected(stats()).values()), 2000
    with Capture(), Capture('switch') as capture:
        for i in range(number):
            packet = bytearray(generator.choice(good) if i % 4 else generator.randbytes(generator.randrange(60, 400)))
            for _ in range(generator.randrange(4)):
                packet[generator.randrange(len(packet))] = generator.randrange(256)
            if i % 8 < 6:
                packet = seal(packet)
            inject(generator.choice(places), packet[:generator.choice((len(packet), len(packet), generator.randrange(400)))])
        expect(before + number, sum(injected(stats()).values()), 'packets counted')
        expect(True, len(capture.drain()) > 0, 'packets captured')


CASES = {
    'crossings': crossings,
    'filters': filters,
    'filter_file': filter_file,
    'readers': readers,
    'waiting': waiting,
    'portions': portions,
    'bounded': bounded,
    'killed': killed,
    'killed_in_queue': killed_in_queue,
    'ended': ended,
    'good_smp': good_smp,
    'refused': refused,
    'bad': bad,
    'datagrams': datagrams,
    'good_datagram': good_datagram,
    'not_armed': not_armed,
    'no_way_back': no_way_back,
    'good_multicast': good_multicast,
    'noise': noise,
}


def main():
    return run_cases(CASES)


if __name__ == '__main__':
    sys.exit(main())
