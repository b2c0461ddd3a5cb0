#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Management datagrams by which fabric.sh asks the agents of sib, and what these answer.

    sib0  port 1  ------  port 1  switch  port 2  ------  port 1  sib1
"""

import struct
import sys

from agents import (ACTIVE, ANSWER, ARMED, BAD_ATTRIBUTE, BAD_METHOD, BAD_VALUE, BAD_VERSION, DISABLED, DOWN, GUID_INFO, INIT, LED,
                    LINEAR, MULTICAST, NODE_DESC, NODE_INFO, PEER, PERMISSIVE, PKEYS, POLLING,
                    PORT_INFO, RANDOM, SELF, SL_TO_VL, SWITCH, SWITCH_INFO, VL_ARB, Agent, Counters, bring_up, table)
from ktap import expect, run_cases
from umad import GET, SET, gid, lid


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


def answers_only():
    """The answer to a Get has none of what the request had in its data."""
    with Agent() as agent:
        for route, attr, mod in (
                (SELF, NODE_DESC, 0), (SWITCH, NODE_INFO, 0), (SWITCH, SWITCH_INFO, 0), (PEER, PORT_INFO, 1), (PEER, GUID_INFO, 0),
                (PEER, PKEYS, 0), (SWITCH, SL_TO_VL, 1 << 8 | 2), (SWITCH, VL_ARB, 1 << 16 | 1), (SWITCH, LINEAR, 0),
                (SWITCH, MULTICAST, 0), (PEER, LED, 0)):
            seen = agent.directed(route, GET, attr, mod, b'\xa5' * 64)
            expect((0, agent.get(route, attr, mod)), seen, f'attribute {attr:#x}')


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
            for method in 0x00, 0x12, 0x14:
                expect(BAD_METHOD, agent.directed(route, method, NODE_INFO)[0], f'method {method:#x}')
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
            expect(None, agent.directed(route, GET, NODE_INFO, silent=True), f'route {route}')
        expect(0, agent.directed((1, 1), GET, NODE_INFO)[0], 'back to itself')
        expect(None, agent.by_lid(77, GET, NODE_INFO, silent=True), 'no such LID')
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
        acknowledge(agent)
        expect(0, agent.set_state(SWITCH, 2, DOWN), 'DOWN')
        expect([INIT, INIT], [agent.state(SWITCH, 2), agent.state(PEER)], 'the link is up again')
        expect(4, agent.get(SWITCH, SWITCH_INFO)[11] & 4, 'the switch notes it')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, phys=DISABLED))
        expect(DOWN, agent.state(SWITCH, 2), 'disabled')
        expect(None, agent.directed(PEER, GET, NODE_INFO, silent=True), 'nothing goes by a port that is down')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, phys=POLLING))
        expect([INIT, INIT], [agent.state(SWITCH, 2), agent.state(PEER)], 'enabled')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, width=(29, b'\x01'), phys=POLLING))
        expect(1, agent.get(PEER, PORT_INFO)[31], 'active width')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, width=(29, b'\xff'), phys=POLLING))
        expect(2, agent.get(PEER, PORT_INFO)[31], 'active width')


def acknowledge(agent):
    """Clears the bit by which the switch says that the state of a port has changed."""
    agent.set(SWITCH, SWITCH_INFO, 0, agent.get(SWITCH, SWITCH_INFO))
    expect(0, agent.get(SWITCH, SWITCH_INFO)[11] & 4, 'acknowledged')


def changes():
    """The answer to a Set shows the link as it is then. A state that was set is no news, what the link does is."""
    with Agent() as agent:
        def set_port(route, port, state=0, **more):
            data = bytearray(agent.port_info(route, port, **more))
            data[32] |= state
            answer = agent.set(route, PORT_INFO, port, bytes(data))
            return answer[32] & 15, answer[33] >> 4, bool(agent.get(SWITCH, SWITCH_INFO)[11] & 4)

        acknowledge(agent)
        expect((INIT, 5, True), set_port(SWITCH, 2, DOWN), 'the link is up again')
        # The ports have no width in common any more, which matters when the link comes up.
        for route, port, width in (SWITCH, 2, b'\x01'), (PEER, 1, b'\x02'):
            agent.set(route, PORT_INFO, port, agent.port_info(route, port, width=(29, width)))
        acknowledge(agent)
        expect((DOWN, 2, False), set_port(SWITCH, 2, DOWN), 'down, because it was set')
        expect((INIT, 5, True), set_port(SWITCH, 2, width=(29, b'\xff'), phys=POLLING), 'up')
        acknowledge(agent)
        expect((DOWN, 3, True), set_port(SWITCH, 2, phys=DISABLED), 'disabled')
        acknowledge(agent)
        expect((INIT, 5, True), set_port(SWITCH, 2, phys=POLLING), 'enabled')
        acknowledge(agent)
        expect(0, agent.directed(PEER, SET, PORT_INFO, 1, agent.port_info(PEER, 1, width=(29, b'\xff')))[0], 'width')
        expect(INIT, agent.set(PEER, PORT_INFO, 1, with_state(agent, PEER, 1, DOWN))[32] & 15, 'set at the peer')
        expect(4, agent.get(SWITCH, SWITCH_INFO)[11] & 4, 'news for the switch')


def with_state(agent, route, port, state):
    data = bytearray(agent.port_info(route, port))
    data[32] |= state
    return bytes(data)


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
        expect(None, agent.directed(PEER, SET, PORT_INFO, 1, free, silent=True), 'level 0: Set without the key')
        # Only 0 changes a counter of violations.
        data[44:46] = b'\0\7'
        expect(0, protect(1, 0), 'level 1')
        expect(0, shown(), 'level 1: a wrong key reads 0')
        expect(key, shown(mkey=key), 'level 1: the right one reads the key')
        expect(0, protect(2, 0), 'level 2')
        expect(None, agent.directed(PEER, GET, PORT_INFO, silent=True), 'level 2: Get without the key')
        expect(None, agent.directed(PEER, GET, NODE_INFO, mkey=1, silent=True), 'level 2: Get with a wrong key')
        expect(b'\0\3', agent.get(PEER, PORT_INFO, mkey=key)[44:46], 'violations')
        data[44:46] = bytes(2)
        expect(0, protect(2, 1), 'level 2, a lease of a second')
        expect(b'\0\0', agent.get(PEER, PORT_INFO, mkey=key)[44:46], 'violations')
        expect(None, agent.directed(PEER, GET, PORT_INFO, silent=True), 'the lease begins')
        # Each try takes as long as an answer is awaited.
        expect(True, any(agent.directed(PEER, GET, NODE_INFO, silent=True) for _ in range(100)), 'the lease ends')
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
        expect(7, lid('sib0', 1), 'LID of the device')
        expect(0, agent.by_lid(7, GET, NODE_INFO)[0], 'by the own LID')


def addresses():
    """A LID has to be a unicast one that fits to the LMC. A port that has one keeps it, or gets another one."""
    with Agent() as agent:
        def assign(route, number, lmc=0):
            mod = 0 if route == SWITCH else 1
            data = bytearray(agent.port_info(route, mod, lid=(16, number.to_bytes(2, 'big'))))
            data[34] = lmc
            return agent.directed(route, SET, PORT_INFO, mod, bytes(data))[0]

        for route in PEER, SWITCH:
            expect((0, 0), (assign(route, 0), assign(route, 0x40)), 'none, and a first LID')
            for number in 0, 0xc000, 0xfffe, 0xffff:
                expect(BAD_VALUE, assign(route, number), f'LID {number:#x}')
        expect((0, BAD_VALUE), (assign(PEER, 0xbf80, 7), assign(PEER, 0xbfc0, 7)), 'LMC 7')
        expect(BAD_VALUE, assign(SWITCH, 0x40, 1), 'LMC of a switch')
        expect(0, assign(PEER, 3), 'another LID')


def guids():
    """A port takes datagrams for the GIDs of its table; an entry that was not set is none."""
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        agent.set(PEER, GUID_INFO, 0, struct.pack('>QQ', 0, 0x1234))
        prefix = gid('sib1', 1)[:8]
        for guid, known in (0x1234, True), (0x1235, False), (0, False):
            answer = counters.ask(3, 1, grh=1, gid=prefix + guid.to_bytes(8, 'big'), hop_limit=9, silent=not known)
            expect(known, answer is not None, f'an answer of {guid:#x}')


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
        expect(0, int.from_bytes(agent.get(PEER, PORT_INFO)[46:48], 'big'), 'violations at the peer')
        agent.set(PEER, PKEYS, 0, b'\x80\1')
        expect(None, counters.ask(3, 1, silent=True), 'a wrong P_Key')
        expect(1, int.from_bytes(agent.get(PEER, PORT_INFO)[46:48], 'big'), 'violations of the P_Key')
        agent.set(PEER, PKEYS, 0, b'\xff\xff')
        expect(0, agent.set_state(SWITCH, 2, DOWN), 'the link goes down')
        counters.dropped('discards', 2)


def partitions():
    """A switch lets a partition pass; limited members do not talk to each other; an agent answers with its own P_Key."""
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        agent.set(SELF, PKEYS, 0, b'\x7f\xff\xff\xff')
        agent.set(SWITCH, PKEYS, 2 << 16, b'\x7f\xff')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, enforce=(43, b'\x4c')))
        expect(0, counters.ask(3, 1, pkey_index=0)[0], 'a limited member asks a full one')
        expect(0, counters.ask(3, 1, pkey_index=1)[0], 'a full member asks a full one')
        agent.set(PEER, PKEYS, 0, b'\x7f\xff')
        expect(None, counters.ask(3, 1, pkey_index=0, silent=True), 'a limited member asks a limited one')
        expect(0, counters.ask(3, 1, pkey_index=1)[0], 'a full member asks a limited one')
        # The key of the answer, that of a limited member, does not match the first key of the table.
        expect(1, counters.header.pkey_index, 'index of the P_Key of the answer')
        agent.set(PEER, PKEYS, 0, b'\xff\xff')
        agent.set(SELF, PKEYS, 0, b'\xff\xff')
        agent.set(SWITCH, PKEYS, 2 << 16, b'\xff\xff')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, enforce=(43, b'\x40')))


def service():
    """The answer has the SL of the request, and comes from the LID that was asked."""
    with Agent() as agent, Counters() as counters:
        bring_up(agent)
        data = bytearray(agent.port_info(PEER, 1, lid=(16, b'\0\4')))
        data[34] = 2
        agent.set(PEER, PORT_INFO, 1, bytes(data))
        table(agent, 1, 0, 255, 2, 2, 2, 2)
        info = bytearray(agent.get(SWITCH, SWITCH_INFO))
        info[6:8] = b'\0\7'
        agent.set(SWITCH, SWITCH_INFO, 0, bytes(info))
        for number, sl in (4, 0), (6, 3), (7, 15):
            expect(0, counters.ask(number, 1, sl=sl)[0], f'LID {number}')
            expect((number, sl), (counters.header.lid, counters.header.sl), 'LID and SL of the answer')
            expect(0, agent.by_lid(number, GET, NODE_INFO)[0], f'SMP to LID {number}')
            expect(number, agent.header.lid, 'LID of the answer')
        data[34] = 0
        data[16:18] = b'\0\3'
        agent.set(PEER, PORT_INFO, 1, bytes(data))


CASES = {
    'attributes': attributes,
    'answers_only': answers_only,
    'refusals': refusals,
    'routes': routes,
    'settings': settings,
    'states': states,
    'changes': changes,
    'mkey': mkey,
    'own_node': own_node,
    'addresses': addresses,
    'guids': guids,
    'data_path': data_path,
    'partitions': partitions,
    'service': service,
}


# Milliseconds in which an answer comes, unless memory was short for it: less than ANSWER, because many are lost.
ANSWER_OR_LOST = ANSWER // 5


def once():
    """Sets tables that were not set before. Fails with a message if there was no memory."""
    busy, pattern = 0x01, bytes(range(64))
    try:
        with Agent(answer=ANSWER_OR_LOST) as agent:
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
    return run_cases(CASES)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
