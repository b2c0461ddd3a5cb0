#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Makes topologies for tests, and compares what programs see with them.

  topology.py load FABRIC DEVICES SHAPE...    makes the fabric by configfs; DEVICES are CAs, such as ca1,ca3, or none
  topology.py unload FABRIC
  topology.py ibsim SHAPE...                  prints a file for ibsim
  topology.py map SHAPE... < OUTPUT           compares the output of ibnetdiscover
  topology.py links SHAPE... < OUTPUT         compares the output of ibnetdiscover -p
  topology.py tables FILE < OUTPUT            compares forwarding tables, of OpenSM's dump and of dump_fts
  topology.py names KIND SHAPE... < OUTPUT    compares the output of ibhosts, ibswitches or ibnodes; KIND is ca, switch or all

SHAPE is a name of SHAPES with its numbers, such as "fat_tree 2 4 4". Switches are sw1, sw2, ..., CAs ca1, ca2, ... A comparison
prints each difference, and ends with status 1 if there is one.
"""

import os
import re
import sys

CONFIGFS = '/sys/kernel/config/sib'


class Topology:
    """A topology: kinds, numbers of ports and GUIDs of nodes by name; links between (name, port) and (name, port)."""

    def __init__(self):
        self.nodes = {}
        self.links = []
        self.used = {}

    def add(self, kind, ports):
        number = 1 + sum(node[0] == kind for node in self.nodes.values())
        name = ('sw' if kind == 'switch' else 'ca') + str(number)
        guid = (0x0002c90002000000 + number) if kind == 'switch' else 0x0002c90001000000 + 16 * number
        self.nodes[name] = (kind, ports, guid)
        self.used[name] = 0
        return name

    def switches(self, count, ports):
        return [self.add('switch', ports) for _ in range(count)]

    def ca(self, *switches):
        """Adds a CA with a port for each of these switches."""
        name = self.add('ca', len(switches))
        for switch in switches:
            self.link(name, switch)
        return name

    def free_port(self, name):
        self.used[name] += 1
        assert self.used[name] <= self.nodes[name][1], f'{name} has too few ports'
        return name, self.used[name]

    def link(self, a, b):
        self.links.append((self.free_port(a), self.free_port(b)))

    def peers(self):
        """Returns a dictionary from each end of a link to the other one."""
        return {end: other for a, b in self.links for end, other in ((a, b), (b, a))}

    def name_of(self, guid):
        """Returns the name of the node with this GUID, or with this GUID at a port of a CA."""
        guids = {node[2]: name for name, node in self.nodes.items()}
        return guids.get(guid) or guids.get(guid & ~0xf, f'{guid:#x}')


def line(switches=3):
    """Switches in a row, a CA at each."""
    top = Topology()
    row = top.switches(switches, 8)
    for a, b in zip(row, row[1:]):
        top.link(a, b)
    for switch in row:
        top.ca(switch)
    return top


def ring(switches=5):
    top = line(switches)
    top.link(f'sw{switches}', 'sw1')
    return top


def fat_tree(spines=2, leaves=4, cas=4):
    """Leaves with so many CAs each; each leaf has a link to each spine."""
    top = Topology()
    roots, tree = top.switches(spines, leaves), top.switches(leaves, spines + cas)
    for leaf in tree:
        for spine in roots:
            top.link(leaf, spine)
    for leaf in tree:
        for _ in range(cas):
            top.ca(leaf)
    return top


def two_links():
    """Two switches with two links between them."""
    top = line(2)
    top.link('sw1', 'sw2')
    return top


def two_ports():
    """A CA with two ports, at two switches."""
    top = line(2)
    top.ca('sw1', 'sw2')
    return top


def torus(*dimensions):
    """Switches with a CA each, in rings of each dimension. A dimension of 2 has one link, not two."""
    top = Topology()
    places = [()]
    for length in dimensions:
        places = [place + (i,) for place in places for i in range(length)]
    at = dict(zip(places, top.switches(len(places), 2 * len(dimensions) + 1)))
    for axis, length in enumerate(dimensions):
        for place, switch in at.items():
            if place[axis] + 1 < length or length > 2:
                top.link(switch, at[place[:axis] + ((place[axis] + 1) % length,) + place[axis + 1:]])
    for switch in at.values():
        top.ca(switch)
    return top


def star(cas):
    """One switch."""
    top = Topology()
    switch, = top.switches(1, cas)
    for _ in range(cas):
        top.ca(switch)
    return top


def cas(count):
    """CAs without a link."""
    top = Topology()
    for _ in range(count):
        top.add('ca', 1)
    return top


def switches(count, ports):
    """Switches without a link."""
    top = Topology()
    top.switches(count, ports)
    return top


SHAPES = {shape.__name__: shape for shape in (line, ring, fat_tree, two_links, two_ports, torus, star, cas, switches)}


def shape(name, *numbers):
    return SHAPES[name](*map(int, numbers))


# --- configfs ---


def write(path, value):
    with open(path, 'w', encoding='ascii') as file:
        file.write(f'{value}\n')


def load(fabric, devices, *args):
    """Makes the fabric. The links come last, so that no port is up before all nodes are there."""
    top, base = shape(*args), f'{CONFIGFS}/{fabric}'
    os.mkdir(base)
    for name, (kind, ports, guid) in top.nodes.items():
        os.mkdir(f'{base}/{name}')
        write(f'{base}/{name}/kind', kind)
        write(f'{base}/{name}/num_ports', ports)
        write(f'{base}/{name}/guid', f'{guid:#x}')
    for (a, port), (b, peer) in top.links:
        if port > 1 and not os.path.isdir(f'{base}/{a}/port{port}'):
            os.mkdir(f'{base}/{a}/port{port}')
        write(f'{base}/{a}/port{port}/peer', f'{b}:{peer}')
    for name in devices.split(',') if devices != 'none' else ():
        write(f'{base}/{name}/device', 1)
    return 0


def unload(fabric):
    """Removes the fabric, its CAs that are devices first."""
    base = f'{CONFIGFS}/{fabric}'
    nodes = [entry.name for entry in os.scandir(base) if entry.is_dir()]
    for name in sorted(nodes, key=lambda name: (name[:2] != 'ca', name)):
        for entry in os.scandir(f'{base}/{name}'):
            if entry.is_dir() and entry.name != 'port1':
                os.rmdir(entry.path)
        os.rmdir(f'{base}/{name}')
    os.rmdir(base)
    return 0


# --- ibsim ---


def ibsim(*args):
    top = shape(*args)
    peers = top.peers()
    for name, (kind, ports, guid) in top.nodes.items():
        if kind == 'switch':
            print(f'switchguid={guid:#x}({guid:x})\nSwitch {ports} "{name}"')
        else:
            print(f'caguid={guid:#x}\nCa {ports} "{name}"')
        for port in range(1, ports + 1):
            if (name, port) in peers:
                peer, number = peers[name, port]
                print(f'[{port}] "{peer}"[{number}] # lid 0 4xQDR')
        print()
    return 0


# --- comparisons ---


def differences(expected, seen, what):
    for item in sorted(expected - seen):
        print(f'{what} is missing: {item}')
    for item in sorted(seen - expected):
        print(f'{what} is not of this topology: {item}')
    return int(expected != seen)


def as_text(end, other):
    return f'{end[0]}:{end[1]} - {other[0]}:{other[1]}'


def expected_ends(top):
    return {as_text(end, other) for end, other in top.peers().items()}


def map_of(*args):
    """Compares nodes, numbers of ports, GUIDs, names, and each end of each link."""
    top, node, nodes, ends = shape(*args), None, set(), set()
    for text in sys.stdin:
        if match := re.match(r'(Switch|Ca)\s+(\d+) "[SH]-([0-9a-f]{16})"\s+# "([^"]*)"', text):
            node = match[4]
            nodes.add((node, {'Switch': 'switch', 'Ca': 'ca'}[match[1]], int(match[2]), int(match[3], 16)))
        elif match := re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"[SH]-([0-9a-f]{16})"\[(\d+)\]', text):
            ends.add(as_text((node, match[1]), (top.name_of(int(match[2], 16)), match[3])))
    expected = {(name, *node) for name, node in top.nodes.items()}
    return differences(expected, nodes, 'node') | differences(expected_ends(top), ends, 'link')


def links(*args):
    """Compares a report of ports: each line has both ends of a link, or one end of a port without a link."""
    top, ends = shape(*args), set()
    for text in sys.stdin:
        match = re.match(r'(?:SW|CA)\s+\d+\s+(\d+) 0x([0-9a-f]+) \S+ \S+ - (?:SW|CA)\s+\d+\s+(\d+) 0x([0-9a-f]+)', text)
        if match:
            ends.add(as_text((top.name_of(int(match[2], 16)), match[1]), (top.name_of(int(match[4], 16)), match[3])))
    return differences(expected_ends(top), ends, 'link')


def names(kind, *args):
    seen = set()
    for text in sys.stdin:
        if match := re.match(r'(Ca|Switch)\s*: 0x([0-9a-f]{16}) ports (\d+) "([^"]*)"', text):
            seen.add((match[4], {'Switch': 'switch', 'Ca': 'ca'}[match[1]], int(match[3]), int(match[2], 16)))
    expected = {(name, *node) for name, node in shape(*args).nodes.items() if kind in ('all', node[0])}
    return differences(expected, seen, 'node')


def tables_in(lines):
    """Returns {(GUID of a switch, LID, port)} from a dump of forwarding tables."""
    switch, entries = '', set()
    for text in lines:
        if match := re.match(r'Unicast lids .* guid (0x[0-9a-f]{16})', text):
            switch = match[1]
        elif match := re.match(r'(0x[0-9a-f]{4}) (\d{3})\b(?! : \(.*illegal port)', text):
            entries.add((switch, match[1], int(match[2])))
    return entries


def tables(path):
    with open(path, encoding='ascii') as file:
        expected = tables_in(file)
    if not expected:
        print(f'{path} has no table')
        return 1
    return differences(expected, tables_in(sys.stdin), 'entry')


COMMANDS = {'load': load, 'unload': unload, 'ibsim': ibsim, 'map': map_of, 'links': links, 'tables': tables,
            'names': names}

if __name__ == '__main__':
    sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
