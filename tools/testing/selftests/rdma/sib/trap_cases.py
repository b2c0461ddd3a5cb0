#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Traps that traps.sh has nodes send to a program at sib0, which does what a subnet manager does with them.

    sib0  port 1  ------  port 1  switch  port 2  ------  port 1  sib1
    LID 1                         LID 2                           LID 3

With the argument "provoke", violates keys of sib1 and the switch on a fabric that a subnet manager has set up.
"""

import struct
import subprocess
import sys
import time

from agents import (BAD_ATTRIBUTE, NODE_INFO, PEER, PERFORMANCE, PKEYS, PORT_COUNTERS, PORT_INFO, SWITCH, Agent, Counters,
                    bring_up, quieten)
from ktap import expect, run_cases
from umad import GET, MAD, PATIENCE, SET, SUBN, Port, fields, lid, mad

TRAP, TRAP_REPRESS, NOTICE = 0x05, 0x07, 0x02
CAPABILITIES, BAD_MKEY, BAD_PKEY, BAD_QKEY, SWITCH_PKEY = 144, 256, 257, 258, 259
KEY = 0x1122334455667788
NO_GIDS = bytes(32)
QUIET = 1.5             # seconds in which a trap that is pending comes again


class Manager:
    """Receives traps at QP 0 of sib0."""

    def __init__(self):
        self.port = Port('sib0')
        self.agent = self.port.register(mgmt_class=SUBN, methods=1 << TRAP, qpn=0)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.port.close()

    def trap(self, number):
        """Returns source, transaction and Notice of the next trap of a number."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            header, data = self.port.read()
            expect((SUBN, TRAP, NOTICE), (fields(data)[0], fields(data)[1], fields(data)[4]), 'a trap')
            if int.from_bytes(data[68:70], 'big') == number:
                return header.lid, fields(data)[3], data[64:128]
        raise AssertionError(f'no trap {number}')

    def repress(self, to, tid, notice, mkey=0):
        data = mad(SUBN, TRAP_REPRESS, tid, NOTICE) + struct.pack('>Q32x', mkey) + notice
        self.port.send(self.agent, to, data.ljust(MAD, b'\0'), qpn=0)

    def end(self, number, mkey=0):
        """Represses a trap as often as it comes."""
        while True:
            source, tid, notice = self.trap(number)
            self.repress(source, tid, notice, mkey)
            if not self.comes(number):
                return

    def comes(self, number):
        """Returns whether a trap of a number comes in the time after which a pending one is repeated."""
        end = time.monotonic() + QUIET
        while self.port.is_readable(max(0, end - time.monotonic())):
            if int.from_bytes(self.port.read()[1][68:70], 'big') == number:
                return True
        return False

    def expect_trap(self, number, source, notice, mkey=0):
        """Expects a trap, and again until it is repressed."""
        seen = self.trap(number)
        expect((source, notice.ljust(64, b'\0').hex()), (seen[0], seen[2].hex()), f'trap {number}')
        expect(seen, self.trap(number), 'the same trap again')
        self.repress(source, seen[1] + 1, seen[2], mkey)
        expect(seen, self.trap(number), 'another transaction was repressed')
        return seen


def header_of(kind, producer, number, source):
    return struct.pack('>B3sHHH', kind, producer.to_bytes(3, 'big'), number, source, 0)


def describe(text):
    with open('/sys/class/infiniband/sib1/node_desc', 'w', encoding='ascii') as file:
        file.write(text)


def ask_often(counters, to, times=1):
    """Sends requests for performance counters, to which no answer is awaited."""
    for _ in range(times):
        counters.tid += 1
        request = mad(PERFORMANCE, GET, counters.tid, PORT_COUNTERS) + bytes(40) + b'\0\1'
        counters.port.send(counters.agent, to, request.ljust(MAD, b'\0'))


def capabilities():
    """Trap 144 comes again and again, until it is repressed with its transaction."""
    with Agent() as agent, Manager() as manager:
        bring_up(agent)
        caps = agent.get(PEER, PORT_INFO)[20:24]
        describe('another name')
        notice = header_of(0x84, 1, CAPABILITIES, 3) + struct.pack('>HHBB4sBB', 0, 3, 0, 1, caps, 0, 1)
        source, tid, notice = manager.expect_trap(CAPABILITIES, 3, notice)
        manager.repress(source, tid, notice)
        expect(False, manager.comes(CAPABILITIES), 'a trap that was repressed')
        describe('sib1')
        expect(True, manager.trap(CAPABILITIES)[1] != tid, 'a new transaction')
        manager.end(CAPABILITIES)


