#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Management datagrams by which fabric.sh asks the agents of sib, and what these answer.

    sib0  port 1  ------  port 1  switch  port 2  ------  port 1  sib1
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../umad'))

# pylint: disable=wrong-import-position
from ktap import Report, expect
from umad import GET, GET_RESPONSE, MAD, SET, SUBN, SUBN_DIRECTED, Port, fields, lid, mad

PERMISSIVE = 0xffff
PERFORMANCE = 0x04
CLASS_PORT_INFO, PORT_COUNTERS, PORT_COUNTERS_EXT = 0x01, 0x12, 0x1d
BAD_VERSION, BAD_ATTRIBUTE, BAD_VALUE = 0x04, 0x0c, 0x1c
NODE_DESC, NODE_INFO, SWITCH_INFO, GUID_INFO, PORT_INFO, PKEYS, SL_TO_VL, VL_ARB, LINEAR, RANDOM, MULTICAST, LED = (
    0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x31)
DOWN, INIT, ARMED, ACTIVE = 1, 2, 3, 4
SELF, SWITCH, PEER = (), (1,), (1, 2)
DISABLED, POLLING = (33, b'\x32'), (33, b'\x22')
SILENCE = 300           # milliseconds after which no answer comes


class Agent:
    """Asks agents by QP 0 of a port."""

    def __init__(self, device='sib0'):
        self.port = Port(device)
        self.agent = self.port.register(qpn=0)
        self.tid = 0

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.port.close()

    def directed(self, route, method, attr, mod=0, data=b'', mkey=0, slid=PERMISSIVE, dlid=PERMISSIVE, to=PERMISSIVE, **more):
        """Sends an SMP by a route; returns status and data of the answer, None if there is none."""
        self.tid += 1
        smp = mad(SUBN_DIRECTED, method, self.tid, attr, mod, specific=len(route), **more)
        smp += struct.pack('>QHH28x', mkey, slid, dlid) + data.ljust(64, b'\0')
        smp += bytes((0, *route)).ljust(64, b'\0') + bytes(64)
        return self.exchange(to, smp, 0x8000)

    def by_lid(self, to, method, attr, mod=0, data=b'', mkey=0, **more):
        self.tid += 1
        smp = mad(SUBN, method, self.tid, attr, mod, **more) + struct.pack('>Q32x', mkey) + data.ljust(64, b'\0')
        return self.exchange(to, smp.ljust(MAD, b'\0'), 0)

    def exchange(self, to, smp, direction):
        expect(MAD, len(smp), 'length')
        self.port.send(self.agent, to, smp, timeout=SILENCE, qpn=0)
        header, answer = self.port.read()
        if header.status:
            return None
        _, method, status, tid, attr, mod = fields(answer)
        expect(GET_RESPONSE, method, 'method')
        expect(fields(smp)[3] & 0xffffffff, tid & 0xffffffff, 'transaction')
        expect((fields(smp)[4], fields(smp)[5]), (attr, mod), 'attribute')
        expect(direction, status & 0x8000, 'direction')
        return status & 0x7fff, answer[64:128]

    def get(self, route, attr, mod=0, **more):
        status, data = self.directed(route, GET, attr, mod, **more)
        expect(0, status, f'status of {attr:#x}')
        return data

    def set(self, route, attr, mod, data, **more):
        status, answer = self.directed(route, SET, attr, mod, data, **more)
        expect(0, status, f'status of {attr:#x}')
        return answer

    def port_info(self, route, mod=0, **changes):
        """Sets members of PortInfo: pairs of offset and bytes; states are not changed."""
        data = bytearray(self.get(route, PORT_INFO, mod))
        data[32] &= 0xf0
        data[33] &= 0x0f
        for change in changes.values():
            offset, value = change
            data[offset:offset + len(value)] = value
        return bytes(data)

    def state(self, route, mod=0):
        return self.get(route, PORT_INFO, mod)[32] & 0x0f

    def set_state(self, route, mod, state):
        data = bytearray(self.port_info(route, mod))
        data[32] |= state
        return self.directed(route, SET, PORT_INFO, mod, bytes(data))[0]


