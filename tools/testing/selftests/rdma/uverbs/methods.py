#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Called by uverbs/methods.sh: a process that uses the objects of kt_method.ko; prints KTAP.

usage: methods.py UVERBS [failures]    the device's node, e.g. /dev/infiniband/uverbs0

With "failures", each allocation of the kernel for these objects fails once. The numbers of objects,
methods and attributes are those of kt_method.h.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time

import driver
from driver import PATIENCE, Call, expect_errno, libc
from ktap import Report, expect

PARAMETERS = '/sys/module/kt_method/parameters/'
NS = 1 << 12
BOX, EVENTS, ECHO_OBJECT, HIDDEN, LACKING, TWIN = range(NS, NS + 6)
CREATE, DESTROY, MODIFY, QUERY, SUM, TAKE, KIND, HOLD, PIN, BOX_HIDDEN, GROW, END, PIN_MORE, PIN_EACH, PIN_KINDS = \
    range(NS, NS + 15)
UHW_OUT, GROW_HANDLE, GROW_ERRNO, END_BOXES, EACH_ADDR, EACH_PAGES = range(NS + 1, NS + 7)
UHW_IN, CREATE_HANDLE, CREATE_VALUE, CREATE_FAIL, CREATE_OUT = NS, NS + 2, NS + 3, NS + 4, NS + 5
EARLY, LATE, AFTER_ANSWER = 1, 2, 3
HANDLE, ADD, FLAGS, BYTES, STRUCT, ENUM, RAW_FD, MODIFY_OUT, MODIFY_HIDDEN = range(NS, NS + 9)
NEGATE, DOUBLE = 1, 2
NONE, U16, ENUM_STRUCT = 0, 1, 2
QUERY_VALUE, QUERY_BYTES, QUERY_STRUCT = range(NS + 1, NS + 4)
SUM_HANDLES, SUM_OUT, SUM_MORE, SUM_MANY, SUM_NEVER = range(NS, NS + 5)
KIND_OUT, KIND_WRITTEN = NS + 1, NS + 2
PIN_HANDLE, PIN_ADDR, PIN_LEN, PIN_OUT = range(NS, NS + 4)
EVENTS_ALLOC, EVENTS_POST, TWIN_POST = NS, NS + 1, NS
EVENTS_FD, EVENTS_FAIL, EVENTS_VALUE, EVENTS_OUT = range(NS, NS + 4)
ECHO, ECHO_IN, ECHO_OUT, ECHO_ERRNO = NS, NS, NS + 1, NS + 2
FULL, FULL_ATTRS = NS + 1, 32
PD_QUERY, PD_HANDLE, PD_OUT = NS, NS, NS + 1
DM_BOX, DM_OUT = NS, NS + 1
ON_DEMAND = 1 << 6   # IB_UVERBS_ACCESS_ON_DEMAND
MAX_SUM = 1000
MAX_HANDLES = 16383     # as many as fit in an attribute
MAX_PINS = 3     # UVERBS_MAX_PINS of <rdma/uverbs_ioctl.h>
MAX_RUNS = (1 << MAX_PINS) + 3
NODE = 576       # bytes of a node of an XArray; a handle has fewer

# Standard objects and methods, from <rdma/ib_user_ioctl_cmds.h>.
OBJECT_DEVICE, OBJECT_PD, OBJECT_CQ, OBJECT_DM, OBJECT_ASYNC = 0, 1, 3, 14, 16
INFO_HANDLES, INFO_OBJECT, INFO_TOTAL, INFO_LIST = 1, 0, 1, 2
QUERY_CONTEXT, CONTEXT_VECTORS, CONTEXT_IN, CONTEXT_OUT = 4, 0, NS, NS + 1
QUERY_GIDS, GIDS_SIZE, GIDS_ENTRIES, GIDS_NUM = 5, 0, 2, 3
DM_ALLOC, DM_HANDLE, DM_LENGTH, DM_ALIGNMENT = 0, 0, 1, 2
ASYNC_ALLOC, ASYNC_FD = 0, 0
CQ_CREATE, CQ_HANDLE, CQ_CQE, CQ_USER_HANDLE, CQ_VECTOR, CQ_RESP_CQE, CQ_EVENT_FD = 0, 0, 1, 2, 4, 6, 7
CREATE_COMP_CHANNEL = 17    # a command of write(), from <rdma/ib_user_verbs.h>

MANDATORY, ANSWERED = 1, 2
HEADER, ATTR = 'HHHHQII', 'HHHBBQ'
IOCTL = 3 << 30 | struct.calcsize(HEADER) << 16 | 0x1b << 8 | 1


class Attr:
    """An attribute of a call; buffer is the memory that it points to, if any."""

    def __init__(self, number, length=0, data=0, buffer=None, element=0, flags=MANDATORY, reserved=0):
        self.number, self.length, self.data, self.buffer = number, length, data, buffer
        self.element, self.flags, self.reserved = element, flags, reserved

    def pack(self):
        data = ctypes.addressof(self.buffer) if self.buffer else self.data
        return struct.pack(ATTR, self.number, self.length, self.flags, self.element, self.reserved,
                           data % (1 << 64))

    def unpack(self, raw):
        self.flags, data = struct.unpack(ATTR, raw)[2], struct.unpack(ATTR, raw)[5]
        if not self.buffer:
            self.data = data

    def bytes(self):
        return self.buffer.raw[:self.length]

    def number_in(self, code='q'):
        return struct.unpack(code, self.bytes())[0]


def data(number, content, **more):
    """Data of up to 8 bytes is in the attribute itself."""
    if len(content) <= 8:
        return Attr(number, len(content), int.from_bytes(content, sys.byteorder), **more)
    return Attr(number, len(content), buffer=ctypes.create_string_buffer(content, len(content)), **more)


def value(number, code, *numbers, **more):
    return data(number, struct.pack('=' + code, *numbers), **more)


def room(number, length, **more):
    return Attr(number, length, buffer=ctypes.create_string_buffer(b'\x77' * length, length), **more)


def handles(number, numbers):
    return data(number, struct.pack(f'={len(numbers)}I', *numbers))


class Device(driver.Device):
    """An open device with a context."""

    def call(self, object_id, method, *attrs, driver_id=0):
        size = struct.calcsize(HEADER) + len(attrs) * struct.calcsize(ATTR)
        head = struct.pack(HEADER, size, object_id, method, len(attrs), 0, driver_id, 0)
        call = ctypes.create_string_buffer(head + b''.join(attr.pack() for attr in attrs), size)
        ret = libc.ioctl(self.fd, ctypes.c_ulong(IOCTL), call)
        number = ctypes.get_errno()
        for i, attr in enumerate(attrs):
            at = struct.calcsize(HEADER) + i * struct.calcsize(ATTR)
            attr.unpack(call.raw[at:at + struct.calcsize(ATTR)])
        if ret:
            raise OSError(number, os.strerror(number))

    def create(self, number, *more):
        attr = Attr(CREATE_HANDLE)
        self.call(BOX, CREATE, attr, value(CREATE_VALUE, 'i', number), *more)
        return attr.data

    def destroy(self, box):
        self.call(BOX, DESTROY, Attr(HANDLE, data=box))

    def modify(self, box, *attrs):
        self.call(BOX, MODIFY, Attr(HANDLE, data=box), *attrs)

    def query(self, box, *more):
        out = room(QUERY_VALUE, 8)
        self.call(BOX, QUERY, Attr(HANDLE, data=box), out, *more)
        return out.number_in()

    def sum(self, boxes, *more):
        out = room(SUM_OUT, 8)
        self.call(BOX, SUM, handles(SUM_HANDLES, boxes), out, *more)
        return out.number_in()

    def events(self, *more):
        attr = Attr(EVENTS_FD)
        self.call(EVENTS, EVENTS_ALLOC, attr, *more)
        return attr.data

    def post(self, fd, number):
        self.call(EVENTS, EVENTS_POST, Attr(EVENTS_FD, data=fd), value(EVENTS_VALUE, 'Q', number))

    def echo(self, *attrs):
        self.call(ECHO_OBJECT, ECHO, *attrs)

    def alloc_pd(self):
        return self.command(driver.ALLOC_PD, b'', 1)[0]

    def close(self):
        os.close(self.fd)


