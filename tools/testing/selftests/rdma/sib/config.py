#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Topologies of sib in configfs: what can be set up, and what is refused, with which errno, and without a change."""

import contextlib
import errno
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../umad'))

# pylint: disable=wrong-import-position
from agents import POLLING, PORT_INFO, SELF, SWITCH, Agent
from ktap import expect, run_cases
from umad import expect_errno

ROOT = '/sys/kernel/config/sib'
NODE_FILES = 'device', 'guid', 'kind', 'node_desc', 'num_ports', 'system_guid'
PORT_FILES = 'guid', 'lid', 'mtu', 'peer', 'speed', 'state', 'vls', 'width'


def read(path):
    with open(os.path.join(ROOT, path), 'rb') as file:
        return file.read().decode()


def write(path, text):
    """Writes by one call, whose errno is raised."""
    fd = os.open(os.path.join(ROOT, path), os.O_WRONLY)
    try:
        os.write(fd, text if isinstance(text, bytes) else text.encode())
    finally:
        os.close(fd)


def mkdir(path):
    os.mkdir(os.path.join(ROOT, path))


def rmdir(path):
    os.rmdir(os.path.join(ROOT, path))


def tree(path=''):
    """Returns all files and their contents."""
    found = {}
    for top, _, files in os.walk(os.path.join(ROOT, path)):
        found[top] = None
        for name in files:
            with open(os.path.join(top, name), 'rb') as file:
                found[os.path.join(top, name)] = file.read()
    return found


def unchanged(want, function, *args):
    """The call is refused with an errno, and has changed nothing."""
    before = tree()
    expect_errno(want, function, *args)
    expect(before, tree(), 'the tree')


def refused(want, path, *texts):
    for text in texts:
        try:
            unchanged(want, write, path, text)
        except AssertionError as error:
            raise AssertionError(f'{text!r} to {path}: {error}') from error


def remove(fabric):
    top = os.path.join(ROOT, fabric)
    for node in os.listdir(top):
        if not os.path.isdir(os.path.join(top, node)):
            continue
        for port in os.listdir(os.path.join(top, node)):
            if port.startswith('port') and port != 'port1':
                os.rmdir(os.path.join(top, node, port))
        os.rmdir(os.path.join(top, node))
    os.rmdir(top)


@contextlib.contextmanager
def fabric(*nodes):
    """Makes the fabric f with nodes: NAME, a CA, or NAME=PORTS, a switch."""
    mkdir('f')
    try:
        for node in nodes:
            name, _, ports = node.partition('=')
            mkdir(f'f/{name}')
            if ports:
                write(f'f/{name}/kind', 'switch\n')
                write(f'f/{name}/num_ports', ports)
        yield
    finally:
        remove('f')


def stats(nodes, switches, links):
    expect(f'nodes {nodes}\nswitches {switches}\ncas {nodes - switches}\nlinks {links}\n', read('f/stats'), 'statistics')


def empty_fabric():
    with fabric():
        expect(['stats'], os.listdir(f'{ROOT}/f'), 'files')
        stats(0, 0, 0)
        unchanged(errno.EEXIST, mkdir, 'f')
        expect_errno(errno.EACCES, write, 'f/stats', '1')
    expect([], os.listdir(ROOT), 'fabrics')


GOOD_NAMES = 'x', '%d', '-x', '.hidden', 'H-0002c9000', 'S"1"', 'ä' * 31 + 'x', 'n' * 63, 'a,b;c=d', '\xa0'
BAD_NAMES = 'a:1', ':', 'a b', ' ', 'a\tb', 'a\n', '\x7f', '\x01', 'n' * 64, 'ä' * 32, 'n' * 255