def attributes():
    """All attributes of a CA and a switch can be read, and are what they should be."""
    with Agent() as agent:
        expect(b'sib0', agent.get(SELF, NODE_DESC).rstrip(b'\0'), 'own description')
        expect(b'sib switch', agent.get(SWITCH, NODE_DESC).rstrip(b'\0'), 'description of the switch')
        expect(b'sib1', agent.get(PEER, NODE_DESC).rstrip(b'\0'), 'description of the peer')
        for route, kind, ports, port in ((SELF, 1, 1, 1), (SWITCH, 2, 36, 1), (PEER, 1, 1, 1)):
            info = agent.get(route, NODE_INFO)
            expect((1, 1, kind, ports), tuple(info[:4]), 'NodeInfo')
            expect((64, port), (int.from_bytes(info[28:30], 'big'), info[36]), 'P_Keys, port')
        for port in range(3, 37):
            expect(DOWN, agent.state(SWITCH, port), f'state of port {port}')
        expect([ACTIVE, INIT, INIT], [agent.state(SWITCH, port) for port in range(3)], 'states')
        expect(bytes([0xff]) * 64, agent.get(SWITCH, LINEAR, 767), 'linear table')
        expect(bytes(64), agent.get(SWITCH, MULTICAST, 2 << 28 | 31), 'multicast table')
        expect(b'\xff\xff' + bytes(62), agent.get(PEER, PKEYS), 'P_Keys')
        expect(bytes(64), agent.get(SWITCH, PKEYS, 36 << 16 | 1), 'P_Keys of port 36')
        expect(bytes(64), agent.get(SWITCH, SL_TO_VL, 36 << 8 | 1), 'SLs')
        expect(bytes(64), agent.get(SWITCH, VL_ARB, 3 << 16 | 36), 'arbitration')
        expect(bytes(56), agent.get(PEER, GUID_INFO)[8:], 'GUIDs')


def refusals():
    """What a node does not have is answered with a status."""
    with Agent() as agent:
        for route in SELF, SWITCH, PEER:
            for attr in 0, 0x0f, 0x13, RANDOM, 0x30, 0xff90, 0xffff:
                expect(BAD_ATTRIBUTE, agent.directed(route, GET, attr)[0], f'attribute {attr:#x}')
                expect(BAD_ATTRIBUTE, agent.directed(route, SET, attr)[0], f'attribute {attr:#x}')
            for attr in NODE_DESC, NODE_INFO:
                expect(BAD_ATTRIBUTE, agent.directed(route, SET, attr)[0], f'Set of {attr:#x}')
            expect(BAD_VERSION, agent.directed(route, GET, NODE_INFO, version=2)[0], 'version')
        for attr in SWITCH_INFO, LINEAR, MULTICAST:
            expect(BAD_ATTRIBUTE, agent.directed(PEER, GET, attr)[0], 'attribute of a switch')
            expect(BAD_ATTRIBUTE, agent.directed(PEER, SET, attr)[0], 'attribute of a switch')
        for route, attr, mod in (
                (SWITCH, PORT_INFO, 37), (SWITCH, PORT_INFO, 0x100), (PEER, PORT_INFO, 2), (PEER, GUID_INFO, 4),
                (PEER, PKEYS, 2), (SWITCH, PKEYS, 37 << 16), (SWITCH, PKEYS, 1 << 24), (SWITCH, SL_TO_VL, 37),
                (SWITCH, SL_TO_VL, 37 << 8), (SWITCH, SL_TO_VL, 1 << 16), (SWITCH, VL_ARB, 1), (SWITCH, VL_ARB, 2 << 16 | 1),
                (SWITCH, VL_ARB, 4 << 16 | 1), (SWITCH, VL_ARB, 1 << 16 | 37), (SWITCH, LINEAR, 768), (SWITCH, LINEAR, 1 << 16),
                (SWITCH, MULTICAST, 32), (SWITCH, MULTICAST, 3 << 28), (SWITCH, MULTICAST, 1 << 9)):
            for method in GET, SET:
                expect(BAD_VALUE, agent.directed(route, method, attr, mod)[0], f'{attr:#x}, modifier {mod:#x}')


