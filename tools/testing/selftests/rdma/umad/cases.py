#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Called by umad/*.sh: a process that uses umadN and issmN of the devices of kt_umad.ko; prints KTAP.

usage: cases.py GROUP     calls, datagrams, rmpp, limits, threads, issm, removal or switch
       cases.py open DEVICE PORT    opens the nodes, and prints the results
       cases.py once                does each operation once, and prints an error

Devices are mem0 with two ports and mem1 with one; the first port of mem0 is linked to mem1.
"""
import errno
import fcntl
import mmap
import os
import select
import signal
import struct
import sys
import time

from ktap import Report, expect
from umad import (ACTIVE, DATAGRAM_MEMORY, ENABLE_PKEY, FIRST, GET, GET_RESPONSE, GET_TABLE, LAST, LIMIT, LONG, MAD,
                  MAD_HEADER, MAX_AGENTS, OUI, PATIENCE, PLAIN, QKEY, REGISTER, REGISTER2, RESPONSE, SA_HEADER, SET,
                  SUBN, SUBN_ADM, SUBN_DIRECTED, UNREGISTER, USER_RMPP, VENDOR, CLASS, Call, Edge, Header, Page, Port,
                  expect_errno, fields, gid, ioctl_at, lid, mad, message, node, path, pattern, read, read_at, set_parameter,
                  vendor, write_at)

GETS = 1 << GET
NODE_INFO = 0x11
LOC_QP_OP_ERR = 2
PROT_NONE = 0   # for mprotect(); mmap has no name for it


# --- ioctl() and what precedes the first MAD ---

def nodes():
    expect('5', read(f'{CLASS}/abi_version'), 'ABI')
    for device, port in (('mem0', 1), ('mem0', 2), ('mem1', 1)):
        for kind in ('umad', 'issm'):
            mode = os.stat(path(device, port, kind)).st_mode
            expect(0o20600, mode, f'mode of {kind} of {device}/{port}')
        expect(node(device, port)[4:], node(device, port, 'issm')[4:], 'number of issmN')


def refused_registrations():
    with Port('mem0') as port:
        expect_errno(errno.EINVAL, port.register, VENDOR, GETS, 2)
        expect_errno(errno.EINVAL, port.register2, VENDOR, GETS, 2)
        expect_errno(errno.EINVAL, port.register, SUBN, GETS, 1)            # a class of the other QP
        expect_errno(errno.EINVAL, port.register, VENDOR, GETS, 0)
        expect_errno(errno.EINVAL, port.register, VENDOR, GETS, 1, 1, 0, 0)  # no OUI
        expect_errno(errno.EINVAL, port.register, VENDOR, GETS, 1, 1, 2)     # unknown version of RMPP
        expect_errno(errno.EINVAL, port.register2, VENDOR, GETS, 1, 1, 0, OUI | 1 << 24)
        request = bytearray(40)
        expect_errno(errno.EINVAL, port.register2, VENDOR, GETS, 1, 1, 0, OUI, 6, request)
        expect(USER_RMPP, struct.unpack('=I', request[12:16])[0], 'known flags')
        for command in (REGISTER, REGISTER2, UNREGISTER):
            expect_errno(errno.EFAULT, fcntl.ioctl, port.fd, command, 16)
        # The request can be read in part only; its id, at the beginning, could be written.
        edge = Edge(PROT_NONE)
        for command in (REGISTER, REGISTER2):
            expect_errno(errno.EFAULT, ioctl_at, port.fd, command, edge.before(8))
        expect_errno(errno.ENOTTY, fcntl.ioctl, port.fd, 0x1b05, 0)
        expect_errno(errno.ENOTTY, fcntl.ioctl, port.fd, ENABLE_PKEY + 0x100, 0)
        expect(0, port.register(), 'id after all refusals')


def unwritable_id():
    """The id cannot be written, so that the agent, and no other one, is unregistered again; nor can the known flags."""
    with Port('mem0') as port:
        first = port.register()
        for command, request in ((REGISTER, struct.pack('=I2QBBB3sBx', 99, GETS, 0, 1, VENDOR, 1, OUI.to_bytes(3, 'big'), 0)),
                                 (REGISTER2, struct.pack('=IIBBHIQQIB3x', 99, 1, VENDOR, 1, 0, 0, GETS, 0, OUI, 0)),
                                 (REGISTER2, struct.pack('=IIBBHIQQIB3x', 99, 1, VENDOR, 1, 0, 6, GETS, 0, OUI, 0))):
            page = Page()
            page.map[:len(request)] = request
            page.protect(mmap.PROT_READ)
            expect_errno(errno.EFAULT, ioctl_at, port.fd, command, page.address)
        expect(first + 1, port.register(VENDOR, GETS), 'id')
        port.unregister(first)


def ids():
    with Port('mem0') as port:
        expect(list(range(MAX_AGENTS)), [port.register() for _ in range(MAX_AGENTS)], 'ids')
        expect_errno(errno.ENOMEM, port.register)
        expect_errno(errno.ENOMEM, port.register2)
        port.unregister(17)
        expect_errno(errno.EINVAL, port.unregister, 17)
        expect_errno(errno.EINVAL, port.unregister, MAX_AGENTS)
        expect_errno(errno.EINVAL, port.unregister, 0xffffffff)
        expect(17, port.register2(), 'id that was free')
        with Port('mem0') as other:
            expect(0, other.register(), 'id in another file')


def methods_of_one():
    with Port('mem0') as port, Port('mem0') as other, Port('mem0', 2) as second:
        agent = port.register(VENDOR, GETS | 1 << GET_TABLE)
        for methods in (GETS, GETS | 1 << SET):
            try:
                other.register(VENDOR, methods)
            except OSError:
                continue
            raise AssertionError('two agents have a method')
        other.register(VENDOR, 1 << SET)
        second.register(VENDOR, GETS)
        port.unregister(agent)
        other.register2(VENDOR, GETS)


def highest_method():
    with Port('mem0') as client, Port('mem1') as server:
        agent, serving = client.register(), server.register2(VENDOR, 1 << 0x7e)
        client.send(agent, lid('mem1', 1), vendor(0x7e, 3))
        header, data = server.read()
        expect((serving, 0x7e), (header.id, data[3]), 'agent and method')


def headers():
    with Port('mem0', pkey=False) as port:
        port.register()
        expect_errno(errno.EINVAL, fcntl.ioctl, port.fd, ENABLE_PKEY, 0)
        port.register2()
        expect_errno(errno.EINVAL, os.read, port.fd, 55)
        port.new = False
        expect_errno(errno.EINVAL, os.write, port.fd, bytes(91))
    with Port('mem0', pkey=False) as port:
        port.register2()
        expect_errno(errno.EINVAL, os.read, port.fd, 63)
        expect_errno(errno.EINVAL, os.write, port.fd, bytes(99))
        expect_errno(errno.EINVAL, fcntl.ioctl, port.fd, ENABLE_PKEY, 0)
    with Port('mem0', pkey=False) as port:
        expect_errno(errno.EINVAL, port.register2, VENDOR, GETS, 2)
        expect_errno(errno.EINVAL, os.write, port.fd, bytes(91))
        expect_errno(errno.EIO, os.write, port.fd, bytes(92))   # long enough for the old header
        fcntl.ioctl(port.fd, ENABLE_PKEY, 0)
        fcntl.ioctl(port.fd, ENABLE_PKEY, 0)


def refused_writes():
    to = lid('mem1', 1)
    with Port('mem0') as port:
        agent = port.register()
        expect_errno(errno.EINVAL, port.send, MAX_AGENTS, to, vendor(GET, 1))
        expect_errno(errno.EINVAL, port.send, 0xffffffff, to, vendor(GET, 1))
        expect_errno(errno.EIO, port.send, 5, to, vendor(GET, 1))
        expect_errno(errno.EINVAL, port.send, agent, to, vendor(GET, 1)[:35])
        expect_errno(errno.EINVAL, port.send, agent, to, vendor(GET, 1)[:39])     # the class has 40 bytes of headers
        expect_errno(errno.EINVAL, port.send, agent, to, vendor(GET, 1) + b'x')
        expect_errno(errno.EINVAL, port.send, agent, to, message(GET, 1, 300))    # the agent has no RMPP
        expect_errno(errno.EINVAL, port.send, agent, to, bytes((16 << 20) + 4096))
        expect_errno(errno.EINVAL, port.send, 5, to, bytes(LIMIT + MAD + 1))
        expect_errno(errno.EIO, port.send, 5, to, bytes(LIMIT + MAD))           # the longest data that are copied
        edge = Edge(PROT_NONE)
        expect_errno(errno.EFAULT, write_at, port.fd, edge.before(10), 64 + MAD)
        expect_errno(errno.EFAULT, write_at, port.fd, edge.before(64 + 10), 64 + MAD)
        edge = Edge(PROT_NONE, page=0)      # the header is not there, but the MAD
        expect_errno(errno.EFAULT, write_at, port.fd, edge.before(64), 64 + MAD)
        wrong = Header(id=agent, lid=to, qpn=1, grh=1, gid_index=200, gid=gid('mem1', 1))
        try:
            os.write(port.fd, wrong.pack() + vendor(GET, 1))
        except OSError:
            pass
        else:
            raise AssertionError('a GID that the port does not have is taken')
        port.unregister(agent)
        expect_errno(errno.EIO, port.send, agent, to, vendor(GET, 1))
        expect(select.POLLOUT, port.poll(), 'poll')


def nothing_to_read():
    with Port('mem0', flags=os.O_NONBLOCK) as port:
        port.register()
        expect_errno(errno.EAGAIN, os.read, port.fd, 1024)
        expect_errno(errno.EAGAIN, os.read, port.fd, 64)
        expect(select.POLLOUT, port.poll(), 'poll')
        expect_errno(errno.ESPIPE, os.lseek, port.fd, 0, os.SEEK_SET)


def interrupted_read():
    with Port('mem0') as port:
        def interrupt(*_):
            raise InterruptedError
        port.register()
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            os.read(port.fd, 1024)
        except InterruptedError:
            return
        raise AssertionError('read() was not interrupted')


# --- datagrams ---

def exchange(client, server, to, back, new, tid):
    """A request and its response, with all that can be compared."""
    agent, serving = client.register(), server.register(VENDOR, GETS)
    request = vendor(GET, 0xaabbccdd00000000 | tid, tid, attr=0x1234, mod=0x56789abc)
    client.send(agent, to, request, LONG, sl=3)
    header, data = server.read()
    expect((serving, 0, server.size + MAD, 1, back, 3, 0, 0),
           (header.id, header.status, header.length, header.qpn, header.lid, header.sl, header.grh, header.pkey_index),
           'header of the request')
    full_tid = fields(data)[3]
    expect((VENDOR, GET, 0, tid, 0x1234, 0x56789abc), fields(data)[:3] + (full_tid & 0xffffffff,) + fields(data)[4:],
           'request')
    if full_tid >> 32 == 0xaabbccdd:
        raise AssertionError('the upper half of the transaction was not replaced')
    expect(request[MAD_HEADER:], data[MAD_HEADER:], 'data of the request')
    server.answer(serving, header, data[:100] + pattern(MAD - 100, 77))
    header, data = client.read()
    expect((agent, 0, client.size + MAD, to), (header.id, header.status, header.length, header.lid), 'header of the response')
    expect((VENDOR, GET_RESPONSE, full_tid), (data[1], data[3], fields(data)[3]), 'response')
    expect(pattern(MAD - 100, 77), data[100:], 'data of the response')
    expect(False, client.is_readable(0.1), 'more to read')
    expect(new, client.size == 64, 'form of the header')


def request_and_response():
    with Port('mem0') as client, Port('mem1') as server:
        exchange(client, server, lid('mem1', 1), lid('mem0', 1), True, 0x11223344)


def old_headers():
    with Port('mem0', pkey=False) as client, Port('mem1', pkey=False) as server:
        exchange(client, server, lid('mem1', 1), lid('mem0', 1), False, 0xfffffffe)


def ports_of_one_device():
    with Port('mem0', 1) as client, Port('mem0', 2) as server:
        exchange(client, server, lid('mem0', 2), lid('mem0', 1), True, 1)


def global_route():
    with Port('mem0') as client, Port('mem1') as server:
        agent, serving = client.register(), server.register(VENDOR, GETS)
        client.send(agent, lid('mem1', 1), vendor(GET, 5), LONG, grh=1, gid_index=1, hop_limit=9, traffic_class=0x21,
                    gid=gid('mem1', 1, 2), flow_label=0x12345)
        header, data = server.read()
        expect((1, gid('mem0', 1, 1), 2), (header.grh, header.gid, header.gid_index), 'way back')
        server.answer(serving, header, data, grh=1, gid_index=header.gid_index, gid=header.gid,
                      hop_limit=header.hop_limit)
        header, data = client.read()
        expect((1, gid('mem1', 1, 2), 1, 5), (header.grh, header.gid, header.gid_index, fields(data)[3] & 0xffffffff),
               'response')


def smp(mgmt_class, tid, attr, hops=b''):
    data = bytearray(mad(mgmt_class, GET, tid, attr, specific=len(hops)) + bytes(MAD - MAD_HEADER))
    if mgmt_class == SUBN_DIRECTED:
        data[32:36] = b'\xff' * 4
        data[128:129 + len(hops)] = b'\0' + hops
    return bytes(data)


def node_info(port, to, mgmt_class, hops=b''):
    """Returns the number of ports of the node that answers, and of the port that it answers by."""
    agent = port.register(qpn=0)
    port.send(agent, to, smp(mgmt_class, 77, NODE_INFO, hops), LONG, qpn=0)
    header, data = port.read()
    expect((agent, 0, GET_RESPONSE, NODE_INFO), (header.id, header.status, data[3], fields(data)[4]), 'answer')
    port.unregister(agent)
    return data[67], data[64 + 36]


def subnet_management():
    with Port('mem0') as port:
        expect((1, 1), node_info(port, lid('mem1', 1), SUBN), 'the other device')
        expect((2, 1), node_info(port, 0xffff, SUBN_DIRECTED), 'the own port')
        expect((1, 1), node_info(port, 0xffff, SUBN_DIRECTED, b'\1'), 'one hop')


def refused_routes():
    with Port('mem0') as port:
        agent = port.register(qpn=0)
        bad = bytearray(smp(SUBN_DIRECTED, 1, NODE_INFO))
        for pointer, count in ((0, 64), (0, 255), (5, 2), (255, 0)):
            bad[6:8] = bytes((pointer, count))
            try:
                port.send(agent, 0xffff, bytes(bad), 50, qpn=0)
            except OSError:
                continue
            header, _ = port.read()
            expect(errno.ETIMEDOUT, header.status, f'status of the route {pointer}/{count}')


def response_timeout():
    with Port('mem0') as port:
        agent = port.register()
        set_parameter('lose', VENDOR)
        begin = time.monotonic()
        request = vendor(GET, 0x123456789abcdef0)
        port.send(agent, lid('mem1', 1), request, 100, 2)
        header, data = port.read()
        set_parameter('lose', 0)
        if time.monotonic() - begin < 0.29:
            raise AssertionError('there were fewer than two more tries')
        expect((agent, errno.ETIMEDOUT, lid('mem1', 1), 100, 2),
               (header.id, header.status, header.lid, header.timeout, header.retries), 'header')
        expect(MAD_HEADER, len(data), 'length')
        expect((VENDOR, GET, 0x9abcdef0), (data[1], data[3], fields(data)[3] & 0xffffffff), 'request')


def too_little_room():
    with Port('mem0') as port:
        agent = port.register()
        set_parameter('lose', VENDOR)
        port.send(agent, lid('mem1', 1), vendor(GET, 1), 20)
        expect(True, port.is_readable(), 'a timeout')
        set_parameter('lose', 0)
        expect(errno.EINVAL, port.read_short(MAD_HEADER - 1)[0], 'short read of a timeout')
        edge = Edge()
        expect_errno(errno.EFAULT, read_at, port.fd, edge.before(64), 64 + MAD_HEADER)
        expect(errno.ETIMEDOUT, port.read(MAD_HEADER)[0].status, 'status')
        port.send(agent, lid('mem1', 1), mad(4, GET, 2) + bytes(232), LONG)
        expect(True, port.is_readable(), 'a response')
        expect(errno.EINVAL, port.read_short(MAD - 1)[0], 'short read')
        page = Page()
        page.protect(mmap.PROT_READ)
        expect_errno(errno.EFAULT, os.readv, port.fd, [page.map])
        expect_errno(errno.EFAULT, read_at, port.fd, edge.before(64), 64 + MAD)
        edge = Edge(PROT_NONE, page=0)
        expect_errno(errno.EFAULT, read_at, port.fd, edge.before(64), 64 + MAD)
        expect(2, fields(port.read()[1])[3] & 0xffffffff, 'transaction after failed reads')


def no_response_awaited():
    with Port('mem0') as client, Port('mem1') as server:
        agent = client.register()
        server.register(VENDOR, GETS)
        client.send(agent, lid('mem1', 1), vendor(GET, 8))
        expect(8, fields(server.read()[1])[3] & 0xffffffff, 'transaction')
        expect(False, client.is_readable(0.1), 'something to read')


def longest_times():
    """Times and numbers of tries that are negative for libibumad are the longest ones."""
    with Port('mem0') as port:
        port.send(port.register(), lid('mem1', 1), mad(4, GET, 6) + bytes(232), 0xffffffff, 0xffffffff)
        header, data = port.read()
        expect((0, 6), (header.status, fields(data)[3] & 0xffffffff), 'status and transaction')


def no_way_back():
    """A MAD with a global route to a GID that the port does not have comes over the link, and cannot be answered."""
    with Port('mem0') as client, Port('mem1') as server:
        agent = client.register()
        server.register(VENDOR, GETS)
        before = dropped()
        client.send(agent, 0xffff, vendor(GET, 1), grh=1, gid=gid('mem0', 2))
        client.send(agent, lid('mem1', 1), vendor(GET, 2))
        expect(2, fields(server.read()[1])[3] & 0xffffffff, 'transaction')
        expect(before + 1, dropped(), 'number of dropped MADs')


def lost_response():
    """A response by a global route to a GID that the port does not have is dropped, and the request comes back."""
    with Port('mem0') as client, Port('mem1') as server:
        agent, to = client.register(), lid('mem1', 1)
        serving = server.register(VENDOR, GETS)
        client.send(agent, to, vendor(GET, 1), LONG, grh=1, gid=gid('mem1', 1))
        header, data = server.read()
        before = dropped('mem0')
        header.lid = 0xffff
        server.answer(serving, header, data, grh=1, gid_index=header.gid_index, gid=gid('mem0', 2))
        header, data = client.read()
        expect((agent, errno.ETIMEDOUT, 1, MAD_HEADER), (header.id, header.status, fields(data)[3] & 0xffffffff, len(data)),
               'agent, status, transaction and length')
        expect(before + 1, dropped('mem0'), 'number of dropped MADs')
        client.send(agent, to, vendor(GET, 2))
        expect(2, fields(server.read()[1])[3] & 0xffffffff, 'transaction after that')


def failed_send():
    """A request whose send fails comes back; a MAD that awaits nothing does not."""
    with Port('mem0') as client:
        agent, to = client.register(), lid('mem1', 1)
        set_parameter('lose', VENDOR)
        set_parameter('send_error', LOC_QP_OP_ERR)
        client.send(agent, to, vendor(GET, 1))
        client.send(agent, to, vendor(GET, 2), LONG)
        header, data = client.read()
        set_parameter('send_error', 0)
        set_parameter('lose', 0)
        expect((errno.ETIMEDOUT, 2), (header.status, fields(data)[3] & 0xffffffff), 'status and transaction')
        expect(False, client.is_readable(0.1), 'something else to read')


def response_of(port):
    """Returns class and transaction of what is read."""
    _, data = port.read()
    return data[1], fields(data)[3] & 0xffffffff


def duplicates():
    to, other = lid('mem1', 1), lid('mem0', 2)
    with Port('mem0', flags=os.O_NONBLOCK) as port, Port('mem0') as second:
        agent, another = port.register(), second.register()
        set_parameter('lose', VENDOR)
        port.send(agent, to, vendor(GET, 1 << 40 | 1), 300)
        expect_errno(errno.EINVAL, port.send, agent, to, vendor(GET, 1), 300)
        expect_errno(errno.EINVAL, port.send, agent, other, vendor(SET, 1), 300)
        port.send(agent, to, vendor(GET, 2), 300)
        port.send(agent, to, mad(PLAIN, GET, 1) + bytes(232), 300)
        second.send(another, to, vendor(GET, 1), 300)
        expect((PLAIN, 1), response_of(port), 'class and transaction that ib_mad has refused')
        expect([(VENDOR, 1), (VENDOR, 2)], [response_of(port) for _ in range(2)], 'those that have ended')
        port.send(agent, to, vendor(GET, 1), 10)
        port.read()
        set_parameter('lose', 0)


def unregistered_with_sends():
    with Port('mem0', flags=os.O_NONBLOCK) as port:
        agent = port.register()
        set_parameter('lose', VENDOR)
        for tid in range(20):
            port.send(agent, lid('mem1', 1), vendor(GET, tid), LONG)
        port.unregister(agent)
        set_parameter('lose', 0)
        expect_errno(errno.EAGAIN, os.read, port.fd, 1024)
        agent = port.register()
        port.send(agent, lid('mem1', 1), mad(4, GET, 3) + bytes(232), LONG)     # answered by the device
        expect(3, fields(port.read()[1])[3] & 0xffffffff, 'transaction')


def closed_with_sends():
    set_parameter('lose', VENDOR)
    for _ in range(5):
        port = Port('mem0')
        agents = [port.register() for _ in range(MAX_AGENTS)]
        for tid, agent in enumerate(agents):
            port.send(agent, lid('mem1', 1), vendor(GET, tid), LONG)
        port.close()
    set_parameter('lose', 0)


def unread_when_closed():
    with Port('mem0') as client:
        agent = client.register()
        server = Port('mem1')
        server.register(VENDOR, GETS)
        for tid in range(10):
            client.send(agent, lid('mem1', 1), vendor(GET, tid))
        server.read()
        server.close()


# --- RMPP ---

def answered_message(length):
    """A request, and a response of several segments."""
    with Port('mem0') as client, Port('mem1') as server:
        agent = client.register(SUBN_ADM, 0, version=2, rmpp=1)
        serving = server.register(SUBN_ADM, 1 << GET_TABLE, version=2, rmpp=1)
        client.send(agent, lid('mem1', 1), message(GET_TABLE, 42, 200, flags=0), LONG)
        header, data = server.read()
        answer = message(GET_TABLE | RESPONSE, fields(data)[3], length, 5)
        server.send(serving, header.lid, answer, 1000, 5)
        expect(True, client.is_readable(), 'a message')
        if len(answer) > MAD:
            number, buffer = client.read_short(MAD)
            expect(errno.ENOSPC, number, 'error')
            first = Header.unpack(buffer[:client.size])
            expect((agent, client.size + len(answer)), (first.id, first.length), 'header with ENOSPC')
            expect(answer[SA_HEADER:MAD], buffer[client.size + SA_HEADER:], 'first segment')
            expect(errno.EINVAL, client.read_short(MAD - 1)[0], 'error')
            expect(errno.ENOSPC, client.read_short(len(answer) - 1)[0], 'error')
            edge = Edge()
            expect_errno(errno.EFAULT, read_at, client.fd, edge.before(client.size + MAD), client.size + len(answer))
        header, data = client.read(len(answer) + 100)
        expect((agent, 0, client.size + len(answer), len(answer)), (header.id, header.status, header.length, len(data)),
               'header')
        expect((SUBN_ADM, GET_TABLE | RESPONSE, 42), (data[1], data[3], fields(data)[3] & 0xffffffff), 'message')
        expect(answer[SA_HEADER:], data[SA_HEADER:], 'data')


def long_request():
    with Port('mem0') as client, Port('mem1') as server:
        agent = client.register(SUBN_ADM, 0, version=2, rmpp=1)
        server.register2(SUBN_ADM, 1 << SET, version=2, rmpp=1)
        request = message(SET, 7, 3001, 9)
        client.send(agent, lid('mem1', 1), request, 1000, 5)
        _, data = server.read(8192)
        expect(request[SA_HEADER:], data[SA_HEADER:], 'data')


def duplicate_responses():
    """Two responses that wait for their ACK: duplicates if they go to the same port."""
    with Port('mem0') as port:
        agent = port.register(SUBN_ADM, 0, version=2, rmpp=1)
        set_parameter('lose', SUBN_ADM)
        port.send(agent, lid('mem1', 1), message(GET_TABLE | RESPONSE, 1, 500), LONG)
        expect_errno(errno.EINVAL, port.send, agent, lid('mem1', 1), message(GET_TABLE | RESPONSE, 1, 500), LONG)
        port.send(agent, lid('mem0', 2), message(GET_TABLE | RESPONSE, 1, 500), LONG)
        port.send(agent, lid('mem1', 1), message(GET_TABLE | RESPONSE, 1, 500), LONG, grh=1, gid=gid('mem1', 1))
        expect_errno(errno.EINVAL, port.send, agent, lid('mem0', 2), message(GET_TABLE | RESPONSE, 1, 500), LONG, 0, 1)
        # Of another transaction, the one with a global route comes first.
        port.send(agent, lid('mem1', 1), message(GET_TABLE | RESPONSE, 2, 500), LONG, grh=1, gid=gid('mem1', 1))
        port.send(agent, lid('mem1', 1), message(GET_TABLE | RESPONSE, 2, 500), LONG)
        port.unregister(agent)
        set_parameter('lose', 0)


def request_and_response_alike():
    """A request and a response of one transaction, both to the same port, are no duplicates."""
    with Port('mem0') as client, Port('mem1') as server:
        agent = client.register()
        server.register(VENDOR, GETS)
        client.send(agent, lid('mem1', 1), vendor(GET, 1), LONG)
        tid = fields(server.read()[1])[3]
        client.send(agent, lid('mem1', 1), vendor(GET_RESPONSE, tid))
        expect_errno(errno.EINVAL, client.send, agent, lid('mem1', 1), vendor(GET, tid))


def own_rmpp():
    """Both processes do RMPP themselves: each datagram is one MAD, and a transaction has several."""
    with Port('mem0') as client, Port('mem1') as server:
        agent = client.register2(SUBN_ADM, 0, version=2, rmpp=1, flags=USER_RMPP)
        serving = server.register2(SUBN_ADM, 1 << GET_TABLE, version=2, rmpp=1, flags=USER_RMPP)
        segments = []
        for number, flags in ((1, ACTIVE | FIRST), (2, ACTIVE), (3, ACTIVE | LAST)):
            segment = bytearray(message(GET_TABLE, 6, 200, number, flags))
            segment[28:32] = struct.pack('>I', number)
            segments.append(bytes(segment))
            client.send(agent, lid('mem1', 1), segments[-1], LONG if number == 1 else 0)
        for segment in segments:
            header, data = server.read()
            expect(segment[MAD_HEADER:], data[MAD_HEADER:], 'segment')
        ack = bytearray(data)
        ack[3] |= RESPONSE
        ack[25:26] = b'\2'
        server.send(serving, header.lid, bytes(ack))
        header, data = client.read()
        expect((agent, 2, GET_TABLE | RESPONSE), (header.id, data[25], data[3]), 'ACK')
        expect_errno(errno.EINVAL, client.send, agent, lid('mem1', 1), message(GET_TABLE, 6, 201))


# --- limits ---

def dropped(device='mem1'):
    return int(read(f'{CLASS}/{node(device, 1)}/dropped'))


def unread_requests():
    """The reader reads nothing, and gets what came first. ib_mad may lose some, if it has no receive posted."""
    with Port('mem0') as client, Port('mem1') as server:
        agent = client.register()
        server.register(VENDOR, GETS)
        before, sent, tids = dropped(), 0, []
        header = Header(id=agent, lid=lid('mem1', 1), qpn=1, qkey=QKEY).pack()
        while dropped() < before + 10:
            for _ in range(200):
                sent += 1
                os.write(client.fd, header + vendor_short(sent))
            if sent > LIMIT // MAD:
                raise AssertionError('no MAD was dropped')
        last = -1
        while last != dropped():    # what is still under way
            last = dropped()
            time.sleep(0.2)
        while server.is_readable(0):
            tids.append(fields(os.read(server.fd, 1024)[64:])[3] & 0xffffffff)
        expect(-(-LIMIT // DATAGRAM_MEMORY), len(tids), 'number of MADs')
        expect(sorted(set(tids)), tids, 'order')
        if len(tids) + last - before > sent:
            raise AssertionError('MADs were counted as dropped that were not sent')
        client.send(agent, lid('mem1', 1), vendor(GET, sent + 1))
        expect(sent + 1, fields(server.read()[1])[3] & 0xffffffff, 'transaction after that')


def vendor_short(tid):
    return mad(VENDOR, GET, tid) + bytes(12) + struct.pack('>I', OUI)


def pending_sends():
    """Sends that nothing answers, in messages of a MiB."""
    with Port('mem0') as port:
        agent = port.register(SUBN_ADM, 0, version=2, rmpp=1)
        set_parameter('lose', SUBN_ADM)
        data = message(GET_TABLE, 0, 1 << 20)
        number = 0
        try:
            for number in range(64):
                port.send(agent, lid('mem1', 1), mad(SUBN_ADM, GET_TABLE, number, version=2) + data[MAD_HEADER:], LONG)
        except OSError as error:
            expect('ENOBUFS', errno.errorcode[error.errno], 'error')
        else:
            raise AssertionError('there is no limit')
        if not 4 <= number <= 16:
            raise AssertionError(f'{number} messages')
        port.unregister(agent)
        set_parameter('lose', 0)
        agent = port.register(SUBN_ADM, 0, version=2, rmpp=1)
        port.send(agent, lid('mem1', 1), message(GET_TABLE, 1, 100, flags=0))


def full_of_sends():
    """Two messages that count for just as much as a file may have."""
    length = 220 * 11460 - 112      # 11460 datagrams, of which each counts for 512 bytes more
    expect(LIMIT, 2 * (length + 512 * 11460), 'memory')
    with Port('mem0') as port:
        agent = port.register(SUBN_ADM, 0, version=2, rmpp=1)
        set_parameter('lose', SUBN_ADM)
        data = message(GET_TABLE, 0, length - SA_HEADER)[MAD_HEADER:]
        for tid in range(2):
            port.send(agent, lid('mem1', 1), mad(SUBN_ADM, GET_TABLE, tid, version=2) + data, LONG)
        expect_errno(errno.ENOBUFS, port.send, agent, lid('mem1', 1), message(GET_TABLE, 2, 100), LONG)
        port.unregister(agent)
        set_parameter('lose', 0)


# --- threads ---

def shared_file():
    """16 threads send requests by one file, and read responses, whosever they are."""
    with Port('mem0') as port:
        agents = [port.register() for _ in range(4)]
        number, each, to, seen = 16, 20, lid('mem1', 1), []

        def work(thread):
            for i in range(each):
                tid = thread << 16 | i
                port.send(agents[thread % 4], to, mad(4, GET, tid) + bytes(232), LONG)
                data = os.read(port.fd, 1024)
                seen.append((Header.unpack(data[:64]).id, fields(data[64:])[3] & 0xffffffff))
        for call in [Call(work, thread) for thread in range(number)]:
            expect(None, call.end(), 'result')
        expect(sorted((agents[t % 4], t << 16 | i) for t in range(number) for i in range(each)), sorted(seen), 'responses')


def registering_threads():
    """Threads that register, send, unregister each other's agents, and read."""
    with Port('mem0', flags=os.O_NONBLOCK) as port:
        to = lid('mem1', 1)

        def work(thread):
            for i in range(15):
                for call, args in ((port.register, ()), (port.send, (thread, to, mad(4, GET, thread << 16 | i) + bytes(232), 50)),
                                   (port.unregister, ((thread + i) % 20,)), (os.read, (port.fd, 1024))):
                    try:
                        call(*args)
                    except OSError as error:
                        if error.errno not in (errno.ENOMEM, errno.EIO, errno.EINVAL, errno.EAGAIN):
                            raise
        for call in [Call(work, thread) for thread in range(16)]:
            expect(None, call.end(), 'result')