def names():
    with fabric():
        for name in BAD_NAMES:
            unchanged(errno.EINVAL, mkdir, f'f/{name}')
            unchanged(errno.EINVAL, mkdir, name)
        for name in GOOD_NAMES:
            mkdir(f'f/{name}')
            expect(name + '\n', read(f'f/{name}/node_desc'), 'description')
            mkdir(name)
            rmdir(name)
        stats(len(GOOD_NAMES), 0, 0)
        for name in GOOD_NAMES[1:]:
            write(f'f/{name}/port1/peer', f'{GOOD_NAMES[0]}:1')
            expect(name + ':1\n', read(f'f/{GOOD_NAMES[0]}/port1/peer'), 'the other end')
            write(f'f/{name}/port1/peer', '\n')
        unchanged(errno.EEXIST, mkdir, 'f/x')
    for name in 'ns-1', 'ns-', 'ns-4026531840':
        unchanged(errno.EINVAL, mkdir, name)


def defaults():
    with fabric('a', 'b'):
        for name, files in ('a', NODE_FILES), ('a/port1', PORT_FILES):
            expect(sorted(files), sorted(f for f in os.listdir(f'{ROOT}/f/{name}') if f != 'port1'), f'files of {name}')
        guid = int(read('f/a/guid'), 16)
        want = {'kind': 'ca', 'num_ports': '1', 'guid': f'{guid:#018x}', 'system_guid': f'{guid:#018x}', 'node_desc': 'a',
                'device': '', 'port1/peer': '', 'port1/state': 'down', 'port1/width': '4x', 'port1/speed': '10',
                'port1/mtu': '4096', 'port1/vls': '8', 'port1/guid': f'{guid + 1:#018x}', 'port1/lid': '0'}
        for name, value in want.items():
            expect(value + '\n', read(f'f/a/{name}'), name)
        expect(0x0253, guid >> 48, 'prefix of the GUID')
        if read('f/b/guid') == read('f/a/guid'):
            raise AssertionError('two nodes have a GUID')


def kinds():
    with fabric('a'):
        write('f/a/kind', 'switch')
        write('f/a/num_ports', '254\n')
        stats(1, 1, 0)
        refused(errno.EINVAL, 'f/a/num_ports', '0', '255', '256', '65537', '-1', '\n', 'x', '1 ', '0x10', '1' * 40)
        expect(read('f/a/guid'), read('f/a/port1/guid'), 'GUID of a port')
        refused(errno.EOPNOTSUPP, 'f/a/port1/guid', '0x5')
        write('f/a/kind', 'ca\n')
        expect('8\n', read('f/a/num_ports'), 'ports of a CA')
        refused(errno.EINVAL, 'f/a/num_ports', '0', '9', '254')
        refused(errno.EINVAL, 'f/a/kind', '\n', 'router', 'CA', 'ca switch', 'switch\0', b'\xff')
        stats(1, 0, 0)
        write('f/a/kind', 'ca')
        expect('8\n', read('f/a/num_ports'), 'the number again')


def port_directories():
    with fabric('a'):
        for name in ('port2', 'port0', 'port01', 'port', 'portx', 'port-1', 'port+1', 'port 1', 'port1 ', 'Port1', 'p',
                     'port4294967297', 'port256', 'port255', 'n' * 100):
            unchanged(errno.EINVAL, mkdir, f'f/a/{name}')
        unchanged(errno.EEXIST, mkdir, 'f/a/port1')
        unchanged(errno.EPERM, rmdir, 'f/a/port1')
        unchanged(errno.EPERM, mkdir, 'f/a/port1/x')
        write('f/a/num_ports', '8')
        mkdir('f/a/port8')
        unchanged(errno.ENOTEMPTY, rmdir, 'f/a')
        unchanged(errno.ENOTEMPTY, rmdir, 'f')
        refused(errno.EBUSY, 'f/a/num_ports', '7')
        write('f/a/kind', 'switch')
        write('f/a/num_ports', '254')
        mkdir('f/a/port254')
        refused(errno.EBUSY, 'f/a/num_ports', '253')
        refused(errno.EBUSY, 'f/a/kind', 'ca')
        rmdir('f/a/port254')
        write('f/a/kind', 'ca')
        rmdir('f/a/port8')
        write('f/a/num_ports', '1')


