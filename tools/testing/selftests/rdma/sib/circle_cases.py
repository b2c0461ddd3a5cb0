#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Forwarding tables that lead in a circle, which circles.sh has two switches have.

    ca1  port 1  ----  port 1  sw1  port 2  ----  port 1  sw2  port 3  ----  port 1  ca2
                                    port 3  ----  port 2
    LID 1                      LID 2                     LID 3                     LID 4
"""

import os
import struct
import sys

from agents import (ACTIVE, ARMED, LINEAR, MULTICAST, NODE_INFO, PORT_COUNTERS, PORT_INFO, SWITCH_INFO, Agent, Counters)
from ktap import expect, run_cases
from umad import GET, MAD, QKEY, Header, mad

CA1, SW1, SW2, CA2 = (), (1,), (1, 2), (1, 2, 3)
MGID = bytes.fromhex('ff125349ffff00000000000000000001')
MLID = 0xc000
LINKS_MAX = 64


def set_up(agent):
    """Assigns the LIDs, and makes all ports active."""
    for number, route in enumerate((CA1, SW1, SW2, CA2), 1):
        mod = 0 if route in (SW1, SW2) else 1
        agent.set(route, PORT_INFO, mod, agent.port_info(route, mod, lid=(16, bytes((0, number, 0, 1)))))
    for route in SW1, SW2:
        info = bytearray(agent.get(route, SWITCH_INFO))
        info[6:8] = b'\0\4'
        agent.set(route, SWITCH_INFO, 0, bytes(info))
    for state in ARMED, ACTIVE:
        for route, ports in (CA1, (1,)), (SW1, (1, 2, 3)), (SW2, (1, 2, 3)), (CA2, (1,)):
            for port in ports:
                if agent.state(route, port) != ACTIVE:
                    expect(0, agent.set_state(route, port, state), f'{route}, port {port} to {state}')


def tables(agent, last, masks):
    """Sets the port that sw2 has for LID 4, and the ports that the switches have for the group."""
    for route, ports in (SW1, (1, 0, 2, 2)), (SW2, (1, 1, 0, last)):
        agent.set(route, LINEAR, 0, bytes((255, *ports)).ljust(64, b'\xff'))
    for route, ports in zip((SW1, SW2), masks):
        agent.set(route, MULTICAST, 0, struct.pack('>H62x', sum(1 << port for port in ports)))


def counted(counters, function, *args, **more):
    """Returns what the second link between the switches and the ports around it have counted meanwhile.

    The packets that ask for the counters go by the first link.
    """
    places = {'sw1:3': (2, 3), 'sw2:2': (3, 2), 'sw2:1': (3, 1), 'sw2:3': (3, 3)}
    fields = {'relay': (12, 14), 'sent': (32, 36)}

    def read():
        return {(place, name): int.from_bytes(counters.ask(to, port, PORT_COUNTERS)[1][start:end], 'big')
                for place, (to, port) in places.items() for name, (start, end) in fields.items()
                if (place, name) != ('sw2:1', 'sent')}

    before = read()
    function(*args, **more)
    after = read()
    return {key: after[key] - before[key] for key in after if after[key] != before[key]}


def unicast():
    """A packet is lost after 64 links."""
    with Agent('ca1') as agent, Counters('ca1') as counters:
        set_up(agent)
        tables(agent, 2, ((1, 2), (1, 3)))
        want = {('sw2:2', 'sent'): LINKS_MAX // 2 - 1, ('sw2:1', 'relay'): 1}
        expect(want, counted(counters, counters.ask, 4, 1, silent=True), 'a request for counters')
        expect(want, counted(counters, agent.by_lid, 4, GET, NODE_INFO, silent=True), 'an SMP')
        tables(agent, 3, ((1, 2), (1, 3)))
        expect(0, counters.ask(4, 1)[0], 'without the circle')
        expect(0, agent.by_lid(4, GET, NODE_INFO)[0], 'without the circle')


def multicast():
    """No more copies are made than there are links."""
    with Agent('ca1') as agent, Counters('ca1') as counters:
        def send():
            header = Header(id=counters.agent, lid=MLID, qpn=0xffffff, qkey=QKEY, grh=1, gid=MGID, hop_limit=1)
            os.write(counters.port.fd, header.pack() + mad(0x09, 0x03, 1).ljust(MAD, b'\0'))

        set_up(agent)
        # Four copies: to sw1, by sw1's port 2, by sw2's port 2, and by sw1's port 1. The walk ends at sw1, where more would go.
        tables(agent, 3, ((1, 2, 3), (1, 2, 3)))
        expect({('sw2:2', 'sent'): 1, ('sw1:3', 'relay'): 1}, counted(counters, send), 'a circle')
        tables(agent, 3, ((1, 2), (1, 3)))
        expect({('sw2:3', 'sent'): 1}, counted(counters, send), 'a tree')
        tables(agent, 3, ((1, 2, 3), (1, 3)))
        # The copy by sw1's port 3 is the last one: at sw2 more would go to both other ports.
        want = {('sw2:3', 'sent'): 1, ('sw1:3', 'sent'): 1, ('sw2:2', 'relay'): 1}
        expect(want, counted(counters, send), 'a table that is wrong at one end only')


CASES = {'unicast': unicast, 'multicast': multicast}


if __name__ == '__main__':
    sys.exit(run_cases(CASES))