# --- issmN ---

def capabilities(device, port):
    return int(read(f'/sys/class/infiniband/{device}/ports/{port}/cap_mask'), 0)


IS_SM = 2


def is_sm_bit():
    other = capabilities('mem0', 2)
    expect(0, capabilities('mem0', 1) & IS_SM, 'IsSM before')
    fd = os.open(path('mem0', 1, 'issm'), os.O_RDONLY)
    expect(IS_SM, capabilities('mem0', 1) & IS_SM, 'IsSM')
    expect(other, capabilities('mem0', 2), 'capabilities of the other port')
    expect_errno(errno.EINVAL, os.read, fd, 1)
    expect_errno(errno.EAGAIN, os.open, path('mem0', 1, 'issm'), os.O_RDONLY | os.O_NONBLOCK)
    os.close(os.open(path('mem0', 2, 'issm'), os.O_RDWR | os.O_NONBLOCK))
    os.close(fd)
    expect(0, capabilities('mem0', 1) & IS_SM, 'IsSM after')


def waiting_opener():
    fd = os.open(path('mem0', 1, 'issm'), os.O_RDONLY)
    call = Call(os.open, path('mem0', 1, 'issm'), os.O_RDONLY)
    time.sleep(0.2)
    expect(True, call.is_alive(), 'the second opener waits')
    os.close(fd)
    second = call.end()
    expect(IS_SM, capabilities('mem0', 1) & IS_SM, 'IsSM of the second opener')
    os.close(second)
    expect(0, capabilities('mem0', 1) & IS_SM, 'IsSM after')