def guids():
    with fabric('a', 'b=4'):
        write('f/a/num_ports', '2')
        mkdir('f/a/port2')
        write('f/a/guid', '0x0002c90300001000\n')
        for name, value in ('guid', 0x1000), ('system_guid', 0x1000), ('port1/guid', 0x1001), ('port2/guid', 0x1002):
            expect(f'0x0002c9030000{value:04x}\n', read(f'f/a/{name}'), name)
        write('f/a/system_guid', '0x99')
        write('f/a/port2/guid', '18446744073709551615')
        write('f/a/guid', '5')
        for name, value in ('guid', 5), ('system_guid', 0x99), ('port1/guid', 6), ('port2/guid', (1 << 64) - 1):
            expect(f'{value:#018x}\n', read(f'f/a/{name}'), name)
        refused(errno.EEXIST, 'f/b/guid', '5')
        for name in 'guid', 'system_guid', 'port1/guid':
            refused(errno.EINVAL, f'f/a/{name}', '0', '\n', 'x', '0x', '0x10000000000000000', '5 6', '-5', '5\n\n', '5' * 80)
        write('f/a/guid', '5')
        write('f/b/guid', '0x6')
        write('f/a/guid', '7')
        write('f/b/guid', '5')
        expect('4\n', read('f/b/num_ports'), 'ports')
        expect('switch\n', read('f/b/kind'), 'kind')


def settings_stay():
    """What the administrator has set up outlives a change of the kind, of the number of ports, and of the GUID."""
    with fabric('a'):
        want = {'width': '12x', 'speed': '5', 'mtu': '1024', 'vls': '2'}
        write('f/a/node_desc', 'a node')
        for name, value in want.items():
            write(f'f/a/port1/{name}', value)
        for name, value in ('num_ports', '8'), ('kind', 'switch'), ('num_ports', '100'), ('guid', '77'), ('kind', 'ca'):
            write(f'f/a/{name}', value)
            for setting, text in want.items():
                expect(text + '\n', read(f'f/a/port1/{setting}'), f'{setting} after a change of {name}')
            expect('a node\n', read('f/a/node_desc'), 'description')
        write('f/a/node_desc', '\n')
        expect('a\n', read('f/a/node_desc'), 'default description')
        write('f/a/node_desc', 'd' * 63)
        expect('d' * 63 + '\n', read('f/a/node_desc'), 'longest description')
        write('f/a/node_desc', 'äöü: x\n')
        refused(errno.EINVAL, 'f/a/node_desc', 'd' * 64, 'a\nb', 'a\tb', '\x1b[1m', 'a\0', 'x' * 4000)


def links():
    with fabric('a', 'b', 's=4'):
        write('f/a/port1/peer', 's:4\n')
        mkdir('f/s/port4')
        expect('a:1\n', read('f/s/port4/peer'), 'the other end')
        expect('init\n', read('f/s/port4/state'), 'state')
        expect('init\n', read('f/a/port1/state'), 'state of the other end')
        stats(3, 1, 1)
        refused(errno.EBUSY, 'f/a/port1/peer', 's:4', 's:1', 'b:1')
        refused(errno.EBUSY, 'f/b/port1/peer', 's:4', 'a:1')
        refused(errno.ENOENT, 'f/b/port1/peer', 's:0', 's:5', 's:256', 's:260', 'b:2', 'nobody:1', 'S:1', 'n' * 63 + ':1')
        refused(errno.EINVAL, 'f/b/port1/peer', 'b:1', 's', ':1', 's:', 's:x', 's:+1', 's:-1', 's: 1', 's :1', 's:1 ', ' s:1',
                's:1:1', 's:1x', 's:99999999999', 's:1\n\n', 's:1\0', 'n' * 64 + ':1', 'x' * 4000)
        write('f/b/port1/peer', '\n')
        mkdir('f/s/port2')
        refused(errno.EINVAL, 'f/s/port1/peer', 's:1')
        write('f/s/port1/peer', 's:2')
        expect('s:1\n', read('f/s/port2/peer'), 'a link of a node to itself')
        stats(3, 1, 2)
        write('f/s/port2/peer', '\n')
        expect('\n', read('f/s/port1/peer'), 'after that')
        write('f/s/port4/peer', '\n')
        expect('\n', read('f/a/port1/peer'), 'the first link')
        expect('down\n', read('f/a/port1/state'), 'its state')
        stats(3, 1, 0)


