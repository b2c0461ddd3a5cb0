#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Called by uverbs/driver.sh: a process that uses the device of kt_driver.ko; prints KTAP.

usage: driver.py UVERBS [use|stay]    the device's node, e.g. /dev/infiniband/uverbs0

With "use", does each operation once, and prints the first error instead. With "stay", maps memory, prints "mapped", and
uses it once more when a line of input has come, before which the device was removed.
"""
import ctypes
import errno
import mmap
import os
import signal
import struct
import sys
import threading
import time

from ktap import Report, expect

PAGE = mmap.PAGESIZE
PARAMETERS = '/sys/module/kt_driver/parameters/'
GET_CONTEXT, ALLOC_PD, DEALLOC_PD, REG_MR, REREG_MR, DEREG_MR = 0, 3, 4, 9, 11, 13
CREATE_CQ, DESTROY_CQ, POLL_CQ, REQ_NOTIFY_CQ, POST_SEND, POST_RECV, POST_SRQ_RECV = 18, 20, 21, 23, 28, 29, 36
REREG_TRANS, REREG_PD, REREG_ACCESS = 1, 2, 4
LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ = 1, 2, 4
ENTRY = 5 * PAGE        # offset of the entry of two pages
OWN = 10 * PAGE         # two pages that the driver maps without ib_uverbs
COUNTED = 12 * PAGE     # two pages whose users the driver counts
FAULTED = 14 * PAGE     # two more, for which the driver has other operations, too
FAILED = 16 * PAGE      # registers that the driver maps, after which it fails
MAX_MR = 1 << 30        # longest region
MREMAP_MAYMOVE, MREMAP_FIXED = 1, 2
PATIENCE = 10 * int(os.environ.get('KRDMA_SLOW', '1'))

libc = ctypes.CDLL(None, use_errno=True)
for name in ('mmap', 'mremap'):
    getattr(libc, name).restype = ctypes.c_size_t


def expect_errno(want, function, *args):
    try:
        function(*args)
    except OSError as error:
        expect(errno.errorcode[want], errno.errorcode[error.errno], 'error')
    else:
        raise AssertionError(f'no error, not {errno.errorcode[want]}')


def parameter(name):
    with open(PARAMETERS + name, encoding='ascii') as file:
        return file.read().strip()


def set_parameter(name, value):
    with open(PARAMETERS + name, 'w', encoding='ascii') as file:
        file.write(str(value))


class Call(threading.Thread):
    """A call in a thread of its own; errno is its result."""

    def __init__(self, function, *args):
        super().__init__(daemon=True)
        self.function, self.args = function, args
        self.result, self.errno = None, 0
        self.start()

    def run(self):
        try:
            self.result = self.function(*self.args)
        except OSError as error:
            self.errno = error.errno

    def end(self):
        self.join(PATIENCE)
        if self.is_alive():
            raise AssertionError('a call does not end')
        return self.errno


def numbers():
    """Returns the numbers of contexts that exist, and of entries that were freed."""
    return tuple(int(number) for number in parameter('state').split()[1:4:2])


class Device:
    """An open verbs device, and its commands."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self.command(GET_CONTEXT, b'', 2)

    def command(self, number, data, answers):
        """Returns the answer, as a tuple of words of 32 bits."""
        answer = ctypes.create_string_buffer(max(4 * answers, 1))
        if answers:
            data = struct.pack('Q', ctypes.addressof(answer)) + data
        os.write(self.fd, struct.pack('IHH', number, 2 + len(data) // 4, answers) + data)
        return struct.unpack(f'{answers}I', answer.raw[:4 * answers])

    def map(self, offset, length, flags=mmap.MAP_SHARED):
        return mmap.mmap(self.fd, length, flags, mmap.PROT_READ | mmap.PROT_WRITE, offset=offset)

    def reg_mr(self, pd, start, length, access, iova=None, data=b''):
        """Returns the handle, and the numbers of blocks and of right ones; data is the driver's part."""
        return self.command(REG_MR, struct.pack('QQQII', start, length,
                                                start if iova is None else iova, pd, access) + data, 3)

    def rereg_mr(self, handle, start, length, access, flags=REREG_TRANS | REREG_ACCESS):
        """Changes a region, as a rule its memory; returns the numbers of blocks and of right ones."""
        return self.command(REREG_MR, struct.pack('IIQQQII', handle, flags, start, length, start, 0, access), 2)


def address_of(area):
    return ctypes.addressof(ctypes.c_char.from_buffer(area))


def word(area, value=None, offset=0):
    if value is not None:
        area[offset:offset + 4] = struct.pack('I', value)
    return struct.unpack('I', area[offset:offset + 4])[0]


def in_child(function, *args):
    """Runs a function in a child process; raises an error if it fails there."""
    child = os.fork()
    if not child:
        try:
            function(*args)
        except BaseException as error:  # a child never returns
            print(f'# child: {error}', flush=True)
            os._exit(1)
        os._exit(0)
    expect(0, os.waitpid(child, 0)[1], 'status of the child')


def areas():
    """Returns numbers of memories whose users the driver counts.

    They are: in use, given up, given up after the end of the context, and areas not closed as they were mapped.
    """
    return tuple(int(number) for number in parameter('areas').split()[1::2])


class Area:
    """A mapping of two pages that can be moved and unmapped in parts, which those of Python cannot."""

    def __init__(self, fd, offset):
        flags = mmap.MAP_SHARED if fd >= 0 else mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.start = libc.mmap(None, ctypes.c_size_t(2 * PAGE), mmap.PROT_READ | mmap.PROT_WRITE, flags, fd,
                               ctypes.c_size_t(offset))
        if self.start == ctypes.c_size_t(-1).value:
            raise OSError(ctypes.get_errno(), 'mmap')

    def word(self, page, value=None):
        """Reads, or writes, the first word of a page."""
        at = ctypes.c_uint32.from_address(self.start + page * PAGE)
        if value is not None:
            at.value = value
        return at.value

    def unmap(self, page, pages):
        expect(0, libc.munmap(ctypes.c_void_p(self.start + page * PAGE), ctypes.c_size_t(pages * PAGE)), 'munmap()')

    def move(self, page, pages, target):
        """Moves pages to their place in another area, which is replaced there."""
        old, new, length = (ctypes.c_size_t(number) for number in (
            self.start + page * PAGE, target.start + page * PAGE, pages * PAGE))
        expect(new.value, libc.mremap(old, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, new), 'mremap()')


def child_dies(number, function, *args):
    """Runs a function in a child process, which has to be ended by this signal."""
    child = os.fork()
    if not child:
        function(*args)
        os._exit(0)
    expect(number, os.WTERMSIG(os.waitpid(child, 0)[1]), 'the signal that ends the child')


def test_registers(dev, offset, length):
    area = dev.map(offset, length)
    word(area, 0x1234)
    expect(str(0x1234), parameter('register'), 'what the driver reads')
    set_parameter('register', 77)
    expect(77, word(area), 'what the process reads')
    in_child(lambda: expect(77, word(area), 'what a child reads'))
    in_child(lambda: word(area, 78))
    expect('78', parameter('register'), 'what the child has written')
    area.close()


def test_given_back(dev):
    """No zeros take the place of a page of the driver that the process gives back: they would hide the register."""
    area = dev.map(OWN + PAGE, PAGE)
    word(area, 1)
    area.madvise(mmap.MADV_DONTNEED)
    child_dies(signal.SIGBUS, word, area)
    area.close()


def test_refused(dev):
    expect_errno(errno.EINVAL, dev.map, ENTRY, 2 * PAGE, mmap.MAP_PRIVATE)
    expect_errno(errno.EINVAL, dev.map, ENTRY, PAGE)
    expect_errno(errno.EINVAL, dev.map, ENTRY, 3 * PAGE)
    expect_errno(errno.EINVAL, dev.map, ENTRY + PAGE, PAGE)
    expect_errno(errno.EINVAL, dev.map, 0, PAGE, mmap.MAP_PRIVATE)
    expect_errno(errno.EINVAL, dev.map, 0, 2 * PAGE)
    # What is left of it would be found as a leak.
    expect_errno(errno.EIO, dev.map, FAILED, PAGE)


def test_memory(dev):
    """Regions of pages, each with its number in its first word."""
    pd = dev.command(ALLOC_PD, b'', 1)[0]
    memory = mmap.mmap(-1, 64 * PAGE)
    for page in range(64):
        memory[page * PAGE:page * PAGE + 8] = struct.pack('Q', page)
    start = address_of(memory)
    for pages in (1, 2, 63, 64):
        mr, blocks, right = dev.reg_mr(pd, start, pages * PAGE, LOCAL_WRITE | REMOTE_READ)
        expect((pages, pages), (blocks, right), 'blocks of a page, right ones')
        dev.command(DEREG_MR, struct.pack('I', mr), 0)
        mr, blocks, right = dev.reg_mr(pd, start, pages * PAGE, LOCAL_WRITE)
        expect((True, blocks), (0 < blocks <= pages, right), 'larger blocks, right ones')
        dev.command(DEREG_MR, struct.pack('I', mr), 0)
    # The last page is touched by a byte. Both offsets in a page are 0, whatever the address.
    mr, blocks, right = dev.reg_mr(pd, start, 3 * PAGE + 1, LOCAL_WRITE | REMOTE_READ, 16 * PAGE)
    expect((4, 4), (blocks, right), 'blocks of another address, right ones')
    dev.command(DEREG_MR, struct.pack('I', mr), 0)
    dev.command(DEALLOC_PD, struct.pack('I', pd), 0)


def test_rereg(dev):
    """The driver gives up a region's memory first, so a change must not run twice, or be tried in vain."""
    pd = dev.command(ALLOC_PD, b'', 1)[0]
    memory = mmap.mmap(-1, 8 * PAGE)
    for page in range(8):
        memory[page * PAGE:page * PAGE + 8] = struct.pack('Q', page % 4)
    start = address_of(memory)
    mr = dev.reg_mr(pd, start, 2 * PAGE, LOCAL_WRITE | REMOTE_READ)[0]
    set_parameter('reregs', 0)
    for access in (LOCAL_WRITE, 0):
        expect((4, 4), dev.rereg_mr(mr, start + 4 * PAGE, 4 * PAGE, access), 'blocks, right ones')
    expect('2', parameter('reregs'), 'runs')
    hole = mmap.mmap(-1, PAGE)
    address = address_of(hole)
    expect(0, libc.mprotect(ctypes.c_void_p(address), PAGE, 0), 'mprotect()')
    expect_errno(errno.EFAULT, dev.rereg_mr, mr, address, PAGE, LOCAL_WRITE)
    expect('2', parameter('reregs'), 'runs, with memory that cannot be pinned')
    expect((2, 2), dev.rereg_mr(mr, start, 2 * PAGE, LOCAL_WRITE), 'blocks of the region, which is still in use')
    expect('3', parameter('reregs'), 'runs')
    dev.command(DEREG_MR, struct.pack('I', mr), 0)
    dev.command(DEALLOC_PD, struct.pack('I', pd), 0)


def pinned():
    """Returns the number of bytes that are pinned, which counts those that are being pinned."""
    with open('/proc/self/status', encoding='ascii') as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith('VmPin:'))


def change_meanwhile(dev, pd, memory, small):
    """While the memory of one change is pinned, another change gives the region other memory.

    Returns whether it was so: the first change then has its effect on the other memory.
    """
    size = len(memory)
    mr = dev.reg_mr(pd, address_of(memory), size, 0)[0]
    memory.madvise(mmap.MADV_DONTNEED)
    before = pinned()
    set_parameter('reregs', 0)
    change = Call(dev.rereg_mr, mr, 0, 0, LOCAL_WRITE, REREG_ACCESS)
    while change.is_alive() and pinned() < before + size:
        time.sleep(0)
    blocks = dev.rereg_mr(mr, address_of(small), 2 * PAGE, 0, REREG_TRANS)
    expect((2, 2), blocks, 'blocks of the other memory')
    expect(0, change.end(), 'errno of the first change')
    expect('2', parameter('reregs'), 'runs')
    expect((1, 1), dev.rereg_mr(mr, address_of(small), PAGE, 0), 'blocks of the region, which is still in use')
    dev.command(DEREG_MR, struct.pack('I', mr), 0)
    expect(before - size, pinned(), 'bytes that are pinned')
    return change.result == (2, 2)


def test_changes_at_a_time(dev):
    pd = dev.command(ALLOC_PD, b'', 1)[0]
    memory, small = mmap.mmap(-1, 64 << 20), mmap.mmap(-1, 2 * PAGE)
    small[PAGE:PAGE + 8] = struct.pack('Q', 1)
    seen = sum(change_meanwhile(dev, pd, memory, small) for _ in range(10))
    print(f'# {seen} of 10 changes were overtaken')
    expect(True, seen > 0, 'changes were overtaken')
    dev.command(DEALLOC_PD, struct.pack('I', pd), 0)


def test_answer_of_rereg(dev):
    """The driver writes its answer itself, after it has given up the memory, to a page that is not there yet."""
    pd = dev.command(ALLOC_PD, b'', 1)[0]
    memory = mmap.mmap(-1, 3 * PAGE)
    start = address_of(memory)
    mr = dev.reg_mr(pd, start, PAGE, 0)[0]
    answer = start + 2 * PAGE - 8
    command = struct.pack('IHHQIIQQQII', REREG_MR, 14, 4, answer, mr, REREG_TRANS, start, PAGE, start, 0, 0)
    for run in (1, 2):
        set_parameter('reregs', run - 1)
        memory.madvise(mmap.MADV_DONTNEED)
        os.write(dev.fd, command)
        expect((1, 1, run), struct.unpack('IIQ', memory[2 * PAGE - 8:2 * PAGE + 8]), 'blocks, right ones, run')
        expect(str(run), parameter('reregs'), 'runs')
    expect(0, libc.mprotect(ctypes.c_void_p(start + 2 * PAGE), PAGE, mmap.PROT_READ), 'mprotect()')
    expect_errno(errno.EFAULT, os.write, dev.fd, command)
    expect('3', parameter('reregs'), 'runs, without a place for the answer')
    dev.command(DEREG_MR, struct.pack('I', mr), 0)
    dev.command(DEALLOC_PD, struct.pack('I', pd), 0)


def test_ranges(dev):
    """What no process can have, and what is too long, is refused before the driver is asked."""
    pd = dev.command(ALLOC_PD, b'', 1)[0]
    memory = mmap.mmap(-1, PAGE)
    start = address_of(memory)
    mr = dev.reg_mr(pd, start, PAGE, 0)[0]
    set_parameter('regs', 0)
    set_parameter('reregs', 0)
    last = (1 << 64) - PAGE
    for address, length in ((PAGE, MAX_MR + 1), (PAGE, (1 << 64) - 1), (last, 2 * PAGE), (last, PAGE), (last, 1)):
        expect_errno(errno.EINVAL, dev.reg_mr, pd, address, length, LOCAL_WRITE)
        expect_errno(errno.EINVAL, dev.rereg_mr, mr, address, length, LOCAL_WRITE)
        expect_errno(errno.EINVAL, dev.rereg_mr, mr, address, length, 0, REREG_TRANS)
    expect_errno(errno.EINVAL, dev.rereg_mr, mr, start, 0, LOCAL_WRITE)
    expect_errno(errno.EINVAL, dev.reg_mr, pd, PAGE, PAGE, REMOTE_WRITE)
    expect_errno(errno.EINVAL, dev.rereg_mr, mr, PAGE, PAGE, REMOTE_WRITE)
    expect_errno(errno.EINVAL, dev.rereg_mr, mr, PAGE, PAGE, 0, 0)
    expect_errno(errno.EOPNOTSUPP, dev.rereg_mr, mr, PAGE, PAGE, 0, 8)
    expect(('0', '0'), (parameter('regs'), parameter('reregs')), 'runs')
    expect((1, 1), dev.rereg_mr(mr, start, PAGE, LOCAL_WRITE), 'blocks of the region, which is still in use')
    dev.command(DEREG_MR, struct.pack('I', mr), 0)
    dev.command(DEALLOC_PD, struct.pack('I', pd), 0)


def test_short_commands(dev):
    """The driver reads 64 bytes of its own, whatever the process passes."""
    pd = dev.command(ALLOC_PD, b'', 1)[0]
    memory = mmap.mmap(-1, PAGE)
    start = address_of(memory)
    for length in (0, 4, 60, 64, 128):
        mr = dev.reg_mr(pd, start, PAGE, LOCAL_WRITE, data=b'\x5a' * min(length, 64) + bytes(max(length - 64, 0)))[0]
        dev.command(DEREG_MR, struct.pack('I', mr), 0)
    dev.command(DEALLOC_PD, struct.pack('I', pd), 0)


def test_commands_not_offered(dev):
    """The driver has the operations, but does not offer them to processes by commands. Handles are looked up later."""
    receive = struct.pack('IIII', 1000, 0, 0, 0)
    for number, data, answers in ((POST_SEND, receive, 1), (POST_RECV, receive, 1), (POST_SRQ_RECV, receive, 1),
                                  (POLL_CQ, struct.pack('II', 1000, 1), 2), (REQ_NOTIFY_CQ, struct.pack('II', 1000, 0), 0)):
        expect_errno(errno.EOPNOTSUPP, dev.command, number, data, answers)


def test_half_destroy_cq(dev):
    """Some versions of libibverbs announce 16 bytes of the 24 of a DESTROY_CQ."""
    answer = (ctypes.c_uint32 * 2)(7, 7)

    def destroy(handle, length=16):
        command = struct.pack('IHHQII', DESTROY_CQ, length // 4, 2, ctypes.addressof(answer), handle, 0)
        if libc.write(dev.fd, command, length) < 0:
            raise OSError(ctypes.get_errno(), 'write')

    cq = dev.command(CREATE_CQ, struct.pack('QIIiI', 0, 1, 0, -1, 0), 2)[0]
    for length in (8, 12, 20):
        expect_errno(errno.EINVAL, destroy, cq, length)
    destroy(cq)
    expect([0, 0], list(answer), 'numbers of events')
    expect_errno(errno.ENOENT, destroy, cq)


def exchange(dev, answer, number):
    """Makes a PD with the answer at an address, passes a number, and returns the PD's handle."""
    os.write(dev.fd, struct.pack('IHHQQ', ALLOC_PD, 6, 3, answer, number))
    return struct.unpack('I', ctypes.string_at(answer, 4))[0]


def test_direct(dev):
    """The driver's part of the answer begins on a page of its own."""
    memory = mmap.mmap(-1, 2 * PAGE)
    start = address_of(memory)
    answer = start + PAGE - 4
    for number in (5, 1 << 63):
        memory.madvise(mmap.MADV_DONTNEED)
        pd = exchange(dev, answer, number)
        expect(number ^ (1 << 64) - 1, struct.unpack('Q', memory[PAGE:PAGE + 8])[0], 'complement')
        dev.command(DEALLOC_PD, struct.pack('I', pd), 0)
    for prot in (mmap.PROT_READ, 0):
        expect(0, libc.mprotect(ctypes.c_void_p(start + PAGE), PAGE, prot), 'mprotect()')
        expect_errno(errno.EFAULT, exchange, dev, answer, 1)
        # The handle is that of the PD that was not made.
        expect(pd, dev.command(ALLOC_PD, b'', 1)[0], 'handle of the next PD')
        dev.command(DEALLOC_PD, struct.pack('I', pd), 0)


def test_entries():
    """The driver removes a context's entry itself, or leaves it; mapped, it lives as long as the mapping."""
    for leave in ('N', 'Y'):
        for mapped in (False, True):
            set_parameter('leave', leave)
            contexts, freed = numbers()
            another = Device(sys.argv[1])
            area = another.map(ENTRY, 2 * PAGE) if mapped else None
            os.close(another.fd)
            if area:
                word(area, 5)
                expect((contexts + 1, freed), numbers(), 'contexts and freed entries, while mapped')
                area.close()
            expect((contexts, freed + 1), numbers(), 'contexts and freed entries')
    set_parameter('leave', 'N')


def test_counted(dev):
    """The driver counts the users of memory: it is told of their end when the last area is unmapped, and only then."""
    used, closed = areas()[:2]

    def counts(now, ended, when):
        expect((used + now, closed + ended, 0, 0), areas(), f'areas in use, closed, late, wrong, {when}')

    area, child = Area(dev.fd, COUNTED), Area(dev.fd, COUNTED)
    area.word(1, 5)
    counts(2, 0, 'mapped')
    in_child(lambda: expect(5, area.word(1), 'what a child reads'))
    in_child(area.unmap, 0, 2)
    counts(2, 0, 'after a child')
    # A child has the memory when its parent has it no more.
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(writer)
        os.read(reader, 1)
        os._exit(0 if child.word(0) == 7 else 1)
    os.close(reader)
    child.word(0, 7)
    child.unmap(0, 2)
    counts(2, 0, 'in a child')
    os.close(writer)
    expect(0, os.waitpid(pid, 0)[1], 'status of the child')
    counts(1, 1, 'when the child has ended')
    # Parts of the memory, which is moved as well.
    target = Area(-1, 0)
    area.move(1, 1, target)
    expect(5, target.word(1), 'what was moved')
    counts(1, 1, 'in two parts')
    area.unmap(0, 1)
    counts(1, 1, 'with a part')
    target.unmap(0, 2)
    counts(0, 2, 'without parts')
    # The pages are mapped in any case, and taken away if the driver relies on a call that it does not get.
    expect_errno(errno.EOPNOTSUPP, dev.map, FAULTED, 2 * PAGE)
    counts(0, 3, 'when an area was refused')


def children_with_areas(dev, number):
    """Starts processes that have memory of the driver, and end when the file that is returned is closed."""
    reader, writer = os.pipe()
    ready = os.pipe()
    pids = []
    for _ in range(number):
        pid = os.fork()
        if not pid:
            os.close(writer)
            area = Area(dev.fd, COUNTED)
            area.word(0, 1)
            os.write(ready[1], b'1')
            os.read(reader, 1)
            os._exit(0)
        pids.append(pid)
    os.close(reader)
    for _ in pids:
        os.read(ready[0], 1)
    for file in ready:
        os.close(file)
    return writer, pids


def test_slow_handler():
    """A handler of an event that does not return keeps no process from opening and closing the device."""
    def open_and_close():
        os.close(Device(sys.argv[1]).fd)

    set_parameter('state', 'slow')
    try:
        expect(0, Call(open_and_close).end(), 'errno')
    finally:
        set_parameter('state', 'fast')


def test_removal(dev, other):
    """What is mapped becomes zero-filled memory, and what is written to it reaches no register."""
    # Begun first, because a process that ends has references to the pages that it inherits a little longer.
    writer, pids = children_with_areas(dev, 8)
    mapped = [dev.map(ENTRY, 2 * PAGE), dev.map(0, PAGE), other.map(ENTRY, 2 * PAGE),
              dev.map(OWN, PAGE), dev.map(OWN + PAGE, PAGE), other.map(OWN, PAGE)]
    untouched = dev.map(ENTRY, 2 * PAGE)
    private = dev.map(OWN, PAGE, mmap.MAP_PRIVATE)
    counted, parts = dev.map(COUNTED, 2 * PAGE), Area(other.fd, COUNTED)
    word(counted, 3)
    parts.word(1, 4)
    parts.unmap(0, 1)
    closed = areas()[1]
    dev.command(ALLOC_PD, b'', 1)
    word(mapped[0], 99)
    expect(99, word(mapped[2]), 'the register in another context')
    freed = numbers()[1]
    # Some processes end while the device is removed.
    os.close(writer)
    set_parameter('state', 'remove')
    expect((0, closed + 10, 0, 0), areas(), 'areas in use, closed, late, wrong')
    for pid in pids:
        expect(0, os.waitpid(pid, 0)[1], 'status of a child')
    expect((0, 0), (word(counted), parts.word(1)), 'what the driver has counted')
    in_child(lambda: word(counted, 2))
    expect(0, word(counted, None, PAGE), 'what was not touched before')
    counted.close()
    parts.unmap(1, 1)
    expect((0, closed + 10, 0, 0), areas(), 'areas in use, closed, late, wrong, when they are unmapped')
    for area in mapped:
        expect(0, word(area), 'what is mapped')
        word(area, 1)
        expect(1, word(area), 'what was written')
    in_child(lambda: word(mapped[0], 2))
    expect(2, word(mapped[0]), 'what the child has written')
    expect(0, word(untouched, None, PAGE), 'what was not touched before')
    child_dies(signal.SIGBUS, word, private)
    expect('99', parameter('register'), 'the register')
    expect('N', parameter('mapped_late'), 'whether pages were mapped after the destruction of an object')
    expect((0, freed + 2), numbers(), 'contexts and freed entries that the driver has left')
    expect_errno(errno.EIO, dev.map, ENTRY, 2 * PAGE)
    for area in [*mapped, private]:
        area.close()


def use():
    """Does each operation once, for allocations that fail."""
    try:
        dev = Device(sys.argv[1])
        area = dev.map(ENTRY, 2 * PAGE)
        dev.map(OWN, PAGE).close()
        dev.map(COUNTED, 2 * PAGE).close()
        memory = mmap.mmap(-1, 4 * PAGE)
        start = address_of(memory)
        pd = dev.command(ALLOC_PD, b'', 1)[0]
        mr = dev.reg_mr(pd, start, 2 * PAGE, LOCAL_WRITE)[0]
        dev.rereg_mr(mr, start, 4 * PAGE, LOCAL_WRITE)
        area.close()
    except OSError as error:
        print(error.strerror)
        return 1
    return 0


def stay():
    """Keeps memory of the driver when device and driver are gone."""
    dev = Device(sys.argv[1])
    counted, parts, own = dev.map(COUNTED, 2 * PAGE), Area(dev.fd, COUNTED), dev.map(OWN, PAGE)
    word(counted, 5)
    parts.unmap(0, 1)
    print('mapped', flush=True)
    sys.stdin.readline()
    expect((0, 0, 0), (word(counted), parts.word(1), word(own)), 'what is mapped')
    in_child(word, counted, 5)
    parts.unmap(1, 1)
    return 0


def main():
    if sys.argv[2:] == ['use']:
        return use()
    if sys.argv[2:] == ['stay']:
        return stay()
    report = Report()
    dev, other = Device(sys.argv[1]), Device(sys.argv[1])
    report.case('registers with an entry', test_registers, dev, ENTRY, 2 * PAGE)
    report.case('registers without an entry', test_registers, dev, 0, PAGE)
    report.case('registers that the driver maps', test_registers, dev, OWN, PAGE)
    report.case('pages that the driver maps', test_registers, dev, OWN + PAGE, PAGE)
    report.case('a page that the driver maps, and the process gives back', test_given_back, dev)
    report.case('memory whose users the driver counts', test_counted, dev)
    report.case('areas that do not fit are refused', test_refused, dev)
    report.case('pinned memory in blocks', test_memory, dev)
    report.case('regions that change', test_rereg, dev)
    report.case('two changes of a region at a time', test_changes_at_a_time, dev)
    report.case('a change with an answer of the driver', test_answer_of_rereg, dev)
    report.case('ranges that no region can have', test_ranges, dev)
    report.case('commands without data for the driver', test_short_commands, dev)
    report.case('commands that the driver does not offer', test_commands_not_offered, dev)
    report.case('half a request to destroy a CQ', test_half_destroy_cq, dev)
    report.case('data that the driver copies itself', test_direct, dev)
    report.case("entries of a context's own", test_entries)
    report.case('a slow handler of events', test_slow_handler)
    report.case('the device is removed', test_removal, dev, other)
    return report.end()


if __name__ == '__main__':
    sys.exit(main())
