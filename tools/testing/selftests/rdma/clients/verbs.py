#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Called by clients/tools.sh: tests pyverbs on two hosts; prints KTAP.

usage: verbs.py server ADDRESS
       verbs.py client ADDRESS DEVICE...    all devices that are there
"""
import errno
import json
import os
import subprocess
import sys

import pyverbs.cm_enums as ce
import pyverbs.enums as e
from pyverbs.cmid import CMID, AddrInfo, ConnParam
from pyverbs.cq import CQ, CompChannel
from pyverbs.device import Context, get_device_list
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr

from ktap import Report, expect

PORT = '7600'
SIZE = 4001
MESSAGES = 5
LOCAL = e.IBV_ACCESS_LOCAL_WRITE
ALL = LOCAL | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE


def fails_with(numbers, what, call):
    try:
        call()
    except PyverbsRDMAError as error:
        if abs(error.error_code) not in numbers:
            raise
    else:
        raise AssertionError(f'{what} succeeded')


def letters(message, size=SIZE):
    """Returns the text of this message, which has SIZE letters by default."""
    return ''.join(chr(97 + (message * 5 + i) % 26) for i in range(size))


# --- objects ---

def devices(wanted):
    names = sorted(device.name.decode() for device in get_device_list())
    expect(wanted, names, 'devices')


def attributes():
    with Context(name='siwa') as context:
        attr = context.query_device()
        expect(1, attr.phys_port_cnt, 'ports')
        expect(65536, attr.max_qp, 'QPs')
        port = context.query_port(1)
        expect(e.IBV_PORT_ACTIVE, port.state, 'state')
        expect(e.IBV_LINK_LAYER_ETHERNET, port.link_layer, 'link layer')


def regions():
    with Context(name='siwa') as context, PD(context) as pd:
        keys = set()
        for access in (0, LOCAL, LOCAL | e.IBV_ACCESS_REMOTE_READ, ALL):
            with MR(pd, SIZE, access) as mr:
                mr.write(letters(access), SIZE)
                expect(letters(access).encode(), mr.read(SIZE, 0), 'memory')
                keys.add(mr.lkey)
        expect(4, len(keys), 'different keys')
        fails_with([errno.EINVAL], 'REMOTE_WRITE alone', lambda: MR(pd, SIZE, e.IBV_ACCESS_REMOTE_WRITE))


def completion_queues():
    with Context(name='siwa') as context, CompChannel(context) as channel:
        with CQ(context, 100, None, channel, 0) as cq:
            cq.req_notify()
            expect(0, cq.poll(1)[0], 'completions')
            if cq.cqe < 100:
                raise AssertionError(f'{cq.cqe} entries')
        fails_with([errno.EINVAL], 'a CQ of 100 million entries', lambda: CQ(context, 100000000, None, None, 0))


def table(kind):
    """Returns the objects of this kind that the resource table has for this process."""
    command = ['rdma', '-j', 'resource', 'show', kind, 'pid', str(os.getpid())]
    return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=20).stdout)


def contexts():
    with Context(name='siwa') as first, Context(name='siwa') as second:
        with PD(first), PD(second), CQ(second, 16, None, None, 0):
            numbers = sorted(row['ctxn'] for row in table('ctx'))
            expect(2, len(set(numbers)), 'contexts')
            expect(numbers, sorted(row['ctxn'] for row in table('pd')), "PDs' contexts")
            if [row['ctxn'] for row in table('cq')] not in ([numbers[0]], [numbers[1]]):
                raise AssertionError('a CQ of another context')


def queue_pairs():
    with Context(name='siwa') as context, PD(context) as pd, CQ(context, 16, None, None, 0) as cq:
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4, max_recv_wr=4))
        with QP(pd, init) as first, QP(pd, init) as second:
            if first.qp_num == second.qp_num:
                raise AssertionError(f'two of number {first.qp_num}')
            expect(e.IBV_QPS_RESET, first.qp_state, 'state')
            first.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
            expect(e.IBV_QPS_ERR, first.query(e.IBV_QP_STATE)[0].qp_state, 'state')
        init = QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq, cap=QPCap())
        fails_with([errno.EOPNOTSUPP, errno.EINVAL], 'a datagram QP', lambda: QP(pd, init))


def shared_receive_queues():
    with Context(name='siwa') as context, PD(context) as pd:
        with SRQ(pd, SrqInitAttr(SrqAttr(max_wr=16))), SRQ(pd, SrqInitAttr(SrqAttr(max_wr=64))):
            pass


# --- connections ---

def attributes_of_qp():
    return QPInitAttr(qp_type=e.IBV_QPT_RC, cap=QPCap(max_send_wr=4, max_recv_wr=4))


def say(connection, memory):
    connection.post_send(memory, e.IBV_SEND_SIGNALED)
    expect(e.IBV_WC_SUCCESS, connection.get_send_comp().status, 'send')


def hear(connection):
    expect(e.IBV_WC_SUCCESS, connection.get_recv_comp().status, 'receive')


def answer(connection, messages, memory):
    """Expects the letters of each message, and sends them back in capitals."""
    for i in range(MESSAGES):
        hear(connection)
        expect(letters(i).encode(), messages.read(SIZE, 0), 'message')
        connection.post_recv(messages)
        memory.write(letters(i).upper(), SIZE)
        say(connection, memory)


def ask(connection, messages, memory):
    for i in range(MESSAGES):
        connection.post_recv(messages)
        memory.write(letters(i), SIZE)
        say(connection, memory)
        hear(connection)
        expect(letters(i).upper().encode(), messages.read(SIZE, 0), 'message')


def offer(connection, messages, memory):
    """Sends address and rkey of a region that the client writes to, and then reads."""
    region = MR(connection.pd, SIZE, ALL)
    text = f'{region.buf} {region.rkey} '
    hear(connection)
    connection.post_recv(messages)
    memory.write(text, len(text))
    say(connection, memory)
    hear(connection)
    expect(letters(77).encode(), region.read(SIZE, 0), 'what was written')
    connection.post_recv(messages)
    connection.post_recv(messages)
    region.write(letters(78), SIZE)
    say(connection, memory)
    hear(connection)


def is_left(connection):
    """Expects that the receive to which no message came is flushed when the client disconnects."""
    expect(e.IBV_WC_WR_FLUSH_ERR, connection.get_recv_comp().status, 'receive')


def use(connection, messages, memory):
    region = MR(connection.pd, SIZE, ALL)
    connection.post_recv(messages)
    say(connection, memory)
    hear(connection)
    addr, rkey = (int(word) for word in messages.read(SIZE, 0).split()[:2])
    region.write(letters(77), SIZE)
    connection.post_write(region, SIZE, addr, rkey, e.IBV_SEND_SIGNALED)
    expect(e.IBV_WC_SUCCESS, connection.get_send_comp().status, 'write')
    connection.post_recv(messages)
    say(connection, memory)
    hear(connection)
    connection.post_read(region, SIZE, addr, rkey, e.IBV_SEND_SIGNALED)
    expect(e.IBV_WC_SUCCESS, connection.get_send_comp().status, 'read')
    expect(letters(78).encode(), region.read(SIZE, 0), 'what was read')
    say(connection, memory)


def serve(report, address):
    info = AddrInfo(src=address, src_service=PORT, port_space=ce.RDMA_PS_TCP, flags=ce.RAI_PASSIVE)
    listener = CMID(creator=info, qp_init_attr=attributes_of_qp())
    listener.listen()
    connection = listener.get_request()
    messages, memory = connection.reg_msgs(SIZE), connection.reg_msgs(SIZE)
    connection.post_recv(messages)
    connection.accept(ConnParam(resources=4, depth=4))
    report.case('messages', answer, connection, messages, memory)
    report.case('memory that is offered', offer, connection, messages, memory)
    report.case('the end', is_left, connection)


def connect(report, address):
    info = AddrInfo(dst=address, dst_service=PORT, port_space=ce.RDMA_PS_TCP)
    connection = CMID(creator=info, qp_init_attr=attributes_of_qp())
    messages, memory = connection.reg_msgs(SIZE), connection.reg_msgs(SIZE)
    connection.connect(ConnParam(resources=4, depth=4))
    report.case('messages', ask, connection, messages, memory)
    report.case("the server's memory", use, connection, messages, memory)
    report.case('disconnecting', connection.disconnect)


def main():
    role, address, *names = sys.argv[1:] if len(sys.argv) > 2 else ('', '')
    if role not in ('server', 'client') or (role == 'client') != bool(names):
        sys.exit(__doc__)
    report = Report()
    if role == 'server':
        serve(report, address)
    else:
        report.case('devices', devices, names)
        report.case('attributes', attributes)
        report.case('memory regions', regions)
        report.case('completion queues', completion_queues)
        report.case('contexts in the resource table', contexts)
        report.case('queue pairs', queue_pairs)
        report.case('shared receive queues', shared_receive_queues)
        connect(report, address)
    sys.exit(report.end())


main()