def routes():
    """A route that makes no sense loses the SMP."""
    with Agent() as agent:
        for route in (1, 3), (1, 36), (1, 37), (1, 0), (1, 2, 1), (1, 255):
            expect(None, agent.directed(route, GET, NODE_INFO), f'route {route}')
        expect(0, agent.directed((1, 1), GET, NODE_INFO)[0], 'back to itself')
        expect(None, agent.by_lid(77, GET, NODE_INFO), 'no such LID')
        expect(0, agent.by_lid(PERMISSIVE, GET, NODE_INFO)[0], 'the neighbour, by the permissive LID')


def settings():
    """Set changes all or nothing, and Get reads it."""
    with Agent() as agent:
        block = bytes(range(37)) + bytes([0xff]) * 27
        expect(block, agent.set(SWITCH, LINEAR, 700, block), 'linear table')
        expect(BAD_VALUE, agent.directed(SWITCH, SET, LINEAR, 700, bytes(63) + b'\x25')[0], 'port 37')
        expect(block, agent.get(SWITCH, LINEAR, 700), 'linear table')
        expect(bytes([0xff]) * 64, agent.get(SWITCH, LINEAR, 699), 'the block before')
        masks = b'\x00\x1f' * 32
        expect(masks, agent.set(SWITCH, MULTICAST, 2 << 28 | 3, masks), 'multicast table')
        expect(BAD_VALUE, agent.directed(SWITCH, SET, MULTICAST, 2 << 28 | 3, b'\x00\x20')[0], 'port 37')
        expect(masks, agent.get(SWITCH, MULTICAST, 2 << 28 | 3), 'multicast table')
        expect(bytes(64), agent.get(SWITCH, MULTICAST, 1 << 28 | 3), 'another position')
        table = bytes(range(8))
        expect(table, agent.set(SWITCH, SL_TO_VL, 1 << 8 | 36, table)[:8], 'SLs')
        expect(bytes(8), agent.get(SWITCH, SL_TO_VL, 2 << 8 | 36)[:8], 'SLs from another port')
        weights = bytes(range(64))
        expect(weights, agent.set(PEER, VL_ARB, 3 << 16 | 1, weights), 'arbitration')
        expect(bytes(64), agent.get(PEER, VL_ARB, 1 << 16 | 1), 'the other table')
        keys = b'\xff\xff\x80\x01\x00\x02'.ljust(64, b'\0')
        expect(keys, agent.set(PEER, PKEYS, 0, keys), 'P_Keys')
        expect(bytes(64), agent.get(PEER, PKEYS, 1), 'the other P_Keys')
        guids = agent.get(PEER, GUID_INFO)
        expect(guids[:8] + b'\x11' * 56, agent.set(PEER, GUID_INFO, 0, b'\x11' * 64), 'the first GUID stays')
        expect(b'\x80\0\0\0', agent.set(SWITCH, LED, 0, b'\x80\0\0\0')[:4], 'light')
        expect(BAD_VALUE, agent.directed(SWITCH, SET, LED, 0, b'\0\0\0\1')[0], 'light')
        info = bytearray(agent.get(SWITCH, SWITCH_INFO))
        info[6:8] = b'\xbf\xff'
        agent.set(SWITCH, SWITCH_INFO, 0, bytes(info))
        expect(0, agent.get(SWITCH, SWITCH_INFO)[11] & 4, 'a change of states is acknowledged')
        info[6:8] = b'\xc0\x00'
        expect(BAD_VALUE, agent.directed(SWITCH, SET, SWITCH_INFO, 0, bytes(info))[0], 'a top beyond the table')