def state():
    """Returns numbers of boxes, files, calls on hold, and of objects destroyed for each reason."""
    with open(PARAMETERS + 'state', encoding='ascii') as file:
        words = file.read().split()
    return {'boxes': int(words[1]), 'files': int(words[3]), 'held': int(words[5]),
            **dict(zip(('destroy', 'close', 'remove', 'abort'), map(int, words[7:])))}


def set_parameter(name, text):
    with open(PARAMETERS + name, 'w', encoding='ascii') as file:
        file.write(text)


class Changes:
    """Expects that the numbers of state() change as given, and others not at all."""

    def __init__(self, **want):
        self.want = want
        self.before = None

    def __enter__(self):
        self.before = state()

    def __exit__(self, kind, *_):
        after = state()
        seen = {name: after[name] - self.before[name] for name in after
                if after[name] != self.before[name]}
        if not kind:
            expect(self.want, seen, 'changes of the numbers of objects')


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError('nothing happens')
        time.sleep(0.01)


# --- boxes ---

def test_life(dev, path):
    with Changes(destroy=2):
        out = room(CREATE_OUT, 8)
        box = dev.create(-5, out)
        expect(-5, out.number_in(), 'answer at the creation')
        expect(MANDATORY | ANSWERED, out.flags, 'flags of an answer')
        expect(-5, dev.query(box), 'value')
        other = dev.create(7, value(UHW_IN, 'I', 3))
        expect((True, 10), (other != box, dev.query(other)), 'second handle, value with driver data')
        dev.destroy(box)
        expect_errno(errno.ENOENT, dev.query, box)
        expect_errno(errno.ENOENT, dev.destroy, box)
        expect(10, dev.query(other), 'value')
        dev.destroy(other)
    second = Device(path)
    with Changes(close=3):
        for i in range(3):
            second.create(i)
        second.close()


def test_methods(dev):
    box = dev.create(1)
    expect_errno(errno.EPROTONOSUPPORT, dev.call, NS + 50, NS)
    expect_errno(errno.EPROTONOSUPPORT, dev.call, BOX, NS + 50)
    expect_errno(errno.EPROTONOSUPPORT, dev.call, BOX, 0)
    expect_errno(errno.EPROTONOSUPPORT, dev.call, OBJECT_PD, NS + 50)
    expect_errno(errno.EOPNOTSUPP, dev.call, HIDDEN, ECHO)
    expect_errno(errno.EOPNOTSUPP, dev.call, LACKING, ECHO)
    expect_errno(errno.EOPNOTSUPP, dev.call, BOX, BOX_HIDDEN, Attr(HANDLE, data=box))
    expect_errno(errno.EOPNOTSUPP, dev.modify, box, Attr(MODIFY_HIDDEN, data=box))
    dev.modify(box)
    dev.destroy(box)


def test_attributes(dev):
    box = Attr(HANDLE, data=dev.create(1))
    out = room(QUERY_VALUE, 8)
    expect_errno(errno.EINVAL, dev.call, BOX, QUERY, box)
    expect_errno(errno.EINVAL, dev.call, BOX, QUERY, out)
    expect_errno(errno.EINVAL, dev.call, BOX, QUERY)
    expect_errno(errno.EINVAL, dev.call, BOX, QUERY, box, box, out)
    expect_errno(errno.EPROTONOSUPPORT, dev.call, BOX, QUERY, box, out, Attr(NS + 70))
    dev.call(BOX, QUERY, box, out, Attr(NS + 70, flags=0), Attr(7, 999, 8, flags=0), Attr(8, flags=ANSWERED))
    expect(1, out.number_in(), 'value')
    expect_errno(errno.EINVAL, dev.call, BOX, QUERY, box, room(QUERY_VALUE, 8, flags=4))
    expect_errno(errno.EINVAL, dev.call, BOX, QUERY, box, room(QUERY_VALUE, 8, element=1))
    expect_errno(errno.EINVAL, dev.call, BOX, QUERY, box, room(QUERY_VALUE, 8, reserved=1))
    for length in (0, 7, 9, 65535):
        expect_errno(errno.EINVAL, dev.call, BOX, QUERY, box, room(QUERY_VALUE, length))
    expect_errno(errno.EFAULT, dev.call, BOX, QUERY, box, Attr(QUERY_VALUE, 8, 8))
    expect_errno(errno.EINVAL, lambda: dev.call(BOX, QUERY, box, out, driver_id=1))
    expect_errno(errno.E2BIG, dev.call, BOX, QUERY, box, out, *(Attr(100 + i, flags=0) for i in range(31)))
    dev.call(BOX, QUERY, box, out, *(Attr(100 + i, flags=0) for i in range(30)))
    dev.call(ECHO_OBJECT, FULL, *(value(NS + i, 'I', i) for i in range(FULL_ATTRS)))
    dev.destroy(box.data)


def test_first_attributes(dev):
    """Each attribute can be the first one of a call."""
    box = Attr(HANDLE, data=dev.create(10))

    def modify(first, *more):
        dev.call(BOX, MODIFY, first, *more, box)
        return dev.query(box.data)

    expect(8, modify(value(ADD, 'q', -2)), 'value')
    expect(16, modify(value(FLAGS, 'I', DOUBLE)), 'value')
    expect(123, modify(Attr(RAW_FD, data=123)), 'value')
    expect(65535, modify(value(ENUM, 'H', 65535, element=U16)), 'value')
    modify(value(STRUCT, 'II', 3, 4))
    modify(data(BYTES, b'123456789'))
    out = room(MODIFY_OUT, 8)
    expect(65534, modify(out, value(ADD, 'q', -1)), 'value')
    expect(65534, out.number_in(), 'answer')
    for number, content in ((QUERY_STRUCT, struct.pack('II', 3, 4)), (QUERY_BYTES, b'123456789')):
        answer = room(number, len(content))
        dev.call(BOX, QUERY, answer, room(QUERY_VALUE, 8), box)
        expect(content, answer.bytes(), 'answer')
    dev.destroy(box.data)


def test_marked_answer(dev):
    """A driver marks an attribute as answered, which it has not written to."""
    box, out = Attr(HANDLE, data=dev.create(1)), room(KIND_OUT, 4)
    for order in ((0, 1, 2), (2, 1, 0)):
        marked = room(KIND_WRITTEN, 4)
        dev.call(BOX, KIND, *((marked, box, out)[i] for i in order))
        expect((bytes(4), MANDATORY | ANSWERED), (marked.bytes(), marked.flags), 'answer')
        expect(BOX, out.number_in('I'), 'kind')
    dev.destroy(box.data)