def interrupted_opener():
    fd = os.open(path('mem0', 1, 'issm'), os.O_RDONLY)
    pid = os.fork()
    if not pid:
        os.close(fd)
        os.open(path('mem0', 1, 'issm'), os.O_RDONLY)
        os._exit(0)
    time.sleep(0.3)
    os.kill(pid, signal.SIGTERM)
    expect(signal.SIGTERM, os.WTERMSIG(os.waitpid(pid, 0)[1]), 'signal')
    os.close(fd)
    expect(0, capabilities('mem0', 1) & IS_SM, 'IsSM after')


def port_that_refuses():
    set_parameter('modify_error', errno.ENODATA)
    expect_errno(errno.ENODATA, os.open, path('mem0', 1, 'issm'), os.O_RDONLY)
    set_parameter('modify_error', 0)
    os.close(os.open(path('mem0', 1, 'issm'), os.O_RDONLY | os.O_NONBLOCK))


# --- removal ---

def make_devices():
    set_parameter('add', 'mem0 ca 2')
    set_parameter('add', 'mem1 ca 1')
    set_parameter('link', 'mem0 1 mem1 1')


def remove_devices():
    for name in ('mem0', 'mem1'):
        set_parameter('remove', name)


def is_gone(port, agent):
    expect_errno(errno.EIO, os.read, port.fd, 1024)
    expect_errno(errno.EIO, port.send, agent, 1, vendor(GET, 1))
    expect_errno(errno.EPIPE, port.register)
    expect_errno(errno.EPIPE, port.register2)
    expect_errno(errno.EINVAL, port.unregister, agent)
    expect(select.POLLERR, port.poll(), 'poll')