def states():
    """DOWN, INIT, ARMED, ACTIVE in this order; DOWN at any time, for both ends."""
    with Agent() as agent:
        expect(BAD_VALUE, agent.set_state(SWITCH, 2, ACTIVE), 'INIT to ACTIVE')
        expect(BAD_VALUE, agent.set_state(SWITCH, 2, INIT), 'INIT to INIT')
        for state in ARMED, ACTIVE:
            for route, port in ((SWITCH, 2), (PEER, 1)):
                expect(0, agent.set_state(route, port, state), f'to {state}')
                expect(state, agent.state(route, port), 'state')
        expect(BAD_VALUE, agent.set_state(SWITCH, 2, ARMED), 'ACTIVE to ARMED')
        agent.set(SWITCH, SWITCH_INFO, 0, agent.get(SWITCH, SWITCH_INFO))
        expect(0, agent.set_state(SWITCH, 2, DOWN), 'DOWN')
        expect([INIT, INIT], [agent.state(SWITCH, 2), agent.state(PEER)], 'the link is up again')
        expect(4, agent.get(SWITCH, SWITCH_INFO)[11] & 4, 'the switch notes it')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, phys=DISABLED))
        expect(DOWN, agent.state(SWITCH, 2), 'disabled')
        expect(None, agent.directed(PEER, GET, NODE_INFO), 'nothing goes by a port that is down')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, phys=POLLING))
        expect([INIT, INIT], [agent.state(SWITCH, 2), agent.state(PEER)], 'enabled')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, width=(29, b'\x01'), phys=POLLING))
        expect(1, agent.get(PEER, PORT_INFO)[31], 'active width')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, width=(29, b'\xff'), phys=POLLING))
        expect(2, agent.get(PEER, PORT_INFO)[31], 'active width')


def mkey():
    """The M_Key protects by its level, and its lease ends the protection."""
    key = 0x1122334455667788
    with Agent() as agent:
        free = agent.port_info(PEER, 1)
        data = bytearray(free)
        data[:8] = key.to_bytes(8, 'big')

        def protect(level, lease, with_key=key):
            data[26:28] = lease.to_bytes(2, 'big')
            data[34] = level << 6
            return agent.directed(PEER, SET, PORT_INFO, 1, bytes(data), mkey=with_key)[0]

        def shown(**more):
            return int.from_bytes(agent.get(PEER, PORT_INFO, **more)[:8], 'big')

        expect(0, protect(0, 0, 0), 'the key is set')
        expect(key, shown(), 'level 0: the key can be read')
        expect(None, agent.directed(PEER, SET, PORT_INFO, 1, free), 'level 0: Set without the key')
        # Only 0 changes a counter of violations.
        data[44:46] = b'\0\7'
        expect(0, protect(1, 0), 'level 1')
        expect(0, shown(), 'level 1: a wrong key reads 0')
        expect(key, shown(mkey=key), 'level 1: the right one reads the key')
        expect(0, protect(2, 0), 'level 2')
        expect(None, agent.directed(PEER, GET, PORT_INFO), 'level 2: Get without the key')
        expect(None, agent.directed(PEER, GET, NODE_INFO, mkey=1), 'level 2: Get with a wrong key')
        expect(b'\0\3', agent.get(PEER, PORT_INFO, mkey=key)[44:46], 'violations')
        data[44:46] = bytes(2)
        expect(0, protect(2, 1), 'level 2, a lease of a second')
        expect(b'\0\0', agent.get(PEER, PORT_INFO, mkey=key)[44:46], 'violations')
        expect(None, agent.directed(PEER, GET, PORT_INFO), 'the lease begins')
        # Each try takes as long as an answer is awaited.
        expect(True, any(agent.directed(PEER, GET, NODE_INFO) for _ in range(100)), 'the lease ends')
        expect(0, agent.get(PEER, PORT_INFO)[34] >> 6, 'protection')
        expect(0, agent.directed(PEER, SET, PORT_INFO, 1, free, mkey=key)[0], 'no key')
        expect(0, agent.directed(PEER, SET, PORT_INFO, 1, free)[0], 'anybody may set')


def own_node():
    """The agent of the own node answers the host."""
    with Agent() as agent:
        expect(BAD_ATTRIBUTE, agent.directed(SELF, GET, 0xff90)[0], 'an unknown attribute')
        data = agent.port_info(SELF, 1, lid=(16, b'\x00\x07'))
        agent.set(SELF, PORT_INFO, 1, data)
        expect(7, int.from_bytes(agent.get(SELF, PORT_INFO)[16:18], 'big'), 'LID')
        expect(0, agent.by_lid(7, GET, NODE_INFO)[0], 'by the own LID')
        agent.set(SELF, PORT_INFO, 1, agent.port_info(SELF, 1, lid=(16, b'\x00\x00')))
        expect(0, lid('sib0', 1), 'no LID')


