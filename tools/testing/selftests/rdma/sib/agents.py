# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Management datagrams by which tests ask the agents of sib."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../umad'))

# pylint: disable=wrong-import-position
from ktap import expect
from umad import GET, GET_RESPONSE, MAD, PATIENCE, SET, SUBN, SUBN_DIRECTED, Port, fields, mad

PERMISSIVE = 0xffff
PERFORMANCE = 0x04
CLASS_PORT_INFO, PORT_COUNTERS, PORT_COUNTERS_EXT = 0x01, 0x12, 0x1d
BAD_VERSION, BAD_METHOD, BAD_ATTRIBUTE, BAD_VALUE = 0x04, 0x08, 0x0c, 0x1c
NODE_DESC, NODE_INFO, SWITCH_INFO, GUID_INFO, PORT_INFO, PKEYS, SL_TO_VL, VL_ARB, LINEAR, RANDOM, MULTICAST, LED = (
    0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x31)
DOWN, INIT, ARMED, ACTIVE = 1, 2, 3, 4
SELF, SWITCH, PEER = (), (1,), (1, 2)
DISABLED, POLLING = (33, b'\x32'), (33, b'\x22')
ANSWER = 900 * PATIENCE # milliseconds in which an answer comes, however busy the machine is
SILENCE = 300           # milliseconds after which no answer comes that nobody sends


class Asker:
    """Asks agents by QP 0 or 1 of a port, and waits so many milliseconds for an answer."""

    def __init__(self, device, qpn, answer=ANSWER):
        self.port = Port(device)
        self.answer = answer
        self.qpn = qpn
        self.agent = self.port.register(qpn=qpn)
        self.tid = 0
        self.header = None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.port.close()

    def reply(self, to, request, silent, **more):
        """Sends a MAD; returns the one that comes back, None if there is none, as expected if silent."""
        expect(MAD, len(request), 'length')
        self.port.send(self.agent, to, request, timeout=SILENCE if silent else self.answer, qpn=self.qpn, **more)
        self.header, answer = self.port.read()
        return None if self.header.status else answer


class Agent(Asker):
    """Asks agents for subnet management."""

    def __init__(self, device='sib0', answer=ANSWER):
        super().__init__(device, 0, answer)

    def directed(self, route, method, attr, mod=0, data=b'', mkey=0, slid=PERMISSIVE, dlid=PERMISSIVE, to=PERMISSIVE,
                 silent=False, **more):
        """Sends an SMP by a route; returns status and data of the answer, None if there is none, as expected if silent."""
        self.tid += 1
        smp = mad(SUBN_DIRECTED, method, self.tid, attr, mod, specific=len(route), **more)
        smp += struct.pack('>QHH28x', mkey, slid, dlid) + data.ljust(64, b'\0')
        smp += bytes((0, *route)).ljust(64, b'\0') + bytes(64)
        return self.exchange(to, smp, 0x8000, silent)

    def by_lid(self, to, method, attr, mod=0, data=b'', mkey=0, silent=False, **more):
        self.tid += 1
        smp = mad(SUBN, method, self.tid, attr, mod, **more) + struct.pack('>Q32x', mkey) + data.ljust(64, b'\0')
        return self.exchange(to, smp.ljust(MAD, b'\0'), 0, silent)

    def exchange(self, to, smp, direction, silent):
        answer = self.reply(to, smp, silent)
        if answer is None:
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


class Counters(Asker):
    """Asks agents for performance management."""

    def __init__(self, device='sib0'):
        super().__init__(device, 1)

    def ask(self, to, select, attr=PORT_COUNTERS, method=GET, data=b'', version=1, silent=False, **more):
        """Returns status and data of the answer, None if there is none, as expected if silent."""
        self.tid += 1
        request = mad(PERFORMANCE, method, self.tid, attr, version=version) + bytes(40) + bytes((0, select)) + data
        answer = self.reply(to, request.ljust(MAD, b'\0'), silent, **more)
        if answer is None:
            return None
        expect(GET_RESPONSE, fields(answer)[1], 'method')
        return fields(answer)[2], answer[64:]

    def read(self, to, select):
        """Returns the counters of a port that drops packets."""
        status, data = self.ask(to, select)
        expect(0, status, 'status')
        names = {'errors': (8, 10), 'relay': (12, 14), 'discards': (14, 16), 'xmit': (16, 17), 'rcv': (17, 18)}
        return {name: int.from_bytes(data[start:end], 'big') for name, (start, end) in names.items()}

    def dropped(self, name, select, **more):
        """An own request to LID 3 is dropped, and counted by a port of the switch."""
        before = self.read(2, select)
        expect(None, self.ask(3, 1, silent=True, **more), f'{name}: answer')
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


def quieten(agent):
    """Lets no node know an SM, so that none sends a trap, which would be counted."""
    for route in SELF, SWITCH, PEER:
        mod = 0 if route == SWITCH else 1
        agent.set(route, PORT_INFO, mod, agent.port_info(route, mod, sm=(18, b'\0\0')))


def table(agent, *ports):
    """Sets the ports of the LIDs from 1 on."""
    agent.set(SWITCH, LINEAR, 0, bytes((255, *ports)).ljust(64, b'\xff'))


def main(*args):
    """Makes the ports of sib0, the switch and sib1 active; with "quiet", no node sends traps."""
    with Agent() as agent:
        bring_up(agent)
        if args == ('quiet',):
            quieten(agent)


if __name__ == '__main__':
    main(*sys.argv[1:])