def removals():
    with fabric('a', 'b', 's=4'):
        mkdir('f/s/port2')
        write('f/s/port2/peer', 'a:1')
        rmdir('f/s/port2')
        expect('\n', read('f/a/port1/peer'), 'peer of a port without a directory')
        write('f/a/port1/peer', 's:3')
        write('f/b/port1/peer', 's:4')
        rmdir('f/a')
        stats(2, 1, 1)
        rmdir('f/s')
        expect('\n', read('f/b/port1/peer'), 'peer of a node that is gone')
        expect('down\n', read('f/b/port1/state'), 'state')
        refused(errno.ENOENT, 'f/b/port1/peer', 's:1', 'a:1')
        stats(1, 0, 0)


def busy():
    """With a link, a node stays what it is."""
    with fabric('a', 's=4'):
        write('f/a/port1/peer', 's:1')
        for node, kind in ('a', 'switch'), ('s', 'ca'):
            refused(errno.EBUSY, f'f/{node}/kind', kind)
            refused(errno.EBUSY, f'f/{node}/num_ports', '2')
            refused(errno.EBUSY, f'f/{node}/guid', '0x77')
            refused(errno.EBUSY, f'f/{node}/system_guid', '0x77')
        refused(errno.EBUSY, 'f/a/port1/guid', '0x77')
        for name, value in ('width', '1x'), ('speed', '5'), ('mtu', '256'), ('vls', '1'):
            refused(errno.EBUSY, f'f/a/port1/{name}', value)
        write('f/a/node_desc', 'new')
        write('f/a/kind', 'ca')


def cables():
    with fabric('a', 's=4'):
        refused(errno.ENOTCONN, 'f/a/port1/state', 'down', 'up')
        write('f/a/port1/peer', 's:1')
        refused(errno.EINVAL, 'f/a/port1/state', '\n', 'init', 'active', 'armed', 'UP', 'up down', 'up ', '1', 'x' * 100)
        write('f/s/port1/state', 'down\n')
        for end, peer in ('a', 's:1'), ('s', 'a:1'):
            expect('down\n', read(f'f/{end}/port1/state'), f'state of {end}')
            expect(peer + '\n', read(f'f/{end}/port1/peer'), f'peer of {end}')
        write('f/s/port1/state', 'down')
        write('f/a/port1/width', '1x')
        refused(errno.EBUSY, 'f/a/num_ports', '2')
        write('f/a/port1/state', 'up')
        expect(['init\n'] * 2, [read(f'f/{end}/port1/state') for end in ('a', 's')], 'states')
        write('f/a/port1/state', 'up')
        write('f/a/port1/state', 'down')
        write('f/a/port1/peer', '\n')
        write('f/a/port1/peer', 's:2')
        expect('init\n', read('f/a/port1/state'), 'state of a new link')


SETTINGS = {'width': ('1x', '4x', '8x', '12x'), 'speed': ('2.5', '5', '10'), 'mtu': ('256', '512', '1024', '2048', '4096'),
            'vls': ('1', '2', '4', '8')}


def port_settings():
    with fabric('a', 's=2'):
        for node in 'a', 's':
            for name, values in SETTINGS.items():
                for value in values:
                    write(f'f/{node}/port1/{name}', value + '\n')
                    expect(value + '\n', read(f'f/{node}/port1/{name}'), name)
                refused(errno.EINVAL, f'f/{node}/port1/{name}', '\n', '0', '3', 'x', values[0] + ' ', values[0] * 40, '4X')
            expect_errno(errno.EACCES, write, f'f/{node}/port1/lid', '1')