class Counters:
    """Asks the agents for performance management by QP 1 of sib0."""

    def __init__(self):
        self.port = Port('sib0')
        self.agent = self.port.register(qpn=1)
        self.tid = 0

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.port.close()

    def ask(self, to, select, attr=PORT_COUNTERS, method=GET, data=b'', version=1):
        """Returns status and data of the answer, None if there is none."""
        self.tid += 1
        request = mad(PERFORMANCE, method, self.tid, attr, version=version) + bytes(40) + bytes((0, select)) + data
        self.port.send(self.agent, to, request.ljust(MAD, b'\0'), timeout=SILENCE)
        header, answer = self.port.read()
        if header.status:
            return None
        expect(GET_RESPONSE, fields(answer)[1], 'method')
        return fields(answer)[2], answer[64:]

    def read(self, to, select):
        """Returns the counters of a port that drops packets."""
        status, data = self.ask(to, select)
        expect(0, status, 'status')
        names = {'errors': (8, 10), 'relay': (12, 14), 'discards': (14, 16), 'xmit': (16, 17), 'rcv': (17, 18)}
        return {name: int.from_bytes(data[start:end], 'big') for name, (start, end) in names.items()}

    def dropped(self, name, select):
        """An own request to LID 3 is dropped, and counted by a port of the switch."""
        before = self.read(2, select)
        expect(None, self.ask(3, 1), f'{name}: answer')
        after = self.read(2, select)
        before[name] += 1
        expect(before, after, f'{name}: counters of port {select}')


def bring_up(agent):
    """Gives sib0, the switch and sib1 the LIDs 1, 2 and 3, and makes their ports active."""
    for number, route in enumerate((SELF, SWITCH, PEER), 1):
        mod = 0 if route == SWITCH else 1
        agent.set(route, PORT_INFO, mod, agent.port_info(route, mod, lid=(16, bytes((0, number, 0, 1)))))
    table(agent, 1, 0, 2)
    info = bytearray(agent.get(SWITCH, SWITCH_INFO))
    info[6:8] = b'\0\3'
    agent.set(SWITCH, SWITCH_INFO, 0, bytes(info))
    for port in 1, 2:
        expect(0, agent.set_state(SWITCH, port, DOWN), f'port {port} begins anew')
    for state in ARMED, ACTIVE:
        for route, port in ((SELF, 1), (SWITCH, 1), (SWITCH, 2), (PEER, 1)):
            expect(0, agent.set_state(route, port, state), f'{route} to {state}')


def table(agent, *ports):
    """Sets the ports of the LIDs from 1 on."""
    agent.set(SWITCH, LINEAR, 0, bytes((255, *ports)).ljust(64, b'\xff'))


def data_path():
    """A datagram is dropped where a table or a state says so, and the port there counts it."""
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        expect(0, counters.ask(3, 1)[0], 'all is well')
        expect(0, counters.ask(1, 1)[0], 'the own LID')
        table(agent, 1, 0, 255)
        counters.dropped('relay', 1)
        table(agent, 1, 0, 1)
        counters.dropped('relay', 1)
        table(agent, 1, 0, 0)
        counters.dropped('relay', 1)
        table(agent, 1, 0, 36)
        counters.dropped('discards', 36)
        table(agent, 1, 0, 2)
        agent.set(SWITCH, SL_TO_VL, 1 << 8 | 2, b'\xf0'.ljust(8, b'\0'))
        counters.dropped('discards', 2)
        agent.set(SWITCH, SL_TO_VL, 1 << 8 | 2, b'\x80'.ljust(8, b'\0'))
        counters.dropped('discards', 2)
        agent.set(SWITCH, SL_TO_VL, 1 << 8 | 2, bytes(8))
        expect(0, counters.ask(3, 1)[0], 'all is well again')
        agent.set(SWITCH, PKEYS, 2 << 16, b'\x80\1')
        expect(0, counters.ask(3, 1)[0], 'the P_Key is not enforced')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, enforce=(43, b'\x44')))
        counters.dropped('xmit', 2)
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, enforce=(43, b'\x48')))
        counters.dropped('rcv', 2)
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, enforce=(43, b'\x40')))
        expect(0, counters.ask(3, 1)[0], 'all is well again')
        agent.set(PEER, PKEYS, 0, b'\x80\1')
        expect(None, counters.ask(3, 1), 'a wrong P_Key')
        expect(1, int.from_bytes(agent.get(PEER, PORT_INFO)[46:48], 'big'), 'violations of the P_Key')
        agent.set(PEER, PKEYS, 0, b'\xff\xff')
        expect(0, agent.set_state(SWITCH, 2, DOWN), 'the link goes down')
        counters.dropped('discards', 2)