def test_headers(dev):
    """The header is wrong; it, or the attributes, are not in memory, or cannot be written."""
    box, out, page = dev.create(5), room(QUERY_VALUE, 8), mmap.PAGESIZE
    memory = driver.Area(-1, 0)
    attrs = Attr(HANDLE, data=box).pack() + out.pack()
    head = struct.calcsize(HEADER)
    size = head + len(attrs)

    def put(at=0, length=size, reserved1=0, reserved2=0, written=size):
        frame = struct.pack(HEADER, length, BOX, QUERY, 2, reserved1, 0, reserved2) + attrs
        ctypes.memmove(memory.start + at, frame, written)

    def call(at=0, code=IOCTL):
        if libc.ioctl(dev.fd, ctypes.c_ulong(code), ctypes.c_void_p(memory.start + at)):
            raise OSError(ctypes.get_errno(), 'ioctl')

    for wrong in (0, size - 1, size - struct.calcsize(ATTR), size + struct.calcsize(ATTR), 65535):
        put(length=wrong)
        expect_errno(errno.EINVAL, call)
    for wrong in ({'reserved1': 1}, {'reserved2': 1}):
        put(**wrong)
        expect_errno(errno.EPROTONOSUPPORT, call)
    put()
    for wrong in (0, IOCTL + 1, IOCTL & ~(3 << 30), 0x5401):
        expect_errno(errno.ENOTTY, call, 0, wrong)
    call()
    expect(5, out.number_in(), 'value')

    memory.unmap(1, 1)
    expect_errno(errno.EFAULT, call, page)
    put(page - head, written=head)
    expect_errno(errno.EFAULT, call, page - head)
    # The answer itself can be written, but not that it was written, nor the handle of a new object.
    put()
    create = Attr(CREATE_HANDLE).pack() + value(CREATE_VALUE, 'i', 1).pack()
    create = struct.pack(HEADER, head + len(create), BOX, CREATE, 2, 0, 0, 0) + create
    ctypes.memmove(memory.start + page // 2, create, len(create))
    expect(0, libc.mprotect(ctypes.c_void_p(memory.start), ctypes.c_size_t(page), mmap.PROT_READ), 'mprotect()')
    expect_errno(errno.EFAULT, call)
    with Changes(abort=1):
        expect_errno(errno.EFAULT, call, page // 2)
    memory.unmap(0, 1)
    dev.destroy(box)


def test_numbers(dev):
    box = dev.create(10)
    dev.modify(box, value(ADD, 'q', -1))
    expect(9, dev.query(box), 'value')
    dev.modify(box, value(FLAGS, 'I', DOUBLE | NEGATE))
    expect(-18, dev.query(box), 'value')
    dev.modify(box, value(FLAGS, 'Q', NEGATE), value(ADD, 'q', -2))
    expect(20, dev.query(box), 'value')
    out = room(MODIFY_OUT, 8)
    dev.modify(box, Attr(RAW_FD, data=123), value(ADD, 'q', 1), out)
    expect(124, out.number_in(), 'value')
    for fd in (0, (1 << 31) - 1):
        dev.modify(box, Attr(RAW_FD, data=fd))
        expect(fd, dev.query(box), 'value')
    dev.modify(box, Attr(RAW_FD, data=0), value(ADD, 'q', (1 << 31) - 1))
    expect((1 << 31) - 1, dev.query(box), 'value')
    dev.modify(box, Attr(RAW_FD, data=124), value(ADD, 'q', -(1 << 31)))
    expect(124 - (1 << 31), dev.query(box), 'value')
    dev.modify(box, Attr(RAW_FD, data=124))
    dev.destroy(dev.create(1, value(CREATE_FAIL, 'q', (1 << 32) - 1)))
    for wrong in (1 << 31, -(1 << 31) - 1, 1 << 40, -(1 << 63)):
        expect_errno(errno.EINVAL, dev.modify, box, value(ADD, 'q', wrong))
    for length in (0, 4, 7, 9):
        expect_errno(errno.EINVAL, dev.modify, box, data(ADD, bytes(length)))
    for wrong in (4, (1 << 32) - 1, 1 << 32, 1 << 63):
        expect_errno(errno.EINVAL, dev.modify, box, value(FLAGS, 'Q', wrong))
    for length in (0, 3, 5, 6, 9):
        expect_errno(errno.EINVAL, dev.modify, box, data(FLAGS, bytes(length)))
    for wrong in (-1, 1 << 31):
        expect_errno(errno.EBADF, dev.modify, box, Attr(RAW_FD, data=wrong))
    expect_errno(errno.EINVAL, dev.modify, box, Attr(RAW_FD, 4, 1))
    expect_errno(errno.EINVAL, dev.create, 1, value(CREATE_FAIL, 'q', 1 << 32))
    expect_errno(errno.EINVAL, dev.create, 1, value(CREATE_FAIL, 'q', -1))
    expect(124, dev.query(box), 'value')
    dev.destroy(box)


def test_bytes(dev):
    box = dev.create(0)
    for length in (2, 7, 8, 9, 300, 4096):
        content = os.urandom(length)
        dev.modify(box, data(BYTES, content))
        whole, part, more = room(QUERY_BYTES, length), room(QUERY_BYTES, 2), room(QUERY_BYTES, length + 9)
        for out in (whole, part, more):
            dev.query(box, out)
        expect(content, whole.bytes(), 'bytes')
        expect(content[:2], part.bytes(), 'first bytes')
        expect(content + bytes(9), more.bytes(), 'bytes and zeros')
    for length in (0, 1, 4097, 65535):
        expect_errno(errno.EINVAL, dev.modify, box, data(BYTES, bytes(length)))
    expect_errno(errno.EFAULT, dev.modify, box, Attr(BYTES, 100, 8))
    expect_errno(errno.EINVAL, dev.query, box, room(QUERY_BYTES, 1))
    dev.destroy(box)


def test_structures(dev):
    def seen():
        out = room(QUERY_STRUCT, 8)
        dev.query(box, out)
        return struct.unpack('II', out.bytes())

    box = dev.create(0)
    dev.modify(box, value(STRUCT, 'II', 3, 4))
    expect((3, 4), seen(), 'structure')
    dev.modify(box, value(STRUCT, 'I', 5))
    expect((5, 0), seen(), 'structure of an old process')
    dev.modify(box, data(STRUCT, struct.pack('II', 6, 7) + bytes(100)))
    expect((6, 7), seen(), 'structure of a new process')
    expect_errno(errno.EOPNOTSUPP, dev.modify, box, data(STRUCT, struct.pack('II', 8, 9) + b'\0\1'))
    for length in (0, 3):
        expect_errno(errno.EINVAL, dev.modify, box, data(STRUCT, bytes(length)))
        expect_errno(errno.EINVAL, dev.query, box, room(QUERY_STRUCT, length))
    out = room(QUERY_STRUCT, 12)
    dev.query(box, out)
    expect((6, 7, 0), struct.unpack('III', out.bytes()), 'structure with more room')
    out = room(QUERY_STRUCT, 4)
    dev.query(box, out)
    expect((6,), struct.unpack('I', out.bytes()), 'structure with less room')
    dev.destroy(box)


def test_enumeration(dev):
    box = dev.create(77)
    dev.modify(box, data(ENUM, b'', element=NONE))
    expect(0, dev.query(box), 'value')
    dev.modify(box, value(ENUM, 'H', 65535, element=U16))
    expect(65535, dev.query(box), 'value')
    dev.modify(box, data(ENUM, struct.pack('II', 1, 2) + bytes(10), element=ENUM_STRUCT))
    out = room(QUERY_STRUCT, 8)
    dev.query(box, out)
    expect((1, 2), struct.unpack('II', out.bytes()), 'structure')
    expect_errno(errno.EINVAL, dev.modify, box, data(ENUM, b'1', element=NONE))
    expect_errno(errno.EINVAL, dev.modify, box, data(ENUM, b'1', element=U16))
    expect_errno(errno.EINVAL, dev.modify, box, data(ENUM, b'123', element=U16))
    expect_errno(errno.EINVAL, dev.modify, box, data(ENUM, b'12', element=U16, reserved=1))
    expect_errno(errno.EOPNOTSUPP, dev.modify, box, data(ENUM, bytes(8) + b'\0\1', element=ENUM_STRUCT))
    for wrong in (3, 255):
        expect_errno(errno.EOPNOTSUPP, dev.modify, box, data(ENUM, b'12', element=wrong))
    dev.destroy(box)


def test_handles(dev, path):
    other = Device(path)
    box, pd = dev.create(1), dev.alloc_pd()
    foreign = [other.create(2) for _ in range(3)][2]
    expect_errno(errno.EINVAL, dev.query, pd)
    expect_errno(errno.EINVAL, dev.modify, pd)
    expect_errno(errno.EINVAL, dev.destroy, pd)
    expect_errno(errno.ENOENT, dev.query, foreign)
    expect_errno(errno.ENOENT, dev.destroy, foreign)
    expect_errno(errno.ENOENT, dev.query, (1 << 32) - 1)
    expect_errno(errno.EINVAL, dev.query, 1 << 32)
    expect_errno(errno.EINVAL, dev.call, BOX, DESTROY, Attr(HANDLE, 4, box))
    expect_errno(errno.EINVAL, dev.call, OBJECT_PD, PD_QUERY, Attr(PD_HANDLE, data=box), room(PD_OUT, 4))
    for handle, want in ((box, BOX), (pd, OBJECT_PD)):
        out = room(KIND_OUT, 4)
        dev.call(BOX, KIND, Attr(HANDLE, data=handle), out)
        expect(want, out.number_in('I'), 'kind')
    expect_errno(errno.ENOENT, dev.call, BOX, KIND, Attr(HANDLE, data=foreign), room(KIND_OUT, 4))
    other.close()
    dev.command(driver.DEALLOC_PD, struct.pack('I', pd), 0)
    dev.destroy(box)


def test_arrays(dev):
    boxes = [dev.create(i) for i in range(20)]
    for count in (1, 2, 3, 20):
        expect(sum(range(count)), dev.sum(boxes[:count]), 'sum')
    many = (boxes * MAX_SUM)[:MAX_SUM]
    expect(sum(range(20)) * MAX_SUM // 20, dev.sum(many), 'sum of many')
    expect(3 + 3000 + 4000, dev.sum([boxes[3]], handles(SUM_MORE, boxes[3:5])), 'sum of two arrays')
    expect(3, dev.sum([boxes[3]], handles(SUM_MORE, [])), 'sum with an empty array')
    expect(3 + MAX_HANDLES, dev.sum([boxes[3]], handles(SUM_MANY, [boxes[1]] * MAX_HANDLES)), 'sum with the longest array')
    expect_errno(errno.EINVAL, dev.sum, [boxes[3]], handles(SUM_NEVER, [boxes[1]] * MAX_HANDLES))
    expect_errno(errno.EINVAL, dev.sum, [])
    expect_errno(errno.EINVAL, dev.sum, many + boxes[:1])
    expect_errno(errno.EINVAL, dev.sum, boxes[:1], handles(SUM_MORE, boxes[:3]))
    expect_errno(errno.EINVAL, dev.call, BOX, SUM, data(SUM_HANDLES, bytes(6)), room(SUM_OUT, 8))
    expect_errno(errno.EFAULT, dev.call, BOX, SUM, Attr(SUM_HANDLES, 400, 8), room(SUM_OUT, 8))
    expect_errno(errno.ENOENT, dev.sum, boxes[:9] + [12345] + boxes[9:])
    dev.call(BOX, TAKE, handles(SUM_HANDLES, boxes))
    expect_errno(errno.EBUSY, dev.call, BOX, TAKE, handles(SUM_HANDLES, boxes + boxes[:1]))
    expect(sum(range(1, 21)), dev.sum(boxes), 'sum')
    for box in boxes:
        dev.destroy(box)


# --- conflicts, failures ---

def hold(dev, box):
    before = state()['held']
    call = Call(dev.call, BOX, HOLD, Attr(HANDLE, data=box))
    wait_for(lambda: state()['held'] == before + 1)
    return call


def test_busy(dev):
    box = dev.create(4)
    call = hold(dev, box)
    expect_errno(errno.EBUSY, dev.modify, box)
    expect_errno(errno.EBUSY, dev.destroy, box)
    expect_errno(errno.EBUSY, dev.call, BOX, TAKE, handles(SUM_HANDLES, [box]))
    expect(4, dev.query(box), 'value')
    set_parameter('state', 'release')
    expect(0, call.end(), 'errno of the call that has waited')
    dev.modify(box)
    dev.destroy(box)


def test_region_in_use(dev):
    """A region cannot be changed while a call uses it, because the driver may replace it."""
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    start, pd = driver.address_of(memory), dev.alloc_pd()
    region = dev.reg_mr(pd, start, mmap.PAGESIZE, 0)[0]
    call = hold(dev, region)
    try:
        expect_errno(errno.EBUSY, dev.rereg_mr, region, start, mmap.PAGESIZE, driver.LOCAL_WRITE)
    finally:
        set_parameter('state', 'release')
    expect(0, call.end(), 'errno of the call that has waited')
    dev.rereg_mr(region, start, mmap.PAGESIZE, driver.LOCAL_WRITE)
    dev.command(driver.DEREG_MR, struct.pack('I', region), 0)
    dev.command(driver.DEALLOC_PD, struct.pack('I', pd), 0)


def test_kill(path):
    """A process is killed while a call of it uses a box, and a file is open."""
    def child():
        dev = Device(path)
        dev.events()
        os.write(ready[1], b'1')
        dev.call(BOX, HOLD, Attr(HANDLE, data=dev.create(1)))

    with Changes(close=2):
        ready = os.pipe()
        pid = os.fork()
        if not pid:
            child()
            os._exit(1)
        os.read(ready[0], 1)
        wait_for(lambda: state()['held'])
        os.kill(pid, signal.SIGKILL)
        expect(signal.SIGKILL, os.waitpid(pid, 0)[1], 'status of the process')
        wait_for(lambda: not state()['boxes'] and not state()['files'])


def test_refused_destruction(path):
    dev = Device(path)
    box = dev.create(-errno.EBUSY)
    with Changes():
        expect_errno(errno.EBUSY, dev.destroy, box)
        expect_errno(errno.EBUSY, dev.destroy, box)
    expect(-errno.EBUSY, dev.query(box), 'value')
    with Changes(boxes=-1, close=1):
        dev.close()


def test_once(dev):
    """What a method has done is not done again because its answer's page was not there."""
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def call(method, handle, to=address):
        memory.madvise(mmap.MADV_DONTNEED)
        dev.call(BOX, method, Attr(GROW_HANDLE, data=handle), Attr(UHW_OUT, 8, to))
        return struct.unpack('q', memory[:8])[0]

    box, other = dev.create(5), dev.create(6)
    expect((6, 6), (call(GROW, box), dev.query(box)), 'answer, value')
    with Changes(boxes=-1, destroy=1):
        left = call(END, box)
    expect(state()['boxes'], left, 'answer')
    expect_errno(errno.EFAULT, call, GROW, other, 8)
    expect(7, dev.query(other), 'value, without a place for the answer')
    with Changes(boxes=-1, destroy=1):
        expect_errno(errno.EFAULT, call, END, other, 8)
    box, other = dev.create(5), dev.create(6)
    with Changes(boxes=-1, destroy=1):
        dev.call(BOX, END, Attr(GROW_HANDLE, data=box), handles(END_BOXES, [other]))
    expect_errno(errno.EFAULT, dev.call, BOX, GROW, Attr(GROW_HANDLE, data=other), value(GROW_ERRNO, 'I', errno.EFAULT))
    expect(7, dev.query(other), 'value, after the driver has failed')
    dev.destroy(other)


def test_failed_creation(dev):
    with Changes():
        expect_errno(errno.ENXIO, dev.create, 1, value(CREATE_FAIL, 'q', EARLY))
    with Changes(abort=1):
        expect_errno(errno.ENXIO, dev.create, 1, value(CREATE_FAIL, 'q', LATE))
    with Changes(abort=1):
        expect_errno(errno.EFAULT, dev.create, 1, Attr(CREATE_OUT, 8, 8))
    with Changes(abort=1):
        expect_errno(errno.ENXIO, dev.events, value(EVENTS_FAIL, 'q', LATE))
    with Changes(abort=1):
        expect_errno(errno.EFAULT, dev.events, Attr(EVENTS_OUT, 4, 8))
    with Changes():
        expect_errno(errno.ENXIO, dev.events, value(EVENTS_FAIL, 'q', EARLY))
    # The answers of a creation that fails, but no handle and no descriptor.
    with Changes(abort=2):
        out, fd_out = room(CREATE_OUT, 8), room(EVENTS_OUT, 4)
        expect_errno(errno.ENXIO, dev.create, 78, value(CREATE_FAIL, 'q', AFTER_ANSWER), out)
        expect_errno(errno.ENXIO, dev.events, value(EVENTS_FAIL, 'q', AFTER_ANSWER), fd_out)
    expect((78, MANDATORY | ANSWERED), (out.number_in(), fd_out.flags), 'answer, flags of an answer')


def test_refused_abort(path):
    """A box whose creation has failed, and which the driver does not destroy then, ends with the file."""
    dev = Device(path)
    with Changes(boxes=1):
        expect_errno(errno.ENXIO, dev.create, -errno.EBUSY, value(CREATE_FAIL, 'q', LATE))
    with Changes(boxes=-1, close=1):
        dev.close()


def test_echo(dev):
    for length in (1, 8, 9, 1000, 65535):
        content = os.urandom(length)
        out = room(ECHO_OUT, length)
        dev.echo(data(ECHO_IN, content), out)
        expect(content, out.bytes(), 'answer')
    out = room(ECHO_OUT, 4)
    expect_errno(errno.EREMOTEIO, dev.echo, data(ECHO_IN, b'abcd'), out, value(ECHO_ERRNO, 'I', errno.EREMOTEIO))
    expect((b'abcd', MANDATORY | ANSWERED), (out.bytes(), out.flags), 'answer of a call that has failed')


def test_standard(dev, path):
    with open(f'/sys/class/infiniband_verbs/{os.path.basename(path)}/abi_version', encoding='ascii') as file:
        expect('1', file.read().strip(), 'version of the interface')
    pd = dev.alloc_pd()
    out = room(PD_OUT, 4)
    dev.call(OBJECT_PD, PD_QUERY, Attr(PD_HANDLE, data=pd), out)
    expect(0, out.number_in('I'), 'users of a PD')
    dev.command(driver.DEALLOC_PD, struct.pack('I', pd), 0)

    box = dev.create(50)
    dm = [Attr(DM_HANDLE), value(DM_LENGTH, 'Q', 64), value(DM_ALIGNMENT, 'I', 0)]
    out = room(DM_OUT, 8)
    dev.call(OBJECT_DM, DM_ALLOC, *dm, out)
    expect(-errno.ENOENT, out.number_in(), 'answer without a box')
    dev.call(OBJECT_DM, DM_ALLOC, *dm, out, Attr(DM_BOX, data=box))
    expect((50, 51), (out.number_in(), dev.query(box)), 'answer with a box, value after')
    expect_errno(errno.EINVAL, dev.call, OBJECT_DM, DM_ALLOC, *dm)
    expect_errno(errno.ENOENT, dev.call, OBJECT_DM, DM_ALLOC, *dm, out, Attr(DM_BOX, data=12345))
    dev.destroy(box)

    vectors, out = room(CONTEXT_VECTORS, 4), room(CONTEXT_OUT, 4)
    dev.call(OBJECT_DEVICE, QUERY_CONTEXT, vectors, out, value(CONTEXT_IN, 'I', 41))
    expect((4, 42), (vectors.number_in('I'), out.number_in('I')), 'vectors, answer of the driver')
    expect_errno(errno.ENODATA, dev.call, OBJECT_DEVICE, QUERY_CONTEXT, vectors, out)
    expect_errno(errno.EINVAL, dev.call, OBJECT_DEVICE, QUERY_CONTEXT, vectors)


def test_list(path):
    dev = Device(path)
    boxes = [dev.create(i) for i in range(3)]
    total, listed = room(INFO_TOTAL, 4), room(INFO_LIST, 12)
    dev.call(OBJECT_DEVICE, INFO_HANDLES, value(INFO_OBJECT, 'Q', BOX), total, listed)
    expect((3, sorted(boxes)), (total.number_in('I'), sorted(struct.unpack('III', listed.bytes()))), 'handles')
    dev.close()


def test_without_mmap(dev):
    """The driver has nothing to map."""
    for offset in (0, mmap.PAGESIZE):
        expect_errno(errno.EINVAL, dev.map, offset, mmap.PAGESIZE)


def test_without_context(path):
    dev = Device.__new__(Device)
    dev.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    expect_errno(errno.EINVAL, dev.create, 1)
    expect_errno(errno.EINVAL, dev.echo, data(ECHO_IN, b'1'), room(ECHO_OUT, 1))
    dev.close()


def test_memory(dev):
    """A method that pins memory runs again, after the memory was pinned."""
    memory = mmap.mmap(-1, 4 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    memory[:8] = struct.pack('Q', 4711)
    with Changes(destroy=1):
        box, out = Attr(PIN_HANDLE), room(PIN_OUT, 8)
        dev.call(BOX, PIN, box, value(PIN_ADDR, 'Q', start), value(PIN_LEN, 'Q', 4 * mmap.PAGESIZE), out)
        expect(4711, out.number_in(), 'first word of the memory')
        dev.destroy(box.data)
    with Changes():
        expect_errno(errno.EFAULT, dev.call, BOX, PIN, box, value(PIN_ADDR, 'Q', mmap.PAGESIZE),
                     value(PIN_LEN, 'Q', mmap.PAGESIZE), out)
        # Less than the eight bytes that the driver copies; more than there are addresses, or than a table has entries.
        last = (1 << 64) - mmap.PAGESIZE
        # As many pages as a table may have entries, most of which are not there.
        expect_errno(errno.EFAULT, dev.call, BOX, PIN, box, value(PIN_ADDR, 'Q', mmap.PAGESIZE),
                     value(PIN_LEN, 'Q', (1 << 43) - mmap.PAGESIZE), out)
        for addr, length in ((start, 0), (start, 1), (start, 7), (last, 2 * mmap.PAGESIZE), (last, 1), (mmap.PAGESIZE, 1 << 43)):
            expect_errno(errno.EINVAL, dev.call, BOX, PIN, box, value(PIN_ADDR, 'Q', addr), value(PIN_LEN, 'Q', length), out)
    with Changes(abort=1):
        expect_errno(errno.EFAULT, dev.call, BOX, PIN, box, value(PIN_ADDR, 'Q', start),
                     value(PIN_LEN, 'Q', mmap.PAGESIZE), Attr(PIN_OUT, 8, 8))


def test_many_pins(dev):
    """A driver that needs one more range in each run fails in the run behind the last range that a call may have."""
    memory = mmap.mmap(-1, 2 * MAX_PINS * mmap.PAGESIZE)
    box, before = dev.create(0), driver.pinned()
    expect_errno(errno.EBUSY, dev.call, BOX, PIN_MORE, Attr(HANDLE, data=box),
                 value(PIN_ADDR, 'Q', driver.address_of(memory)))
    expect(MAX_PINS + 1, dev.query(box), 'runs')
    expect(before, driver.pinned(), 'bytes that are pinned')
    dev.destroy(box)


def test_kinds(dev):
    """Memory that is pinned for a call is only used for a range that is as long, and not longer, or to be written."""
    memory = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    box, before = dev.create(0), driver.pinned()
    dev.call(BOX, PIN_KINDS, Attr(GROW_HANDLE, data=box), value(EACH_ADDR, 'Q', driver.address_of(memory)))
    expect((4, before), (dev.query(box), driver.pinned()), 'runs, bytes that are pinned')
    dev.destroy(box)


def test_on_demand(dev):
    """A region with on-demand paging is registered without its pages."""
    memory = mmap.mmap(-1, 4 * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start, pd = driver.address_of(memory), dev.alloc_pd()
    there = ctypes.create_string_buffer(4)
    for access in (driver.LOCAL_WRITE | ON_DEMAND, driver.LOCAL_WRITE):
        memory.madvise(mmap.MADV_DONTNEED)
        region = dev.reg_mr(pd, start, len(memory), access)[0]
        expect(0, libc.mincore(ctypes.c_void_p(start), ctypes.c_size_t(len(memory)), there), 'mincore()')
        expect(not access & ON_DEMAND, any(there.raw), 'pages are there')
        dev.command(driver.DEREG_MR, struct.pack('I', region), 0)
    dev.command(driver.DEALLOC_PD, struct.pack('I', pd), 0)


def test_runs(dev):
    """A driver that takes one range in each run ends, unless it needs too many runs. Its last answer counts."""
    memory = mmap.mmap(-1, 2 * MAX_RUNS * mmap.PAGESIZE)
    start, before = driver.address_of(memory), driver.pinned()
    for pages in (1, 4, MAX_RUNS - 1):
        box = dev.create(0)
        dev.call(BOX, PIN_EACH, Attr(GROW_HANDLE, data=box), value(EACH_ADDR, 'Q', start), value(EACH_PAGES, 'Q', pages))
        expect(pages + 1, dev.query(box), 'runs')
        dev.destroy(box)
    box, out = dev.create(0), room(UHW_OUT, 8)
    dev.call(BOX, PIN_EACH, Attr(GROW_HANDLE, data=box), value(EACH_ADDR, 'Q', start), value(EACH_PAGES, 'Q', 1), out)
    expect((2, struct.pack('Q', start)[:4] + bytes(4)), (dev.query(box), out.bytes()), 'runs, answer of the last one')
    dev.destroy(box)
    box = dev.create(0)
    expect_errno(errno.EBUSY, dev.call, BOX, PIN_EACH, Attr(GROW_HANDLE, data=box), value(EACH_ADDR, 'Q', start),
                 value(EACH_PAGES, 'Q', MAX_RUNS))
    expect((MAX_RUNS, before), (dev.query(box), driver.pinned()), 'runs, bytes that are pinned')
    dev.destroy(box)


# --- files ---

def set_nonblocking(fd):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)


def readable(fd, patience=0):
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLRDHUP)
    return [event for _, event in poll.poll(patience * 1000)]


def read_number(fd):
    return struct.unpack('Q', os.read(fd, 8))[0]


def test_file(dev, path):
    with Changes(close=1):
        out = room(EVENTS_OUT, 4)
        fd = dev.events(out)
        expect(fd, out.number_in('i'), 'descriptor that the driver knows')
        expect('anon_inode:[kt_events]', os.readlink(f'/proc/self/fd/{fd}'), 'name of the file')
        expect(fcntl.FD_CLOEXEC, fcntl.fcntl(fd, fcntl.F_GETFD), 'flags of the descriptor')
        expect([], readable(fd), 'poll without an event')
        reader = Call(read_number, fd)
        dev.post(fd, 42)
        expect((0, 42), (reader.end(), reader.result), 'number that was read')
        for i in range(16):
            dev.post(fd, i)
        expect_errno(errno.ENOSPC, dev.post, fd, 16)
        expect([select.POLLIN], readable(fd, PATIENCE), 'poll with events')
        copy = os.dup(fd)
        os.close(fd)
        expect(list(range(16)), [read_number(copy) for _ in range(16)], 'numbers')
        set_nonblocking(copy)
        expect_errno(errno.EAGAIN, os.read, copy, 8)
        expect_errno(errno.EINVAL, os.read, copy, 7)
        dev.post(copy, 1)
        os.close(copy)
    expect_errno(errno.EBADF, dev.post, copy, 1)

    other = Device(path)
    foreign, plain = other.events(), os.open('/dev/null', os.O_RDONLY)
    for wrong in (foreign, plain, dev.fd, -1, 1 << 31, 1 << 40):
        expect_errno(errno.EBADF, dev.post, wrong, 1)
    expect_errno(errno.EBADF, other.call, TWIN, TWIN_POST, Attr(EVENTS_FD, data=foreign))
    other.post(foreign, 7)
    with Changes(files=-1, close=1):
        other.close()
    expect(7, read_number(foreign), 'number that was posted before')
    expect_errno(errno.EIO, os.read, foreign, 8)
    expect([select.POLLRDHUP], readable(foreign), 'poll after the end')
    with Changes():
        os.close(foreign)
    os.close(plain)


class FreeZero:
    """The next file gets the descriptor 0, which is restored at the end."""

    def __enter__(self):
        self.saved = os.dup(0)
        os.close(0)

    def __exit__(self, *_):
        os.dup2(self.saved, 0)
        os.close(self.saved)


def new_channel(dev, command, words):
    """Returns the descriptor with which the answer of a command of write() begins."""
    answer = ctypes.create_string_buffer(b'\x77' * 4 * words, 4 * words)
    os.write(dev.fd, struct.pack('IHHQ', command, 4, words, ctypes.addressof(answer)))
    return struct.unpack_from('i', answer.raw)[0]


def test_descriptor_0(dev, path):
    """Files that the kernel makes may have the descriptor 0."""
    with FreeZero():
        expect(0, dev.events(), 'descriptor of a file')
        dev.post(0, 42)
        expect(42, read_number(0), 'number')
        os.close(0)
        async_file = Attr(ASYNC_FD, data=77)
        dev.call(OBJECT_ASYNC, ASYNC_ALLOC, async_file)
        expect(0, async_file.data, 'descriptor of an event channel')
        cqe = room(CQ_RESP_CQE, 4)
        cq = [Attr(CQ_HANDLE), value(CQ_CQE, 'I', 8), value(CQ_USER_HANDLE, 'Q', 1), value(CQ_VECTOR, 'I', 0), cqe]
        dev.call(OBJECT_CQ, CQ_CREATE, *cq, Attr(CQ_EVENT_FD, data=0))
        expect(8, cqe.number_in('I'), 'entries of a CQ')
        os.close(0)
        expect_errno(errno.EBADF, dev.call, OBJECT_CQ, CQ_CREATE, *cq, Attr(CQ_EVENT_FD, data=0))
        expect(0, new_channel(dev, CREATE_COMP_CHANNEL, 1), 'descriptor of a completion channel')
        os.close(0)
    other = Device.__new__(Device)
    other.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    with FreeZero():
        expect(0, new_channel(other, driver.GET_CONTEXT, 2), 'descriptor of the first event channel')
        other.alloc_pd()
        other.close()
        os.close(0)


def test_no_descriptor(dev):
    """The process may have no more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Changes():
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        try:
            expect_errno(errno.EMFILE, dev.events)
            expect_errno(errno.EMFILE, dev.call, OBJECT_ASYNC, ASYNC_ALLOC, Attr(ASYNC_FD))
            expect_errno(errno.EMFILE, dev.command, CREATE_COMP_CHANNEL, b'', 1)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_file_wakes(path):
    """The end of the device file wakes a reader."""
    dev = Device(path)
    fd = dev.events()
    reader = Call(read_number, fd)
    dev.close()
    expect(errno.EIO, reader.end(), 'errno of the reader')
    os.close(fd)


def test_many_files(path):
    """Files are closed by one thread while the device file is closed by another."""
    with Changes(close=50):
        for _ in range(5):
            dev = Device(path)
            fds = [dev.events() for _ in range(10)]
            closer = Call(dev.close)
            for fd in fds:
                os.close(fd)
            expect(0, closer.end(), 'errno of close()')


# --- definitions that are wrong ---

def node_of(name):
    folder = '/sys/class/infiniband_verbs'
    for node in os.listdir(folder):
        try:
            with open(f'{folder}/{node}/ibdev', encoding='ascii') as file:
                if file.read().strip() == name:
                    return node
        except OSError:
            pass
    return None


def test_wrong(which):
    set_parameter('wrong', str(which))
    expect(True, os.path.exists('/sys/class/infiniband/ktwrong'), 'the device is there')
    expect(None, node_of('ktwrong'), 'node of the device')
    set_parameter('wrong', 'none')


def test_all_wrong():
    which = 0
    while True:
        try:
            test_wrong(which)
        except OSError as error:
            expect(errno.ERANGE, error.errno, 'errno after the last definition')
            break
        except AssertionError as error:
            raise AssertionError(f'definition {which}: {error}') from None
        which += 1
    expect(True, which > 20, 'many definitions')


# --- removal ---

class MissingPage:
    """A page that a userfaultfd delays, until it is provided."""
    NUMBER = {'x86_64': 323, 'aarch64': 282}

    def __init__(self):
        self.memory = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.fd = libc.syscall(self.NUMBER[os.uname().machine], os.O_CLOEXEC | os.O_NONBLOCK)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), 'userfaultfd')
        self.control(0x3f, struct.pack('QQQ', 0xaa, 0, 0))
        self.control(0x00, struct.pack('QQQQ', self.address, mmap.PAGESIZE, 1, 0))

    def control(self, number, argument):
        code = 3 << 30 | len(argument) << 16 | 0xaa << 8 | number
        if libc.ioctl(self.fd, ctypes.c_ulong(code), ctypes.create_string_buffer(argument, len(argument))):
            raise OSError(ctypes.get_errno(), 'ioctl of userfaultfd')

    def wait(self):
        expect([select.POLLIN], readable(self.fd, PATIENCE), 'the call reaches the missing page')

    def provide(self):
        self.control(0x04, struct.pack('QQQQ', self.address, mmap.PAGESIZE, 0, 0))


def has_userfaultfd():
    try:
        MissingPage()
    except OSError:
        return False
    return True


def test_removal(path, stalled):
    """The device is removed while objects are in use, and calls wait for pages of the process."""
    dev, other = Device(path), Device(path)
    bare = os.open(path, os.O_RDWR | os.O_CLOEXEC)    # without a context
    fd, box = dev.events(), dev.create(1)
    dev.post(fd, 5)
    reader = Call(lambda: [read_number(fd), read_number(fd)])
    pages, calls = [], []
    if stalled:
        for call in ((other.create, lambda at: (1, Attr(CREATE_OUT, 8, at))),
                     (other.events, lambda at: (Attr(EVENTS_OUT, 4, at),)),
                     (other.echo, lambda at: (Attr(ECHO_IN, 100, at), room(ECHO_OUT, 100)))):
            page = MissingPage()
            calls.append(Call(call[0], *call[1](page.address)))
            page.wait()
            pages.append(page)
    want = {'remove': 4 if stalled else 2, 'boxes': -2 if stalled else -1, 'files': -2 if stalled else -1}
    with Changes(**want):
        removal = Call(set_parameter, 'state', 'remove')
        expect(0, removal.end(), 'errno of the removal')
    expect(errno.EIO, reader.end(), 'errno of the reader')
    for page, call in zip(pages, calls):
        page.provide()
        expect(errno.EIO, call.end(), 'errno of a call that was stopped')
    expect_errno(errno.EIO, dev.query, box)
    expect_errno(errno.EIO, dev.create, 1)
    expect_errno(errno.EIO, dev.events)
    expect_errno(errno.EIO, dev.post, fd, 1)
    expect_errno(errno.EIO, os.read, fd, 8)
    with Changes():
        dev.close()
        os.close(fd)
        os.close(bare)
        other.close()


# --- failures of allocations ---

class Failures:
    """Makes allocations fail, one after another."""
    KINDS = ('failslab', 'fail_page_alloc')

    def __init__(self, kind):
        self.folder = f'/sys/kernel/debug/{kind}/'

    def set(self, name, number):
        with open(self.folder + name, 'w', encoding='ascii') as file:
            file.write(str(number))

    @staticmethod
    def range_of(function):
        """Returns where a function of a module begins, and where the next one begins."""
        with open('/proc/kallsyms', encoding='ascii') as file:
            symbols = sorted((int(words[0], 16), words[2]) for words in map(str.split, file))
        start = next(address for address, name in symbols if name == function)
        return start, next(address for address, _ in symbols if address > start)

    def all_fail(self, function, operation, space=0):
        """Runs the operation while allocations in the call chain of a function fail, behind those of so many bytes."""
        names = ('require-start', 'require-end')
        before = []
        for name, address in zip(names, self.range_of(function)):
            with open(self.folder + name, encoding='ascii') as file:
                before.append(file.read().strip())
            self.set(name, hex(address))
        for name, number in (('space', space), ('interval', 1), ('times', 1000000), ('probability', 100)):
            self.set(name, number)
        try:
            operation()
        finally:
            for name, number in (('probability', 0), ('space', 0), *zip(names, before)):
                self.set(name, number)

    def sweep(self, operation):
        """Runs the operation until no allocation is left to fail. Returns how many have failed."""
        for nth in range(1, 200):
            self.set('count', 0)
            self.set('interval', nth)
            self.set('times', 1)
            self.set('probability', 100)
            try:
                operation()
                number = 0
            except OSError as error:
                number = error.errno
            self.set('probability', 0)
            with open(self.folder + 'times', encoding='ascii') as file:
                failed = int(file.read()) == 0
            if number not in ((0, errno.ENOMEM, errno.ENFILE) if failed else (0,)):
                raise AssertionError(f'allocation {nth}: {errno.errorcode[number]}')
            if not failed:
                return nth - 1
        raise AssertionError('no end of allocations')


def sweep(path, operation, least):
    """Sweeps with a device file of its own, because an object whose destruction fails stays until the end."""
    dev = Device(path)
    before = state()
    boxes = [dev.create(i) for i in range(40)]
    operation(dev, boxes)
    count = sum(Failures(kind).sweep(lambda: operation(dev, boxes)) for kind in Failures.KINDS)
    dev.close()
    after = state()
    expect((before['boxes'], before['files']), (after['boxes'], after['files']), 'objects that exist')
    expect(True, count >= least, f'enough allocations ({count})')


def create_and_destroy(dev, _):
    dev.destroy(dev.create(1, value(CREATE_FAIL, 'q', 0)))


def change_bytes(dev, boxes):
    dev.modify(boxes[0], data(BYTES, bytes(4096)))


def make_file(dev, _):
    os.close(dev.events())


def use_array(dev, boxes):
    dev.sum(boxes)


def use_memory(dev, _):
    dev.echo(data(ECHO_IN, bytes(1000)), room(ECHO_OUT, 1000))


def list_boxes(dev, boxes):
    listed = room(INFO_LIST, 4 * len(boxes))
    dev.call(OBJECT_DEVICE, INFO_HANDLES, value(INFO_OBJECT, 'Q', BOX), room(INFO_TOTAL, 4), listed)


def list_gids(dev, _):
    dev.call(OBJECT_DEVICE, QUERY_GIDS, value(GIDS_SIZE, 'Q', 64), room(GIDS_ENTRIES, 4096), room(GIDS_NUM, 8))


def fail_late(dev, _):
    try:
        dev.create(1, value(CREATE_FAIL, 'q', LATE))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise


def first_error(make, end):
    """Makes objects until that fails. The free numbers of the table, which need no memory, are used up by then."""
    made = []
    try:
        for _ in range(300):
            made.append(make())
    except OSError as error:
        return error.errno
    finally:
        for one in made:
            end(one)
    return 0


def make_context(path):
    dev = Device.__new__(Device)
    dev.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.close(dev.command(driver.GET_CONTEXT, b'', 2)[0])
    except OSError:
        dev.close()
        raise
    return dev


def test_no_table(path):
    """Contexts and PDs are not made if the table of objects has no memory."""
    dev, seen = Device(path), []
    failures = Failures('failslab')
    kinds = (('a context', lambda: make_context(path), Device.close),
             ('a PD', dev.alloc_pd, lambda pd: dev.command(driver.DEALLOC_PD, struct.pack('I', pd), 0)))
    for what, make, end in kinds:
        failures.all_fail('rdma_restrack_add', lambda ops=(make, end): seen.append(first_error(*ops)))
        expect(errno.ENOMEM, seen[-1], f'errno of {what} without memory for the table')
        end(make())
    dev.close()


def test_no_number(path):
    """A handle needs memory for the table of handles if all nodes of the table are full. Each has 64 handles."""
    dev = Device(path)
    last = dev.create(0)
    while last % 64 != 63:
        last = dev.create(0)
    with Changes():
        expect_errno(errno.ENOMEM, Failures('failslab').all_fail, 'uverbs_object_new', lambda: dev.create(2), NODE + 1)
    other = dev.create(3)
    expect((True, 0, 3), (other != last, dev.query(last), dev.query(other)), 'handles, values')
    dev.close()


def run_failures(report, path):
    for operation, least in ((create_and_destroy, 4), (change_bytes, 2), (make_file, 3), (use_array, 1),
                             (use_memory, 2), (list_boxes, 1), (list_gids, 2), (fail_late, 3)):
        report.case(f'allocations fail: {operation.__name__}', sweep, path, operation, least)
    report.case('no memory for the table of objects', test_no_table, path)
    report.case('no memory for a handle', test_no_number, path)


def with_device(test, path, *args):
    """Runs a test with a device file of its own, so that a test that fails leaves nothing."""
    dev = Device(path)
    try:
        test(dev, *args)
    finally:
        dev.close()


def run_tests(report, path):
    for name, test, *args in (('creation, use and destruction', test_life, path),
                              ('unknown methods', test_methods),
                              ('unknown, missing and wrong attributes', test_attributes),
                              ('attributes in another order', test_first_attributes),
                              ('an answer that is marked', test_marked_answer),
                              ('headers of calls', test_headers),
                              ('numbers', test_numbers),
                              ('bytes', test_bytes),
                              ('structures', test_structures),
                              ('an enumeration', test_enumeration),
                              ('handles', test_handles, path),
                              ('arrays of handles', test_arrays),
                              ('an object in use', test_busy),
                              ('a region in use', test_region_in_use),
                              ('methods run once', test_once),
                              ('failed creations', test_failed_creation),
                              ('memory of a call, and answers of a call that fails', test_echo),
                              ('additions to standard objects', test_standard, path),
                              ('a method that pins memory', test_memory),
                              ('a method that pins too many ranges', test_many_pins),
                              ('a method that runs often', test_runs),
                              ('memory of other kinds', test_kinds),
                              ('on-demand paging', test_on_demand),
                              ('mapping without an operation for it', test_without_mmap),
                              ('files whose descriptor is 0', test_descriptor_0, path),
                              ('no descriptor is left', test_no_descriptor),
                              ('a file', test_file, path)):
        report.case(name, with_device, test, path, *args)
    report.case('the process is killed', test_kill, path)
    report.case('the driver refuses a destruction', test_refused_destruction, path)
    report.case('the driver refuses to undo a creation', test_refused_abort, path)
    report.case('handles are listed', test_list, path)
    report.case('calls without a context', test_without_context, path)
    report.case('a reader of a file is woken', test_file_wakes, path)
    report.case('files and the device file are closed at a time', test_many_files, path)
    report.case('definitions that are wrong', test_all_wrong)
    stalled = has_userfaultfd()
    report.case('the device is removed' + (' while calls wait for pages' if stalled else ''),
                test_removal, path, stalled)


def main():
    report = Report()
    if sys.argv[2:] == ['failures']:
        run_failures(report, sys.argv[1])
    else:
        run_tests(report, sys.argv[1])
    return report.end()


if __name__ == '__main__':
    sys.exit(main())
