#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Multicast of sib: what a switch does with a packet for a group, and joins by the subnet administrator (SA).

    sib0  port 1  ------  port 1  switch  port 2  ------  port 1  sib1
                                          port 3  ------  port 1  sib2

    mcast_cases.py                  KTAP of the cases, on a fabric without a subnet manager
    mcast_cases.py join NAME        joins port 1 of a CA to the group; prints the group's LID
    mcast_cases.py leave NAME       ends the membership
    mcast_cases.py ports MLID       prints the ports that the switch's table has for a LID
"""

import os
import struct
import sys

from agents import (ACTIVE, ANSWER, ARMED, DOWN, MULTICAST, PKEYS, PORT_INFO, SL_TO_VL, SWITCH, SWITCH_INFO, Agent, Counters,
                    bring_up)
from ktap import expect, run_cases
from umad import GET_RESPONSE, MAD, QKEY, SET, SUBN_ADM, Header, Port, fields, gid, mad, read

MGID = bytes.fromhex('ff125349ffff00000000000000000001')
MLID = 0xc001
GROUP_QPN = 0xffffff
DELETE, MEMBER_RECORD = 0x15, 0x38
# MGID, PortGID, Q_Key, TClass, P_Key, SL, FlowLabel, JoinState
CREATE_MASK, LEAVE_MASK = 0x130c7, 0x10003
THIRD = (1, 3)


def send_to_group(counters, to=MLID):
    """Sends a datagram of 256 bytes from QP 1 of sib0 to the group."""
    header = Header(id=counters.agent, lid=to, qpn=GROUP_QPN, qkey=QKEY, grh=1, gid=MGID, hop_limit=1)
    # A second one of the same transaction would be refused while the first has not been sent.
    counters.tid += 1
    request = mad(0x09, 0x03, counters.tid).ljust(MAD, b'\0')
    expect(64 + MAD, os.write(counters.port.fd, header.pack() + request), 'length written')


def send_to_groups(counters, lids):
    for to in lids:
        send_to_group(counters, to)


def copies(counters, function, *args):
    """Returns what the switch's ports 1 to 3 and port 4, which has no link, have counted meanwhile, if anything.

    The packets that ask for the counters come by port 1, and go back there.
    """
    names = {'relay': (12, 14), 'discards': (14, 16), 'constraint': (16, 17), 'sent': (32, 36)}

    def counted():
        return {(port, name): int.from_bytes(counters.ask(2, port)[1][start:end], 'big')
                for port in (1, 2, 3, 4) for name, (start, end) in names.items() if (port, name) != (1, 'sent')}

    before = counted()
    function(*args)
    after = counted()
    return {key: after[key] - before[key] for key in after if after[key] != before[key]}


def lost(name):
    """Returns the number of datagrams to groups that no QP of a CA is in."""
    path = f'/sys/class/infiniband/{name}/ports/1/hw_counters/'
    with open(path + 'lifespan', 'w', encoding='ascii') as file:
        file.write('0')
    return int(read(path + 'rx_no_group'))


def set_mask(agent, *ports, index=1):
    """Sets the ports of LID 0xc000 + index at the switch."""
    data = bytearray(64)
    struct.pack_into('>H', data, 2 * index, sum(1 << port for port in ports))
    agent.set(SWITCH, MULTICAST, 0, bytes(data))


def set_switch(agent, primary=255, other=255, top=0):
    info = bytearray(agent.get(SWITCH, SWITCH_INFO))
    info[9:11] = bytes((primary, other))
    info[18:20] = top.to_bytes(2, 'big')
    agent.set(SWITCH, SWITCH_INFO, 0, bytes(info))


def bring_up_three(agent):
    """Makes the ports of all three CAs active."""
    bring_up(agent)
    agent.set(THIRD, PORT_INFO, 1, agent.port_info(THIRD, 1, lid=(16, b'\0\4\0\1')))
    expect(0, agent.set_state(SWITCH, 3, DOWN), 'port 3 begins anew')
    for state in ARMED, ACTIVE:
        for route, port in (SWITCH, 3), (THIRD, 1):
            expect(0, agent.set_state(route, port, state), f'{route} to {state}')


def forwarding():
    """A copy by each port of the table but the one that the packet came by."""
    with Agent() as agent, Counters() as counters:
        bring_up_three(agent)
        for ports, want in (((1, 2, 3), {(2, 'sent'): 1, (3, 'sent'): 1}), ((2, 3), {(2, 'sent'): 1, (3, 'sent'): 1}),
                            ((1, 3), {(3, 'sent'): 1}), ((1,), {}), ((), {(1, 'relay'): 1}),
                            ((2, 4), {(2, 'sent'): 1, (4, 'discards'): 1})):
            set_mask(agent, *ports)
            before = [lost(name) for name in ('sib0', 'sib1', 'sib2')]
            expect(want, copies(counters, send_to_group, counters), f'ports {ports}')
            # No QP is in the group, which each port says that has got a copy; but not the sender's.
            want = [0, int(2 in ports), int(3 in ports)]
            expect(want, [lost(name) - old for name, old in zip(('sib0', 'sib1', 'sib2'), before)], f'members at {ports}')
        set_mask(agent, 1, 2, 3)
        expect({(1, 'relay'): 1}, copies(counters, send_to_group, counters, MLID + 1), 'another LID of the table')
        expect({(1, 'relay'): 1}, copies(counters, send_to_group, counters, 0xfffe), 'a LID beyond the table')


def beyond_block():
    """A LID behind the last block that was set has no port, and needs no table."""
    with Agent() as agent, Counters() as counters:
        bring_up_three(agent)
        set_mask(agent, 2, index=31)
        expect({(2, 'sent'): 1}, copies(counters, send_to_group, counters, 0xc000 + 31), 'the last LID of the block')
        behind = *range(0xc020, 0xc060), 0xc3ff
        expect({(1, 'relay'): len(behind)}, copies(counters, send_to_groups, counters, behind), 'LIDs behind the block')


def checks():
    """Each copy is checked for itself."""
    with Agent() as agent, Counters() as counters:
        bring_up_three(agent)
        set_mask(agent, 1, 2, 3)
        agent.set(SWITCH, PKEYS, 2 << 16, b'\x80\1')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, enforce=(43, b'\x44')))
        expect({(2, 'constraint'): 1, (3, 'sent'): 1}, copies(counters, send_to_group, counters), 'P_Key at port 2')
        agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, enforce=(43, b'\x40')))
        agent.set(SWITCH, SL_TO_VL, 1 << 8 | 3, b'\xf0'.ljust(8, b'\0'))
        expect({(2, 'sent'): 1, (3, 'discards'): 1}, copies(counters, send_to_group, counters), 'no VL at port 3')
        agent.set(SWITCH, SL_TO_VL, 1 << 8 | 3, bytes(8))
        expect(0, agent.set_state(SWITCH, 3, DOWN), 'port 3 is not active')
        expect({(2, 'sent'): 1, (3, 'discards'): 1}, copies(counters, send_to_group, counters), 'state of port 3')


def defaults():
    """LIDs beyond the table, or its top, go by the default ports."""
    with Agent() as agent, Counters() as counters:
        bring_up_three(agent)
        set_mask(agent, 1, 2, 3)
        for primary, other, top, to, want in (
                (2, 255, 0, 0xc400, {(2, 'sent'): 1}), (3, 2, 0, 0xfffe, {(3, 'sent'): 1}), (1, 3, 0, 0xc400, {(3, 'sent'): 1}),
                (1, 255, 0, 0xc400, {(1, 'relay'): 1}), (2, 255, 0xc000, MLID, {(2, 'sent'): 1}),
                (2, 255, 0xbfff, MLID, {(2, 'sent'): 1}), (255, 255, 0xbfff, MLID, {(1, 'relay'): 1}),
                (2, 255, MLID, MLID, {(2, 'sent'): 1, (3, 'sent'): 1})):
            set_switch(agent, primary, other, top)
            expect(want, copies(counters, send_to_group, counters, to), f'LID {to:#x}: {primary}, {other}, top {top:#x}')
        set_switch(agent)


CASES = {'beyond_block': beyond_block, 'forwarding': forwarding, 'checks': checks, 'defaults': defaults}


def ask_sa(name, method, mask, record):
    """Sends a MCMemberRecord of a port to the SA; returns the record that the SA answers with."""
    with Port(name) as port:
        agent = port.register(mgmt_class=SUBN_ADM, version=2)
        request = mad(SUBN_ADM, method, 1, MEMBER_RECORD, version=2) + bytes(12) + struct.pack('>QHHQ', 0, 0, 0, mask) + record
        manager = int(read(f'/sys/class/infiniband/{name}/ports/1/sm_lid'), 0)
        port.send(agent, manager, request.ljust(MAD, b'\0'), timeout=ANSWER)
        header, answer = port.read()
        expect(0, header.status, 'status of the send')
        expect((method | 0x80 if method == DELETE else GET_RESPONSE, 0), (fields(answer)[1], fields(answer)[2]), 'answer of the SA')
        return answer[56:108]


def record_of(name):
    """Full member of the group, with the default P_Key, SL 0 and a Q_Key."""
    return MGID + gid(name, 1) + struct.pack('>IHBBHBBIB', 0x4321, 0, 0, 0, 0xffff, 0, 0, 0, 1)


def ports_of(to):
    """Returns the ports that the switch's table has for a LID."""
    block, index = divmod(to - 0xc000, 32)
    with Agent() as agent:
        masks = (int.from_bytes(agent.get(SWITCH, MULTICAST, position << 28 | block)[2 * index:2 * index + 2], 'big') <<
                 16 * position for position in range(3))
        mask = sum(masks)
    return [port for port in range(48) if mask >> port & 1]


def main(*args):
    if args[:1] == ('join',):
        print(f'{int.from_bytes(ask_sa(args[1], SET, CREATE_MASK, record_of(args[1]))[36:38], "big"):#x}')
        return 0
    if args[:1] == ('leave',):
        ask_sa(args[1], DELETE, LEAVE_MASK, record_of(args[1]))
        return 0
    if args[:1] == ('ports',):
        print(*ports_of(int(args[1], 0)))
        return 0
    return run_cases(CASES)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
