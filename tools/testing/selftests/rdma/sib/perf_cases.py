#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Datagrams by which perf.sh asks the agents for performance management of sib, and what these answer.

    sib0  port 1  ------  port 1  switch  port 2  ------  port 1  sib1

The LIDs are 1, 2 and 3 from left to right. No other port of the switch has a link, so that only a Set changes its counters.
"""

import struct
import sys
import threading
import time

from agents import (BAD_ATTRIBUTE, BAD_METHOD, BAD_VALUE, BAD_VERSION, CLASS_PORT_INFO, NODE_INFO, PERFORMANCE,
                    PORT_COUNTERS, PORT_COUNTERS_EXT, Agent, Counters, bring_up, quieten, table)
from ktap import expect, run_cases
from umad import GET, MAD, PATIENCE, RESPONSE, SET, fields, mad

SIB0, SWITCH, SIB1 = 1, 2, 3            # LIDs
IDLE, ALL = 36, 255                     # a port of the switch without a link; all ports
CONTROL, RESULT, RESULT_EXT = 0x10, 0x11, 0x1e
EVERY_MECHANISM = 0xffffffff
DATA = 192                              # bytes of an attribute
WORDS = (8 + 12 + 8 + MAD + 4) // 4     # LRH, BTH, DETH, MAD, ICRC
TICK = 1.024e-6                         # seconds
DONE, STARTED, UNDERWAY = 0, 1, 2

# Members of PortCounters: bit in CounterSelect, with CounterSelect2 after it; offset; length in bytes.
MEMBERS = {
    'downed': (2, 7, 1), 'errors': (3, 8, 2), 'relay': (5, 12, 2), 'discards': (6, 14, 2), 'xmit_constraint': (7, 16, 1),
    'rcv_constraint': (8, 17, 1), 'vl15': (11, 22, 2), 'xmit_data': (12, 24, 4), 'rcv_data': (13, 28, 4), 'xmit': (14, 32, 4),
    'rcv': (15, 36, 4), 'wait': (16, 40, 4)}
STILL = 'symbol', 'recovery', 'remote', 'overrun'
ALWAYS_0 = {'symbol': (0, 4, 2), 'recovery': (1, 6, 1), 'remote': (4, 10, 2), 'overrun': (9, 19, 1)}
LAYOUT = {**MEMBERS, **ALWAYS_0}
SEND = 0x03             # a method that is not answered
EXT_NAMES = 'xmit_data', 'rcv_data', 'xmit', 'rcv', 'xmit_unicast', 'rcv_unicast', 'xmit_multicast', 'rcv_multicast'


def number(data, start, length):
    return int.from_bytes(data[start:start + length], 'big')


def largest(length):
    return (1 << 8 * length) - 1


class Manager(Counters):
    """Asks for any attribute, with any header."""

    def exchange(self, to, attr, method=GET, data=b'', mod=0, silent=False, **more):
        """Returns method, status and data of the answer; None if there is none, as expected if silent."""
        self.tid += 1
        request = mad(PERFORMANCE, method, self.tid, attr, mod, **more) + bytes(range(40)) + data.ljust(DATA, b'\0')
        answer = self.reply(to, request, silent)
        if answer is None:
            return None
        mgmt_class, method, status, tid, attr_id, attr_mod = fields(answer)
        expect((PERFORMANCE, self.tid, attr, mod), (mgmt_class, tid & 0xffffffff, attr_id, attr_mod), 'class, transaction, '
               'attribute, modifier')
        expect(bytes(40), answer[24:64], 'reserved bytes')
        return method, status, answer[64:]

    def refused(self, status, to, attr, method=GET, data=b'', mod=0, **more):
        """Expects a status, and that the attribute comes back as it was sent."""
        data = data.ljust(DATA, b'\x5a')
        what = f'attribute {attr:#x}, modifier {mod:#x}, data {data[:8].hex()}'
        expect((RESPONSE | GET, status, data), self.exchange(to, attr, method, data, mod, **more), what)

    def data(self, to, attr, method=GET, data=b'', mod=0):
        """Returns the data of an answer without an error."""
        seen, status, answer = self.exchange(to, attr, method, data, mod)
        expect((RESPONSE | GET, 0), (seen, status), f'method and status of {attr:#x}')
        return answer

    def counters(self, to, select):
        return self.decode(self.data(to, PORT_COUNTERS, data=bytes((0, select))), select)

    def decode(self, data, select):
        expect(bytes((0, select, 0, 0)), data[:4], 'port, selection')
        expect((0, bytes(2), bytes(DATA - 44)), (data[18], data[20:22], data[44:]), 'reserved members')
        return {name: number(data, start, length) for name, (_, start, length) in LAYOUT.items()}

    def set_counters(self, to, select, **values):
        """Sets members; returns what the answer has."""
        data = bytearray(DATA)
        bits = 0
        for name, value in values.items():
            bit, start, length = LAYOUT[name]
            bits |= 1 << bit
            data[start:start + length] = value.to_bytes(length, 'big')
        bits |= 0x600 if 'overrun' in values else 0
        data[1:4] = bytes((select, bits >> 8 & 0xff, bits & 0xff))
        data[18] = bits >> 16
        return self.decode(self.data(to, PORT_COUNTERS, SET, bytes(data)), select)

    def extended(self, to, select):
        return self.decode_ext(self.data(to, PORT_COUNTERS_EXT, data=bytes((0, select))), select)

    def decode_ext(self, data, select):
        expect(bytes((0, select)) + bytes(6), data[:8], 'port, selection')
        expect(bytes(DATA - 72), data[72:], 'reserved members')
        return dict(zip(EXT_NAMES, struct.unpack('>8Q', data[8:72])))

    def set_ext(self, to, select, **values):
        bits = sum(1 << EXT_NAMES.index(name) for name in values)
        data = struct.pack('>BBHI8Q', 0, select, bits, 0, *(values.get(name, 0x77) for name in EXT_NAMES))
        return self.decode_ext(self.data(to, PORT_COUNTERS_EXT, SET, data), select)

    def ping(self, count, to=SIB1):
        """Sends requests, whose answers are received."""
        for _ in range(count):
            self.data(to, CLASS_PORT_INFO)


def control(port, tag, start=0, interval=0, select=(), opcode=0):
    """Returns PortSamplesControl as a requester sets it: the members that are read-only are wrong."""
    return struct.pack('>BBBBIHBBQQIIH15H', opcode, port, 1, 7, 0xffffffff, 0xffff, 0xff, 3, 1, 2, start, interval, tag,
                       *(list(select) + [0] * 15)[:15])


def ticks(seconds):
    return round(seconds / TICK)


class Samples:
    """PortSamplesControl or a result, decoded."""

    def __init__(self, data, attr=CONTROL):
        if attr == CONTROL:
            (self.opcode, self.port, tick, width, mask, mask2, mechanisms, self.status, options, vendor, self.start, self.interval,
             self.tag, *select) = struct.unpack('>BBBBIHBBQQIIH15H', data[:68])
            expect((255, 4, 0o1111111111, 0o11111, 0, 0, 0), (tick, width, mask, mask2, mechanisms, options, vendor), 'abilities')
            expect(bytes(DATA - 68), data[68:], 'reserved members')
            self.select = select
        elif attr == RESULT:
            self.tag, self.status, *self.values = struct.unpack('>HH15I', data[:64])
            expect(bytes(DATA - 64), data[64:], 'reserved members')
        else:
            self.tag, self.status, width, *self.values = struct.unpack('>HHI15Q', data[:128])
            expect(2 << 30, width, 'width')
            expect(bytes(DATA - 128), data[128:], 'reserved members')


def class_port_info():
    """ClassPortInfo says what there is, and redirects nobody."""
    with Agent() as agent, Manager() as manager:
        bring_up(agent)
        for to in SIB0, SWITCH, SIB1:
            info = manager.data(to, CLASS_PORT_INFO, data=b'\xff' * DATA)
            expect((1, 1, 0x1300, 8), struct.unpack('>BBHI', info[:8]), 'versions, AllPortSelect, 64 bits, XmitWait; a millisecond')
            expect(bytes(DATA - 8), info[8:], 'redirection, traps')


def refusals():
    """What the agent does not have is answered with a status, and changes nothing."""
    clear = b'\0\x24\xff\xff'.ljust(18, b'\0') + b'\1'
    with Manager() as manager:
        manager.set_counters(SWITCH, IDLE, errors=77)
        manager.set_ext(SWITCH, IDLE, xmit=88)
        for attr in 0, 0x02, 0x13, 0x15, 0x16, 0x17, 0x1c, 0x1f, 0x36, 0xff00, 0xffff:
            for method in GET, SET:
                manager.refused(BAD_ATTRIBUTE, SIB1, attr, method)
        for attr in CLASS_PORT_INFO, RESULT, RESULT_EXT:
            manager.refused(BAD_ATTRIBUTE, SIB1, attr, SET)
        for attr in CLASS_PORT_INFO, CONTROL, RESULT, PORT_COUNTERS, PORT_COUNTERS_EXT, RESULT_EXT:
            manager.refused(BAD_VALUE, SWITCH, attr, data=clear, mod=1)
            manager.refused(BAD_VALUE, SWITCH, attr, data=clear, mod=0x80000000)
            for method in GET, SET:
                manager.refused(BAD_VERSION, SWITCH, attr, method, data=clear, version=2)
        for attr in CLASS_PORT_INFO, PORT_COUNTERS, PORT_COUNTERS_EXT:
            manager.refused(BAD_VALUE, SWITCH, attr, data=clear, mod=EVERY_MECHANISM)
        for attr in PORT_COUNTERS, PORT_COUNTERS_EXT:
            for method in GET, SET:
                for to, select in (SIB1, 0), (SIB1, 2), (SIB1, 254), (SWITCH, 37), (SWITCH, 254):
                    manager.refused(BAD_VALUE, to, attr, method, bytes((0, select)) + clear[2:])
        for port, select in (37, 1), (254, 1), (1, 6), (1, 0x4000), (1, 0xffff):
            manager.refused(BAD_VALUE, SWITCH, CONTROL, SET, control(port, 5, select=[0] * 14 + [select]))
        manager.refused(BAD_VALUE, SIB1, CONTROL, SET, control(0, 5))
        expect((DONE, 0), (lambda c: (c.status, c.tag))(Samples(manager.data(SWITCH, CONTROL))), 'no samples were started')
        expect(77, manager.counters(SWITCH, IDLE)['errors'], 'a counter')
        expect(88, manager.extended(SWITCH, IDLE)['xmit'], 'a counter')


def methods():
    """Another method of a request is refused, and what is no request is not answered."""
    with Manager() as manager:
        for method in 0x00, 0x04, 0x08, 0x12, 0x14, 0x15, 0x7f:
            seen, status, _ = manager.exchange(SIB1, PORT_COUNTERS, method, b'\0\1')
            expect((method | RESPONSE, BAD_METHOD), (seen, status), f'method {method:#x}')
        for method in 0x03, 0x05, 0x06:
            expect(None, manager.exchange(SIB1, PORT_COUNTERS, method, b'\0\1', silent=True), f'method {method:#x}')


def links():
    """A link that goes down is counted at both ends, and an SMP for a port without a link there."""
    ports = (SIB0, 1), (SWITCH, 1), (SWITCH, 2), (SIB1, 1)
    with Agent() as agent, Manager() as manager:
        def read(name):
            return [manager.counters(*port)[name] for port in ports]

        before = read('downed')
        bring_up(agent)
        quieten(agent)
        expect([count + 1 for count in before], read('downed'), 'the links went down once')
        before = manager.counters(SWITCH, IDLE)['vl15']
        expect(None, agent.directed((1, IDLE), GET, NODE_INFO, silent=True), 'an SMP for a port without a link')
        expect(before + 1, manager.counters(SWITCH, IDLE)['vl15'], 'VL15Dropped')


def packets():
    """Each port on the way counts each request and each answer, and their words."""
    with Manager() as manager:
        ports = (SIB0, 1), (SWITCH, 1), (SWITCH, 2), (SIB1, 1)

        def read():
            seen = [manager.counters(*port) for port in ports]
            return [[counters[name] for name in ('xmit', 'rcv', 'xmit_data', 'rcv_data')] for counters in seen]

        before = read()
        manager.ping(100)
        after = read()
        # Between the two readings of a port, the questions to the other ports go by it, or some of them.
        own = {(SIB0, 1): 3, (SWITCH, 1): 3, (SWITCH, 2): 1, (SIB1, 1): 1}
        for port, old, new in zip(ports, before, after):
            count = 100 + own[port]
            expect([count, count, count * WORDS, count * WORDS], [new[i] - old[i] for i in range(4)], f'port {port}')
        still = dict.fromkeys(STILL, 0)
        expect(still, {name: manager.counters(SIB1, 1)[name] for name in STILL}, 'what cannot happen')


def settings():
    """A Set changes the members that it selects, and only these."""
    with Manager() as manager:
        manager.set_counters(SWITCH, IDLE, **dict.fromkeys(MEMBERS, 0))
        want = dict.fromkeys(LAYOUT, 0)
        expect(want, manager.counters(SWITCH, IDLE), 'cleared')
        for i, (name, (_, _, length)) in enumerate(MEMBERS.items()):
            for value in largest(length), 0xa0 + i:
                want[name] = value
                expect(want, manager.set_counters(SWITCH, IDLE, **{name: value}), f'answer to a Set of {name}')
                expect(want, manager.counters(SWITCH, IDLE), f'after a Set of {name}')
        expect(want, manager.set_counters(SWITCH, IDLE), 'nothing is selected')
        for name in STILL:
            manager.set_counters(SWITCH, IDLE, **{name: largest(LAYOUT[name][2])})
        expect(want, manager.counters(SWITCH, IDLE), 'what cannot happen')
        want = {name: 0xe0 + i for i, name in enumerate(EXT_NAMES)}
        expect(want, manager.set_ext(SWITCH, IDLE, **want), 'all that are extended')
        for name in EXT_NAMES:
            for value in largest(8), 0x123456789abcdef0, 0:
                want[name] = value
                expect(want, manager.set_ext(SWITCH, IDLE, **{name: value}), f'answer to a Set of {name}')
                expect(want, manager.extended(SWITCH, IDLE), f'after a Set of {name}')
        expect(0xa0 + list(MEMBERS).index('xmit'), manager.counters(SWITCH, IDLE)['xmit'], 'the short one is another')


def apart():
    """PortCounters and PortCountersExtended are cleared apart, and go on from where they were set."""
    with Manager() as manager:
        manager.set_counters(SIB1, 1, rcv=1000)
        manager.set_ext(SIB1, 1, rcv=1 << 40, rcv_unicast=5)
        manager.ping(10)
        expect(1012, manager.counters(SIB1, 1)['rcv'], 'packets, with those of two requests')
        ext = manager.extended(SIB1, 1)
        expect(((1 << 40) + 12, 17, 0), tuple(ext[name] for name in ('rcv', 'rcv_unicast', 'rcv_multicast')), 'extended')
        manager.set_counters(SIB1, 1, rcv=0)
        expect((1 << 40) + 14, manager.extended(SIB1, 1)['rcv'], 'the extended one goes on')


def saturation():
    """Counters stop at their maximum."""
    with Agent() as agent, Manager() as manager:
        manager.set_counters(SIB1, 1, xmit=0xfffffffd, rcv_data=0xffffff00)
        manager.set_ext(SIB1, 1, xmit=largest(8) - 2, xmit_data=largest(8) - 2 * WORDS)
        manager.ping(3)
        seen, ext = manager.counters(SIB1, 1), manager.extended(SIB1, 1)
        expect((largest(4), largest(4)), (seen['xmit'], seen['rcv_data']), '32 bits')
        expect((largest(8), largest(8)), (ext['xmit'], ext['xmit_data']), '64 bits')
        manager.ping(1)
        expect((largest(4), largest(8)), (manager.counters(SIB1, 1)['xmit'], manager.extended(SIB1, 1)['xmit']), 'they stay')
        manager.set_counters(SWITCH, IDLE, discards=0xfffe)
        table(agent, 1, 0, IDLE)
        for _ in range(3):
            expect(None, manager.exchange(SIB1, CLASS_PORT_INFO, silent=True), 'a packet for a port without a link')
        table(agent, 1, 0, 2)
        expect(largest(2), manager.counters(SWITCH, IDLE)['discards'], '16 bits')


def multicast():
    """Multicast packets are counted apart, and among all."""
    names = 'xmit', 'xmit_unicast', 'xmit_multicast', 'rcv', 'rcv_unicast', 'rcv_multicast'
    with Manager() as manager:
        manager.set_ext(SWITCH, 1, **dict.fromkeys(names, 0))
        for _ in range(5):
            manager.tid += 1
            manager.port.send(manager.agent, 0xc000, mad(PERFORMANCE, SEND, manager.tid, PORT_COUNTERS).ljust(MAD, b'\0'))
        seen = manager.extended(SWITCH, 1)
        # The answer to the Set, and the question after it.
        expect((1, 1, 0, 6, 1, 5), tuple(seen[name] for name in names), names)


def all_ports():
    """Port 255 stands for all ports: a Get adds them up, a Set sets each."""
    idle = range(3, 37)
    with Manager() as manager:
        for port in range(37):
            manager.set_counters(SWITCH, port, errors=port, downed=port)
            manager.set_ext(SWITCH, port, xmit_multicast=port << 32)
        seen = manager.counters(SWITCH, ALL)
        expect((sum(range(37)), 255), (seen['errors'], seen['downed']), 'sums')
        expect(sum(range(37)) << 32, manager.extended(SWITCH, ALL)['xmit_multicast'], 'sum')
        seen = manager.set_counters(SWITCH, ALL, errors=3, xmit=0)
        expect(37 * 3, seen['errors'], 'sum in the answer to a Set')
        for port in idle:
            seen = manager.counters(SWITCH, port)
            expect((3, port, 0), (seen['errors'], seen['downed'], seen['xmit']), f'port {port}')
        manager.set_ext(SWITCH, ALL, xmit_multicast=largest(8) - 1)
        expect([largest(8) - 1] * len(idle), [manager.extended(SWITCH, port)['xmit_multicast'] for port in idle], 'each port')
        expect(largest(8), manager.extended(SWITCH, ALL)['xmit_multicast'], 'a sum that stays at its maximum')
        manager.set_counters(SWITCH, ALL, errors=0, downed=0)
        manager.set_ext(SWITCH, ALL, xmit_multicast=0)
        manager.set_counters(SIB1, ALL, errors=9)
        expect((9, 9), (manager.counters(SIB1, ALL)['errors'], manager.counters(SIB1, 1)['errors']), 'a CA with one port')
        manager.set_counters(SIB1, 1, errors=0)


def at_once():
    """Of a Set, a Get at the same time sees all or nothing."""
    names = list(MEMBERS)
    rounds = 300
    failures = []

    def sets(step):
        try:
            with Manager() as manager:
                for i in range(rounds):
                    seen = manager.set_counters(SWITCH, IDLE, **dict.fromkeys(names, (i + step) % 256))
                    expect(1, len({seen[name] for name in names}), 'different values in an answer')
        except Exception as error:  # reported below
            failures.append(error)

    with Manager() as manager:
        manager.set_counters(SWITCH, IDLE, **dict.fromkeys(names, 0))
        setters = [threading.Thread(target=sets, args=(step,)) for step in (0, 128)]
        for setter in setters:
            setter.start()
        values = set()
        while any(setter.is_alive() for setter in setters):
            seen = manager.counters(SWITCH, IDLE)
            if len({seen[name] for name in names}) != 1:
                failures.append(seen)
            values.add(seen['errors'])
        expect([], failures, 'torn values')
        expect(True, len(values) > 1, 'values that were seen')


def wait_status(manager, status, attr=RESULT):
    """Waits for a status of the samples of the switch; returns the result."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        seen = Samples(manager.data(SWITCH, attr), attr)
        if seen.status == status:
            return seen
    raise AssertionError(f'the status does not become {status}')