def removed_with_readers():
    port = Port('mem1')
    agent = port.register(VENDOR, GETS)
    calls = [Call(os.read, port.fd, 1024) for _ in range(3)]
    poll = select.poll()
    poll.register(port.fd, select.POLLIN)
    waiter = Call(poll.poll, PATIENCE * 1000)
    time.sleep(0.2)
    set_parameter('remove', 'mem1')
    for call in calls:
        expect(errno.EIO, call.end(), 'error of a reader')
    expect([(port.fd, select.POLLERR)], waiter.end(), 'poll')
    is_gone(port, agent)
    set_parameter('add', 'mem1 ca 1')
    is_gone(port, agent)
    with Port('mem1') as other:
        other.register(VENDOR, GETS)
    port.close()


def stalled_calls():
    """Calls wait for a page of the process: they hold up neither other calls nor the removal of the device."""
    with Port('mem1') as port, Port('mem0') as client:
        agent, sender = port.register(VENDOR, GETS), client.register()
        client.send(sender, lid('mem1', 1), vendor(GET, 1))
        expect(True, port.is_readable(), 'a request')
        pages = [Page(missing=True) for _ in range(5)]
        calls = [Call(os.readv, port.fd, [pages[0].map]), Call(os.write, port.fd, memoryview(pages[1].map)[:64 + MAD]),
                 Call(ioctl_at, port.fd, REGISTER, pages[2].address), Call(ioctl_at, port.fd, REGISTER2, pages[3].address),
                 Call(ioctl_at, port.fd, UNREGISTER, pages[4].address)]
        for page in pages:
            page.wait()
        port.unregister(port.register())
        expect(None, Call(set_parameter, 'remove', 'mem1').end(), 'removal')
        for page in pages:
            page.fill()
        expect([64 + MAD, errno.EIO, errno.EPIPE, errno.EPIPE, errno.EINVAL], [call.end() for call in calls], 'results')
        expect(1, fields(pages[0].map[64:64 + MAD])[3] & 0xffffffff, 'transaction')
        is_gone(port, agent)
        client.unregister(sender)
    set_parameter('add', 'mem1 ca 1')
    set_parameter('link', 'mem0 1 mem1 1')