def without_sm():
    """A port that knows no SM sends no trap, and does not do so later, when it knows one."""
    with Agent() as agent, Manager() as manager, Counters() as counters:
        bring_up(agent)
        quieten(agent)
        before = counters.read(2, 2)
        describe('unheard')
        expect(False, manager.comes(CAPABILITIES), 'a trap')
        expect(before, counters.read(2, 2), 'packets that the switch has dropped')
        agent.set(PEER, PORT_INFO, 1, agent.port_info(PEER, 1, sm=(18, b'\0\1')))
        expect(False, manager.comes(CAPABILITIES), 'a trap of before')
        describe('heard')
        manager.end(CAPABILITIES)


def violate_pkey(agent, counters, keys):
    """Asks sib1 while its table has other keys."""
    agent.set(PEER, PKEYS, 0, keys)
    expect(None, counters.ask(3, 1, silent=True), 'an answer')
    agent.set(PEER, PKEYS, 0, b'\xff\xff')


def pkey():
    """A wrong P_Key at an end port: trap 257 tells of the packet. Violations that follow are only counted."""
    with Agent() as agent, Manager() as manager, Counters() as counters:
        bring_up(agent)
        violate_pkey(agent, counters, b'\x80\1')
        notice = header_of(0x82, 1, BAD_PKEY, 3) + struct.pack('>HHHIII', 0, 1, 3, 0xffff, 1, 1) + NO_GIDS
        source, tid, notice = manager.expect_trap(BAD_PKEY, 3, notice)
        agent.set(PEER, PKEYS, 0, b'\x80\1')
        before = int.from_bytes(agent.get(PEER, PORT_INFO)[46:48], 'big')
        ask_often(counters, 3, 100)
        expect(before + 100, int.from_bytes(agent.get(PEER, PORT_INFO)[46:48], 'big'), 'violations')
        agent.set(PEER, PKEYS, 0, b'\xff\xff')
        expect((source, tid, notice), manager.trap(BAD_PKEY), 'still the first one')
        manager.repress(source, tid, notice)
        expect(False, manager.comes(BAD_PKEY), 'a trap that was repressed')


def qkey():
    """A wrong Q_Key, which a suite sends that ud.sh runs: trap 258."""
    with Agent() as agent, Manager() as manager:
        bring_up(agent)
        before = int.from_bytes(agent.get(PEER, PORT_INFO)[48:50], 'big')
        subprocess.run(('modprobe', 'kt_sib'), check=True)
        subprocess.run(('rmmod', 'kt_sib'), check=True)
        source, tid, notice = manager.trap(BAD_QKEY)
        expect(3, source, 'source')
        expect(header_of(0x82, 1, BAD_QKEY, 3) + struct.pack('>HHHI', 0, 1, 3, 0x4322), notice[:20], 'trap')
        qpns = struct.unpack('>II', notice[20:28])
        expect((True, True, bytes(36)), (1 < qpns[0] < 1 << 24, 1 < qpns[1] < 1 << 24, notice[28:]), 'SL, QPs, GIDs')
        expect(before + 1, int.from_bytes(agent.get(PEER, PORT_INFO)[48:50], 'big'), 'violations')
        manager.repress(source, tid, notice)
        expect(False, manager.comes(BAD_QKEY), 'a trap that was repressed')


def switch():
    """A wrong P_Key at a port of the switch: trap 259, for both directions."""
    with Agent() as agent, Manager() as manager, Counters() as counters:
        bring_up(agent)
        for port, enforce in (2, b'\x44'), (1, b'\x48'):
            agent.set(SWITCH, PKEYS, port << 16, b'\x80\1')
            agent.set(SWITCH, PORT_INFO, port, agent.port_info(SWITCH, port, enforce=(43, enforce)))
            ask_often(counters, 3)
            notice = header_of(0x82, 2, SWITCH_PKEY, 2) + struct.pack('>HHHHII', 0x33f, 1, 3, 0xffff, 1, 1) + NO_GIDS
            source, tid, notice = manager.expect_trap(SWITCH_PKEY, 2, notice + struct.pack('>HB', 2, port))
            agent.set(SWITCH, PKEYS, port << 16, b'\xff\xff')
            agent.set(SWITCH, PORT_INFO, port, agent.port_info(SWITCH, port, enforce=(43, b'\x40')))
            manager.repress(source, tid, notice)
            expect(False, manager.comes(SWITCH_PKEY), 'a trap that was repressed')