def samples():
    """Samples count from the begin of their interval to its end, for the one who has started them."""
    start, interval = PATIENCE / 10, 2 * PATIENCE / 10
    select = 1, 2, 3, 4, 5, 0, 3
    with Manager() as manager:
        first = Samples(manager.data(SWITCH, CONTROL))
        expect((DONE, 0, [0] * 15), (first.status, first.tag, first.select), 'before the first samples')
        expect((DONE, [0] * 15), (lambda r: (r.status, r.values))(Samples(manager.data(SWITCH, RESULT), RESULT)), 'no result')
        began = time.monotonic()
        wanted = control(2, 0x1234, ticks(start), ticks(interval), select, 7)
        mine = Samples(manager.data(SWITCH, CONTROL, SET, wanted))
        expect((STARTED, 7, 2, 0x1234), (mine.status, mine.opcode, mine.port, mine.tag), 'started')
        expect((ticks(start), ticks(interval), list(select) + [0] * 8), (mine.start, mine.interval, mine.select), 'as it was set')
        manager.ping(3)
        theirs = Samples(manager.data(SWITCH, CONTROL, SET, control(1, 0x4321, 0, 1, (4,)), EVERY_MECHANISM))
        expect(vars(mine), {**vars(theirs), 'status': STARTED}, 'a Set while the mechanism is in use changes nothing')
        seen = wait_status(manager, UNDERWAY)
        expect(True, time.monotonic() - began >= start, 'not before its time')
        expect((0x1234, [0] * 15), (seen.tag, seen.values), 'no values yet')
        manager.ping(7)
        expect(UNDERWAY, Samples(manager.data(SWITCH, CONTROL)).status, 'long enough for seven packets')
        seen = wait_status(manager, DONE)
        expect(True, time.monotonic() - began >= start + interval, 'as long as it was set')
        values = [7 * WORDS, 7 * WORDS, 7, 7, 0, 0, 7] + [0] * 8
        expect((0x1234, values), (seen.tag, seen.values), 'values')
        manager.ping(2)
        seen = Samples(manager.data(SWITCH, RESULT_EXT, mod=EVERY_MECHANISM), RESULT_EXT)
        expect((0x1234, DONE, values), (seen.tag, seen.status, seen.values), 'values of 64 bits')
        other = Samples(manager.data(SIB1, CONTROL))
        expect((DONE, 0), (other.status, other.tag), 'another node has its own')
        manager.data(SWITCH, CONTROL, SET, control(ALL, 2, 0, 0, (3,)))
        seen = wait_status(manager, DONE)
        expect((2, [0] * 15), (seen.tag, seen.values), 'an interval of no length')