def performance():
    """The agent for performance management: what it has, and what it has not."""
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        info = counters.ask(3, 0, CLASS_PORT_INFO)[1]
        expect((1, 1, 2), (info[0], info[1], info[2]), 'versions, 64-bit counters')
        for to, select, status in ((3, 0, BAD_VALUE), (3, 2, BAD_VALUE), (3, 255, BAD_VALUE), (2, 37, BAD_VALUE), (2, 0, 0),
                                   (2, 36, 0)):
            for attr in PORT_COUNTERS, PORT_COUNTERS_EXT:
                expect(status, counters.ask(to, select, attr)[0], f'port {select} of LID {to}')
        for attr in 0x02, 0x10, 0x11, 0xffff:
            expect(BAD_ATTRIBUTE, counters.ask(3, 1, attr)[0], f'attribute {attr:#x}')
        expect(BAD_ATTRIBUTE, counters.ask(3, 1, CLASS_PORT_INFO, SET)[0], 'Set of ClassPortInfo')
        expect(BAD_VERSION, counters.ask(3, 1, version=2)[0], 'version')

        def packets():
            return int.from_bytes(counters.ask(3, 1)[1][36:40], 'big')

        def packets_ext():
            return int.from_bytes(counters.ask(3, 1, PORT_COUNTERS_EXT)[1][32:40], 'big')

        start, start_ext = packets(), packets_ext()
        expect(start + 2, packets(), 'packets received, with those of the last two requests')
        counters.ask(3, 1, PORT_COUNTERS, SET, b'\x80\0' + bytes(32))
        expect(1, packets(), 'cleared')
        expect(start_ext + 4, packets_ext(), 'the other ones go on')
        counters.ask(3, 1, PORT_COUNTERS_EXT, SET, b'\0\x08' + bytes(68))
        expect(1, packets_ext(), 'cleared')
        counters.ask(3, 1, PORT_COUNTERS, SET, b'\x80\0' + bytes(32) + b'\0\0\1\0')
        expect(0x101, packets(), 'set')


CASES = {
    'attributes': attributes,
    'refusals': refusals,
    'routes': routes,
    'settings': settings,
    'states': states,
    'mkey': mkey,
    'own_node': own_node,
    'data_path': data_path,
    'performance': performance,
}


def once():
    """Sets tables that were not set before. Fails with a message if there was no memory."""
    busy, pattern = 0x01, bytes(range(64))
    try:
        with Agent() as agent:
            for route, attr, mod, data in (
                    (SWITCH, LINEAR, 5, bytes(64)), (SWITCH, MULTICAST, 3, b'\0\7' * 32), (SWITCH, PKEYS, 3 << 16, pattern),
                    (SWITCH, SL_TO_VL, 1 << 8 | 2, pattern[:8].ljust(64, b'\0')), (PEER, VL_ARB, 1 << 16 | 1, pattern),
                    (PEER, GUID_INFO, 1, pattern)):
                before = agent.directed(route, GET, attr, mod)
                answer = agent.directed(route, SET, attr, mod, data)
                after = agent.directed(route, GET, attr, mod)
                if None in (before, answer, after) or answer[0] == busy:
                    # A Set that was answered with "busy" has changed nothing; of one that was lost nobody knows.
                    if answer and answer[0] == busy and before and after:
                        expect(before, after, f'table {attr:#x}')
                    print('Cannot allocate memory')
                    return 1
                expect((0, data), answer, f'Set of table {attr:#x}')
                expect((0, data), after, f'table {attr:#x}')
    except AssertionError as error:
        if 'has no node' not in str(error):
            raise
        print('Cannot allocate memory')
        return 1
    return 0


def main(*args):
    if args == ('once',):
        return once()
    report = Report()
    for name, test in CASES.items():
        report.case(name.replace('_', ' '), test)
    return report.end()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