def stalled_failing_read():
    """A read waits for the page with the header, and fails at the MAD, when the device is gone: the MAD is, too."""
    with Port('mem1') as port, Port('mem0') as client:
        agent, sender = port.register(VENDOR, GETS), client.register()
        client.send(sender, lid('mem1', 1), vendor(GET, 1))
        expect(True, port.is_readable(), 'a request')
        edge = Edge(missing=True)
        call = Call(read_at, port.fd, edge.before(64), 64 + MAD)
        edge.wait()
        expect(None, Call(set_parameter, 'remove', 'mem1').end(), 'removal')
        edge.fill()
        expect(errno.EFAULT, call.end(), 'result')
        is_gone(port, agent)
        client.unregister(sender)
    set_parameter('add', 'mem1 ca 1')
    set_parameter('link', 'mem0 1 mem1 1')


def removed_with_sends_and_unread():
    ports = [Port('mem0'), Port('mem0', 2), Port('mem1')]
    agents = [port.register() for port in ports]
    server = Port('mem1')
    serving = server.register(VENDOR, GETS)
    to = lid('mem1', 1)
    for tid in range(20):
        ports[0].send(agents[0], to, vendor(GET, tid), LONG)
    expect(True, server.is_readable(), 'a request')
    set_parameter('lose', VENDOR)
    for tid in range(20):
        ports[1].send(agents[1], to, vendor(GET, tid), LONG)
        ports[2].send(agents[2], lid('mem0', 1), vendor(GET, tid), LONG)
    remove_devices()
    set_parameter('lose', 0)
    for port, agent in zip(ports + [server], agents + [serving]):
        is_gone(port, agent)
    for port in ports + [server]:
        port.close()
    make_devices()