def settings_go():
    """A port without a directory has the default settings, unless the node is a device."""
    with fabric('a', 's=4'):
        write('f/a/num_ports', '2')
        for node in 'a', 's':
            path = f'f/{node}/port2'
            mkdir(path)
            before = tree(path)
            for name, values in SETTINGS.items():
                write(f'{path}/{name}', values[0])
            if node == 'a':
                write(f'{path}/guid', '0x77')
            for name in before:
                if os.path.basename(name) in SETTINGS:
                    expect(True, tree(path)[name] != before[name], f'{name} has changed')
            rmdir(path)
            mkdir(path)
            expect(before, tree(path), 'settings')
        write('f/a/port2/mtu', '256')
        write('f/a/device', '1')
        rmdir('f/a/port2')
        mkdir('f/a/port2')
        expect('256\n', read('f/a/port2/mtu'), 'MTU of a device')


def restricted():
    """A link whose ends have no width in common, because the SM has restricted them, comes up when a setting gives one."""
    with fabric('a', 's=4'):
        write('f/a/port1/peer', 's:2')
        mkdir('f/s/port2')
        write('f/a/device', '1')
        with Agent('a') as agent:
            agent.set(SWITCH, PORT_INFO, 2, agent.port_info(SWITCH, 2, width=(29, b'\x01')))
            agent.set(SELF, PORT_INFO, 1, agent.port_info(SELF, 1, width=(29, b'\x02'), phys=POLLING))
        expect('down\n', read('f/a/port1/state'), 'state')
        write('f/s/port2/width', '4x')
        expect(['init\n'] * 2, [read(f'f/{port}/state') for port in ('a/port1', 's/port2')], 'states')


def devices():
    with fabric('a', 'b', 's=2', '%d'):
        refused(errno.EOPNOTSUPP, 'f/s/device', '1', 'sdev', '0', '\n', 'a b')
        refused(errno.EINVAL, 'f/a/device', '\n', 'a b', 'a/b', '%d', 'x%dx', 'n' * 64, 'a\n\n', 'a\tb')
        refused(errno.EINVAL, 'f/%d/device', '1')
        write('f/a/device', '0')
        write('f/a/device', '1\n')
        expect('a\n', read('f/a/device'), 'device')
        refused(errno.EBUSY, 'f/a/device', '1', 'another')
        refused(errno.EEXIST, 'f/b/device', 'a')
        write('f/b/device', 'another')
        expect('another\n', read('f/b/device'), 'named device')
        for name, value in ('kind', 'switch'), ('num_ports', '2'), ('guid', '0x77'), ('system_guid', '0x77'):
            refused(errno.EBUSY, f'f/a/{name}', value)
        refused(errno.EBUSY, 'f/a/port1/guid', '0x77')
        write('f/a/device', '0')
        expect('\n', read('f/a/device'), 'no device')
        write('f/a/num_ports', '8')
        write('f/a/device', '1')
        expect(8, len(os.listdir('/sys/class/infiniband/a/ports')), 'ports of the device')
        rmdir('f/a')
        expect(['another'], os.listdir('/sys/class/infiniband'), 'devices')
        mkdir('f/another')
        refused(errno.EEXIST, 'f/another/device', '1')
    expect([], os.listdir('/sys/class/infiniband'), 'devices')


def open_files():
    """A file that is open does not keep a node, and says that it is gone."""
    with fabric('a', 's=2'):
        paths = 'f/a/guid', 'f/a/port1/peer', 'f/s/device', 'f/s/port1/state'
        files = [os.open(os.path.join(ROOT, path), os.O_RDWR) for path in paths]
        write('f/a/port1/peer', 's:1')
        rmdir('f/a')
        rmdir('f/s')
        for file in files:
            expect_errno(errno.ENOENT, os.read, file, 100)
            expect_errno(errno.ENOENT, os.write, file, b'1')
    for file in files:
        os.close(file)