def mkey():
    """A wrong M_Key: trap 256 tells of the SMP, and its way. TrapRepress needs the key, too."""
    with Agent() as agent, Manager() as manager:
        bring_up(agent)
        free = agent.port_info(PEER, 1)
        protected = bytearray(free)
        protected[:8] = KEY.to_bytes(8, 'big')
        protected[34] = 0x80
        agent.set(PEER, PORT_INFO, 1, bytes(protected))
        expect(None, agent.by_lid(3, GET, NODE_INFO, 5, mkey=9, silent=True), 'Get without the key')
        notice = header_of(0x82, 1, BAD_MKEY, 3) + struct.pack('>HHHBBHIQBB', 0, 1, 0, GET, 0, NODE_INFO, 5, 9, 0, 0)
        source, tid, notice = manager.expect_trap(BAD_MKEY, 3, notice, KEY)
        before = int.from_bytes(agent.get(PEER, PORT_INFO, mkey=KEY)[44:46], 'big')
        manager.repress(source, tid, notice, KEY + 1)
        expect((source, tid, notice), manager.trap(BAD_MKEY), 'repressed with a wrong key')
        expect(before + 1, int.from_bytes(agent.get(PEER, PORT_INFO, mkey=KEY)[44:46], 'big'), 'violations')
        manager.repress(source, tid, notice, KEY)
        expect(False, manager.comes(BAD_MKEY), 'a trap that was repressed')
        expect(None, agent.directed(PEER, SET, PORT_INFO, 1, free, silent=True), 'Set without the key')
        way = bytes((0, 1, 1)).ljust(30, b'\0')
        notice = header_of(0x82, 1, BAD_MKEY, 3)
        notice += struct.pack('>HHHBBHIQBB', 0, 0xffff, 0xffff, SET, 0, PORT_INFO, 1, 0, 0, 0x82) + way
        source, tid, notice = manager.expect_trap(BAD_MKEY, 3, notice, KEY)
        manager.repress(source, tid, notice, KEY)
        agent.set(PEER, PORT_INFO, 1, free, mkey=KEY)
        expect(False, manager.comes(BAD_MKEY), 'a trap that was repressed')


def levels():
    """What a wrong key may do at each level of protection, to each kind of attribute."""
    with Agent() as agent:
        bring_up(agent)
        free = agent.port_info(PEER, 1)
        for level, may_get, shows in (0, True, True), (1, True, False), (2, False, False), (3, False, False):
            protected = bytearray(free)
            protected[:8] = KEY.to_bytes(8, 'big')
            protected[34] = level << 6
            agent.set(PEER, PORT_INFO, 1, bytes(protected))
            answer = agent.directed(PEER, GET, PORT_INFO, 1, mkey=1, silent=not may_get)
            expect(may_get, answer is not None, f'level {level}: Get')
            if may_get:
                expect(KEY if shows else 0, int.from_bytes(answer[1][:8], 'big'), f'level {level}: the key')
            expect(may_get, agent.directed(PEER, GET, PKEYS, mkey=1, silent=not may_get) is not None, f'level {level}: P_Keys')
            if may_get:
                expect(BAD_ATTRIBUTE, agent.directed(PEER, GET, 0xff90, mkey=1)[0], 'an unknown attribute')
            expect(None, agent.directed(PEER, SET, PKEYS, 0, b'\xff\xff', mkey=1, silent=True), f'level {level}: Set')
            expect(KEY, int.from_bytes(agent.get(PEER, PORT_INFO, mkey=KEY)[:8], 'big'), 'the right key')
            agent.set(PEER, PORT_INFO, 1, free, mkey=KEY)


CASES = {
    'capabilities': capabilities,
    'pkey': pkey,
    'qkey': qkey,
    'switch': switch,
    'mkey': mkey,
    'without_sm': without_sm,
    'levels': levels,
}


def provoke(route):
    """Violates a P_Key and the M_Key of sib1, and the P_Keys of the switch's port towards it."""
    route = tuple(int(port) for port in route.split(','))
    with Agent() as agent, Counters() as counters:
        to = lid('sib1', 1)
        keys = agent.get(route, PKEYS)
        agent.set(route, PKEYS, 0, b'\x80\1')
        ask_often(counters, to)
        agent.set(route, PKEYS, 0, keys)
        port = route[-1]
        keys = agent.get(route[:-1], PKEYS, port << 16)
        enforce = agent.get(route[:-1], PORT_INFO, port)[43:44]
        agent.set(route[:-1], PKEYS, port << 16, b'\x80\1')
        agent.set(route[:-1], PORT_INFO, port, agent.port_info(route[:-1], port, enforce=(43, bytes([enforce[0] | 0x0c]))))
        ask_often(counters, to)
        agent.set(route[:-1], PKEYS, port << 16, keys)
        agent.set(route[:-1], PORT_INFO, port, agent.port_info(route[:-1], port, enforce=(43, enforce)))
        free = agent.port_info(route, 1)
        agent.set(route, PORT_INFO, 1, KEY.to_bytes(8, 'big') + free[8:])
        expect(None, agent.directed(route, SET, PORT_INFO, 1, free, silent=True), 'Set without the key')
        agent.set(route, PORT_INFO, 1, free, mkey=KEY)


def main(*args):
    if args[:1] == ('provoke',):
        provoke(args[1])
        return 0
    return run_cases(CASES)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