def samples_of_all():
    """The values of all ports are added up."""
    interval, pings = PATIENCE / 10, 20
    with Manager() as manager:
        before = manager.tid
        manager.data(SWITCH, CONTROL, SET, control(ALL, 3, 0, ticks(interval), (3, 4)))
        wait_status(manager, UNDERWAY, CONTROL)
        others = manager.tid - before + 2
        manager.ping(pings)
        expect(UNDERWAY, Samples(manager.data(SWITCH, CONTROL)).status, 'long enough for the packets')
        # Questions would be counted, too.
        time.sleep(interval)
        seen = wait_status(manager, DONE)
        for value in seen.values[:2]:
            expect(True, 2 * pings <= value <= 2 * pings + others, f'{value} packets by two ports, {others} questions')


CASES = {
    'class_port_info': class_port_info,
    'refusals': refusals,
    'methods': methods,
    'links': links,
    'packets': packets,
    'settings': settings,
    'apart': apart,
    'saturation': saturation,
    'multicast': multicast,
    'all_ports': all_ports,
    'at_once': at_once,
    'samples': samples,
    'samples_of_all': samples_of_all,
}


def start():
    """Asks the switch for samples; prints the status of the answer, and the tag that the switch has then."""
    with Manager() as manager:
        _, status, _ = manager.exchange(SWITCH, CONTROL, SET, control(1, 9, select=(1,)))
        print(status, Samples(manager.data(SWITCH, CONTROL)).tag)
    return 0


def clear():
    """Sets counters of two ports of the switch; prints the status of each answer, and what the ports have then."""
    with Manager() as manager:
        for attr, data in ((PORT_COUNTERS, bytes((0, ALL, 0, 8)) + bytes(4) + bytes((0, 7))),
                           (PORT_COUNTERS_EXT, struct.pack('>BBHI8Q', 0, IDLE, 4, 0, 0, 0, 5, 0, 0, 0, 0, 0))):
            _, status, _ = manager.exchange(SWITCH, attr, SET, data.ljust(DATA, b'\0'))
            print(status, end=' ')
        print(manager.counters(SWITCH, IDLE)['errors'], manager.extended(SWITCH, IDLE)['xmit'])
    return 0


def main(*args):
    if args == ('start',):
        return start()
    if args == ('clear',):
        return clear()
    return run_cases(CASES)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