def removed_in_use():
    """Threads use files while the devices are removed, and made again, several times."""
    stop = []
    known = (errno.EIO, errno.EPIPE, errno.EINVAL, errno.ENOENT, errno.ENXIO, errno.EAGAIN, errno.ENODEV, errno.ENOMEM,
             errno.EBUSY)

    def work(thread):
        while not stop:
            try:
                port = Port('mem0', flags=os.O_NONBLOCK)
            except (AssertionError, OSError) as error:
                if isinstance(error, OSError) and error.errno not in known:
                    raise
                continue
            for tid in range(5):
                for call, args in ((port.register, ()), (port.send, (tid, 2, mad(4, GET, tid) + bytes(232), 20)),
                                   (os.read, (port.fd, 1024)), (port.unregister, (thread,))):
                    try:
                        call(*args)
                    except OSError as error:
                        if error.errno not in known:
                            raise
            port.close()
    calls = [Call(work, thread) for thread in range(4)]
    for _ in range(6):
        time.sleep(0.1)
        remove_devices()
        make_devices()
    stop.append(True)
    for call in calls:
        expect(None, call.end(), 'result')


def removed_with_sm():
    fd = os.open(path('mem0', 1, 'issm'), os.O_RDONLY)
    call = Call(os.open, path('mem0', 1, 'issm'), os.O_RDONLY)
    time.sleep(0.2)
    set_parameter('remove', 'mem0')
    expect(errno.ENXIO, call.end(), 'error of the opener that waits')
    set_parameter('add', 'mem0 ca 2')
    set_parameter('link', 'mem0 1 mem1 1')
    expect(0, capabilities('mem0', 1) & IS_SM, 'IsSM of the new device')
    second = os.open(path('mem0', 1, 'issm'), os.O_RDONLY | os.O_NONBLOCK)
    os.close(fd)
    expect(IS_SM, capabilities('mem0', 1) & IS_SM, 'IsSM after the old file was closed')
    os.close(second)


