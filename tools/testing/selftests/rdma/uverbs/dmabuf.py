#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Called by uverbs/dmabuf.sh: a process that registers DMA-BUFs of kt_dmabuf.ko; prints KTAP.

usage: dmabuf.py UVERBS    the device's node, e.g. /dev/infiniband/uverbs0
"""
import ctypes
import errno
import os
import signal
import sys
import time

import methods
from driver import ALLOC_PD, PATIENCE, Call, expect_errno
from ktap import Report, expect
from methods import Attr, room, value

PARAMETERS = '/sys/module/kt_dmabuf/parameters/'
OBJECT_MR, MR_DESTROY, MR_REG_DMABUF = 7, 1, 4
MR_HANDLE, PD_HANDLE, OFFSET, LENGTH, IOVA, FD, ACCESS, LKEY, RKEY = range(9)
LOCAL_WRITE, REMOTE_READ = 1, 4
PINNED, IN_STEPS = LOCAL_WRITE, LOCAL_WRITE | REMOTE_READ   # how the driver gets the memory


def state(word):
    with open(PARAMETERS + 'state', 'w', encoding='ascii') as file:
        file.write(word)


def uses():
    """Returns the numbers of registrations that were begun, of attachments, mappings and pins."""
    return all_uses()[:4]


def all_uses():
    """Returns the numbers of uses(), and that of the attachments that were ever made."""
    with open(PARAMETERS + 'uses', encoding='ascii') as file:
        return tuple(int(number) for number in file.read().split()[1::2])


def new_dmabuf():
    with open(PARAMETERS + 'fd', encoding='ascii') as file:
        return int(file.read())


class Device(methods.Device):
    """An open device with a PD and a DMA-BUF."""

    def __init__(self, path):
        super().__init__(path)
        self.pd = self.command(ALLOC_PD, b'', 1)[0]
        self.dmabuf = new_dmabuf()

    def register(self, access, dmabuf=None, offset=0):
        """Returns the handle."""
        handle = Attr(MR_HANDLE)
        self.call(OBJECT_MR, MR_REG_DMABUF, handle, Attr(PD_HANDLE, data=self.pd), value(OFFSET, 'Q', offset),
                  value(LENGTH, 'Q', 100), value(IOVA, 'Q', offset), value(FD, 'i', self.dmabuf if dmabuf is None else dmabuf),
                  value(ACCESS, 'I', access), room(LKEY, 4), room(RKEY, 4))
        return handle.data

    def deregister(self, handle):
        self.call(OBJECT_MR, MR_DESTROY, Attr(MR_HANDLE, data=handle))


def wait_for_run(before):
    """Waits until the driver has begun to register."""
    end = time.monotonic() + PATIENCE
    while uses()[0] == before:
        if time.monotonic() > end:
            raise AssertionError('no registration has begun')
        time.sleep(0.001)


def begin(dev, access):
    """Begins to register in a thread."""
    before = uses()[0]
    call = Call(dev.register, access)
    wait_for_run(before)
    return call


def test_idle(dev):
    for access in (PINNED, IN_STEPS):
        before = uses()[0]
        handle = dev.register(access)
        expect((before + 1, 1, 1), uses()[:3], 'runs, attachments, mappings')
        dev.deregister(handle)
        expect((before + 1, 0, 0, 0), uses(), 'runs, attachments, mappings, pins')


def test_descriptors(dev):
    """
    A descriptor that is none, or of another file, is refused. The offset is an address of the process's memory, which must not
    be registered in the place of a DMA-BUF.
    """
    memory = ctypes.create_string_buffer(100)
    before = uses()[0]
    for dmabuf in (-1, -2 ** 31):
        expect_errno(errno.EBADF, dev.register, PINNED, dmabuf, ctypes.addressof(memory))
    expect(before, uses()[0], 'registrations that reached the driver')
    expect_errno(errno.EBADF, dev.register, PINNED, 10 ** 6, ctypes.addressof(memory))
    with open('/dev/null', encoding='ascii') as file:
        expect_errno(errno.EINVAL, dev.register, PINNED, file.fileno(), ctypes.addressof(memory))
    expect((0, 0, 0), uses()[1:], 'attachments, mappings, pins')


def test_descriptor_zero(dev):
    """A DMA-BUF that is the standard input is registered, too."""
    before = uses()[0]
    stdin = os.dup(0)
    os.dup2(dev.dmabuf, 0)
    try:
        handle = dev.register(PINNED, 0)
        expect((before + 1, 1, 1), uses()[:3], 'runs, attachments, mappings')
        dev.deregister(handle)
    finally:
        os.dup2(stdin, 0)
        os.close(stdin)
    expect((0, 0, 0), uses()[1:], 'attachments, mappings, pins')


def test_waits(dev, before, after):
    """The registration waits until the exporter is ready, with nothing attached, and then succeeds."""
    for access in (PINNED, IN_STEPS):
        state(before)
        attached = all_uses()[4]
        call = begin(dev, access)
        call.join(0.05)
        expect(True, call.is_alive(), 'whether the registration waits')
        state(after)
        expect(0, call.end(), 'errno')
        dev.deregister(call.result)
        expect(attached + 1, all_uses()[4], 'attachments that were ever made')
        expect((0, 0, 0), uses()[1:], 'attachments, mappings, pins')


def test_moved_again(dev):
    """
    Memory that is moved whenever it is pinned, and moved back when it is not, is registered in the end. The exporter
    tells of moves while the memory is attached, but not pinned: a warning of the kernel would make the test fail.
    """
    state('move_pinned')
    call = begin(dev, PINNED)
    end = time.monotonic() + PATIENCE
    while call.is_alive() and time.monotonic() < end:
        state('done')
        call.join(0.01)
    alive = call.is_alive()
    state('stay')
    state('done')
    expect(0, call.end(), 'errno')
    dev.deregister(call.result)
    expect(False, alive, 'whether the registration has to wait until the memory stays')
    expect((0, 0, 0), uses()[1:], 'attachments, mappings, pins')


def status_of(child):
    """Returns the status of a child process that has to end; None: it has not."""
    end = time.monotonic() + PATIENCE
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid or time.monotonic() > end:
            return status if pid else None
        time.sleep(0.001)


def test_killed(dev):
    """A signal ends the wait."""
    for word, undo in (('move', 'done'), ('lock', 'unlock')):
        state(word)
        before = uses()[0]
        child = os.fork()
        if not child:
            dev.register(PINNED)
            os._exit(0)
        wait_for_run(before)
        os.kill(child, signal.SIGKILL)
        status = status_of(child)
        state(undo)
        expect(signal.SIGKILL, status, f'status of the child, {word}')
    expect((0, 0, 0), uses()[1:], 'attachments, mappings, pins')


def test_removal(dev):
    """The removal of the device does not wait for the exporter, and ends the wait of the registrations."""
    state('move')
    calls = [begin(dev, access) for access in (PINNED, IN_STEPS)]
    begun = time.monotonic()
    removal = Call(state, 'remove')
    removal.join(PATIENCE)
    print(f'# took {time.monotonic() - begun:.3f} s')
    alive = removal.is_alive()
    for call in [] if alive else calls:
        call.join(PATIENCE)
    ended = [not call.is_alive() for call in calls]
    state('done')
    expect(False, alive, 'whether the removal of the device waits for the exporter')
    expect([True, True], ended, 'whether the registrations have ended')
    expect([errno.EIO, errno.EIO], [call.end() for call in calls], 'errno')
    expect((0, 0, 0), uses()[1:], 'attachments, mappings, pins')
    expect_errno(errno.EIO, dev.register, PINNED)


def main():
    report = Report()
    dev = Device(sys.argv[1])
    report.case('memory that is in its place', test_idle, dev)
    report.case('descriptors of no DMA-BUF', test_descriptors, dev)
    report.case('a DMA-BUF whose descriptor is 0', test_descriptor_zero, dev)
    report.case('memory that is being moved', test_waits, dev, 'move', 'done')
    report.case('memory that is moved when it is pinned', test_moved_again, dev)
    report.case('a reservation that somebody has locked', test_waits, dev, 'lock', 'unlock')
    report.case('a process that waits is killed', test_killed, dev)
    report.case('the device is removed', test_removal, dev)
    return report.end()


if __name__ == '__main__':
    sys.exit(main())