def churn(seed, deadline):
    """Does anything to a few nodes that others use as well."""
    dice = random.Random(seed)
    nodes = 'a', 'b', 'c', 'd'
    while time.monotonic() < deadline:
        node, other = dice.choice(nodes), dice.choice(nodes)
        port = dice.choice(('port1', 'port2'))
        with contextlib.suppress(OSError):
            dice.choice((
                lambda: mkdir(f'f/{node}'), lambda: mkdir(f'f/{node}/port2'), lambda: rmdir(f'f/{node}/port2'),
                lambda: rmdir(f'f/{node}'), lambda: write(f'f/{node}/kind', dice.choice(('ca', 'switch'))),
                lambda: write(f'f/{node}/num_ports', str(dice.randint(1, 9))),
                lambda: write(f'f/{node}/guid', str(dice.randint(1, 9))),
                lambda: write(f'f/{node}/{port}/peer', f'{other}:{dice.randint(1, 3)}'),
                lambda: write(f'f/{node}/{port}/peer', '\n'), lambda: write(f'f/{node}/{port}/state', 'down'),
                lambda: write(f'f/{node}/{port}/state', 'up'), lambda: write(f'f/{node}/device', '1'),
                lambda: write(f'f/{node}/device', '0'), lambda: write(f'f/{node}/node_desc', 'x'), lambda: tree('f')))()


def together():
    with fabric():
        deadline = time.monotonic() + 3
        threads = [threading.Thread(target=churn, args=(seed, deadline)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        nodes = [name for name in os.listdir(f'{ROOT}/f') if name != 'stats']
        switches = [name for name in nodes if read(f'f/{name}/kind') == 'switch\n']
        expect(f'nodes {len(nodes)}\nswitches {len(switches)}\n', ''.join(read('f/stats').splitlines(True)[:2]), 'statistics')
        for name in nodes:
            peer, _, number = read(f'f/{name}/port1/peer').strip().partition(':')
            if peer and os.path.isdir(f'{ROOT}/f/{peer}/port{number}'):
                expect(f'{name}:1\n', read(f'f/{peer}/port{number}/peer'), 'the other end')


MANY = 5000
PER_SWITCH = 30


def load_many():
    for number in range(MANY):
        mkdir(f'f/n{number}')
        if number % PER_SWITCH:
            write(f'f/n{number}/port1/peer', f'n{number - number % PER_SWITCH}:{number % PER_SWITCH}')
        else:
            write(f'f/n{number}/kind', 'switch')
            write(f'f/n{number}/num_ports', '36')


def many():
    """Thousands of nodes are made, each with a GUID of its own, and removed."""
    with fabric():
        begin = time.monotonic()
        load_many()
        loaded = time.monotonic()
        switches = (MANY + PER_SWITCH - 1) // PER_SWITCH
        stats(MANY, switches, MANY - switches)
        guids_seen = {read(f'f/n{number}/guid') for number in range(0, MANY, 7)}
        expect(len(range(0, MANY, 7)), len(guids_seen), 'different GUIDs')
        removal = time.monotonic()
        for number in range(MANY):
            rmdir(f'f/n{number}')
        end = time.monotonic()
        stats(0, 0, 0)
    print(f'# {MANY} nodes: loaded in {loaded - begin:.1f} s, removed in {end - removal:.1f} s')


CASES = {
    'an empty fabric': empty_fabric,
    'names': names,
    'defaults': defaults,
    'kinds and numbers of ports': kinds,
    'directories of ports': port_directories,
    'GUIDs': guids,
    'settings stay': settings_stay,
    'links': links,
    'what goes with a port and a node': removals,
    'a node with a link': busy,
    'cables': cables,
    'what ports support': port_settings,
    'settings of a port without a directory': settings_go,
    'a link that can come up again': restricted,
    'devices': devices,
    'open files': open_files,
    'everything at the same time': together,
    'thousands of nodes': many,
}


if __name__ == '__main__':
    sys.exit(run_cases(CASES))