def numbers_again():
    names = [node('mem0', 1), node('mem0', 2), node('mem1', 1)]
    with Port('mem0'):
        remove_devices()
        make_devices()
    expect(names, [node('mem0', 1), node('mem0', 2), node('mem1', 1)], 'nodes')


# --- other devices ---

def switch_nodes():
    set_parameter('add', 'sw0 switch 0')
    expect(1, sum(read(f'{CLASS}/{name}/ibdev') == 'sw0' for name in os.listdir(CLASS) if name.startswith('umad')), 'umadN')
    expect(1, sum(read(f'{CLASS}/{name}/ibdev') == 'sw0' for name in os.listdir(CLASS) if name.startswith('issm')), 'issmN')
    with Port('sw0', 0) as port:
        port.register(qpn=0)
        os.close(os.open(path('sw0', 0, 'issm'), os.O_RDONLY))
    set_parameter('remove', 'sw0')


def nodes_of(device):
    """Returns the names of a device's nodes without their numbers."""
    kinds = [name for name in os.listdir(CLASS) if name[:4] in ('umad', 'issm')]
    return sorted(name[:4] for name in kinds if read(f'{CLASS}/{name}/ibdev') == device)


def partial_nodes():
    """A port without MADs has no nodes, and neither has a device of which that is the only port."""
    set_parameter('add', 'part0 partial 2')
    set_parameter('add', 'part1 partial 1')
    expect(['issm', 'umad'], nodes_of('part0'), 'nodes')
    expect([], nodes_of('part1'), 'nodes')
    with Port('part0', 1) as port:
        port.register()
    set_parameter('remove', 'part0')
    set_parameter('remove', 'part1')


def userns_nodes():
    """Those of a user namespace's devices have numbers that libibumad does not find."""
    set_parameter('add', 'user0 userns 1')
    expect(('umad64', 'issm64'), (node('user0', 1), node('user0', 1, 'issm')), 'nodes')
    set_parameter('remove', 'user0')


def roce_nodes():
    set_parameter('add', 'roce0 roce 0')
    with Port('roce0') as port:
        port.register(VENDOR, GETS)
        try:
            port.register(qpn=0)
        except OSError:
            pass
        else:
            raise AssertionError('a RoCE port has a QP 0')
    expect_issm = [name for name in os.listdir(CLASS) if name.startswith('issm') and
                   read(f'{CLASS}/{name}/ibdev') == 'roce0']
    expect([], expect_issm, 'issmN')
    set_parameter('remove', 'roce0')


# --- for failing allocations ---

def once():
    """Does each operation once. A MAD that was lost, because a handler had no memory, is an error like the others."""
    def out_of_memory():
        print('Cannot allocate memory: no MAD has come', file=sys.stderr)
        sys.exit(1)
    try:
        with Port('mem0') as client, Port('mem1') as server:
            agent = client.register(SUBN_ADM, 0, version=2, rmpp=1)
            serving = server.register2(SUBN_ADM, 1 << GET_TABLE, version=2, rmpp=1)
            client.send(agent, lid('mem1', 1), message(GET_TABLE, 42, 200, flags=0), 300)
            if not server.is_readable(3):
                out_of_memory()
            header, data = server.read()
            server.send(serving, header.lid, message(GET_TABLE | RESPONSE, fields(data)[3], 1000), 100, 5)
            if not client.is_readable(3):
                out_of_memory()
            header, _ = client.read(8192)
            if header.status:
                out_of_memory()
            client.unregister(agent)
            os.close(os.open(path('mem0', 1, 'issm'), os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        print(error.strerror, file=sys.stderr)
        return 1
    return 0


def opened(device, port):
    for kind in ('umad', 'issm'):
        try:
            os.close(os.open(path(device, port, kind), os.O_RDWR | os.O_NONBLOCK))
            print(kind, 'opened')
        except OSError as error:
            print(kind, errno.errorcode[error.errno])
    return 0


GROUPS = {
    'calls': (nodes, refused_registrations, unwritable_id, ids, methods_of_one, highest_method, headers, refused_writes,
              nothing_to_read, interrupted_read),
    'datagrams': (request_and_response, old_headers, ports_of_one_device, global_route, subnet_management, refused_routes,
                  response_timeout, too_little_room, no_response_awaited, longest_times, no_way_back, lost_response, failed_send,
                  duplicates, request_and_response_alike, unregistered_with_sends, closed_with_sends, unread_when_closed),
    'rmpp': (long_request, duplicate_responses, own_rmpp),
    'limits': (unread_requests, pending_sends, full_of_sends),
    'threads': (shared_file, registering_threads),
    'issm': (is_sm_bit, waiting_opener, interrupted_opener, port_that_refuses),
    'removal': (removed_with_readers, stalled_calls, stalled_failing_read, removed_with_sends_and_unread, removed_in_use,
                removed_with_sm, numbers_again),
    'others': (switch_nodes, partial_nodes, userns_nodes, roce_nodes),
}


def main(group, *args):
    if group == 'open':
        return opened(*args)
    if group == 'once':
        return once()
    report = Report()
    for test in GROUPS[group]:
        report.case(test.__name__.replace('_', ' '), test)
    if group == 'rmpp':
        for length in (1, 200, 201, 1000, 5000, 100000):
            report.case(f'message of {length} bytes', answered_message, length)
    return report.end()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
