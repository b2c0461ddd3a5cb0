# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The ABI of /dev/infiniband/umadN, without libibumad; and the devices of kt_umad.ko."""

import ctypes
import errno
import fcntl
import mmap
import os
import select
import struct
import threading

from ktap import expect

PATIENCE = 10 * int(os.environ.get('KRDMA_SLOW', '1'))
CLASS = '/sys/class/infiniband_mad'
PARAMETERS = '/sys/module/kt_umad/parameters/'

SUBN, SUBN_DIRECTED, SUBN_ADM, VENDOR, PLAIN = 0x01, 0x81, 0x03, 0x30, 0x09
GET, SET, GET_TABLE, RESPONSE, GET_RESPONSE = 0x01, 0x02, 0x12, 0x80, 0x81
OUI = 0x001405
QKEY = 0x80010000
MAD = 256               # bytes of a datagram
MAD_HEADER = 24
RMPP_HEADER = 36        # bytes to the end of RMPP's header
SA_HEADER = 56          # bytes to the data of a class-3 MAD
ACTIVE, FIRST, LAST = 1, 2, 4
USER_RMPP = 1
LONG = 60000            # milliseconds that do not pass
MAX_AGENTS = 32
LIMIT = 16 << 20        # bytes of a file's MADs
DATAGRAM_MEMORY = 2 * 768   # bytes that a datagram counts for

UFFDIO_API, UFFDIO_REGISTER, UFFDIO_ZEROPAGE = 0xc018aa3f, 0xc020aa00, 0xc020aa04
USERFAULTFD = 323       # number of the system call on x86-64

REGISTER, REGISTER2 = 0xc01c1b01, 0xc0281b04
UNREGISTER, ENABLE_PKEY = 0x40041b02, 0x1b03


libc = ctypes.CDLL(None, use_errno=True)


def call_libc(function, *args):
    result = function(*args)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def ioctl_at(fd, command, address):
    """Calls ioctl() with the address of a structure."""
    return call_libc(libc.ioctl, fd, ctypes.c_ulong(command), ctypes.c_void_p(address))


def read_at(fd, address, length):
    return call_libc(libc.read, fd, ctypes.c_void_p(address), ctypes.c_size_t(length))


def write_at(fd, address, length):
    return call_libc(libc.write, fd, ctypes.c_void_p(address), ctypes.c_size_t(length))


class Page:
    """A page of memory, whose access may be changed, or that is missing until it is filled. More pages may follow it."""

    def __init__(self, missing=False, pages=1):
        self.map = mmap.mmap(-1, pages * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.fd = -1
        if missing:
            self.fd = call_libc(libc.syscall, USERFAULTFD, os.O_CLOEXEC | os.O_NONBLOCK)
            fcntl.ioctl(self.fd, UFFDIO_API, bytearray(struct.pack('=QQQ', 0xaa, 0, 0)))
            fcntl.ioctl(self.fd, UFFDIO_REGISTER, bytearray(struct.pack('=QQQQ', self.address, mmap.PAGESIZE, 1, 0)))

    def protect(self, access, page=0):
        call_libc(libc.mprotect, ctypes.c_void_p(self.address + page * mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), access)

    def wait(self):
        """Waits until a thread waits for the page."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        if not poll.poll(PATIENCE * 1000):
            raise AssertionError('nothing waits for the page')

    def fill(self):
        """Fills the page with zeros."""
        fcntl.ioctl(self.fd, UFFDIO_ZEROPAGE, bytearray(struct.pack('=QQQq', self.address, mmap.PAGESIZE, 0, 0)))
        os.close(self.fd)


def expect_errno(want, function, *args):
    try:
        seen = function(*args)
    except OSError as error:
        expect(errno.errorcode[want], errno.errorcode[error.errno], 'error')
    else:
        raise AssertionError(f'{seen!r}, not {errno.errorcode[want]}')


def set_parameter(name, value):
    with open(PARAMETERS + name, 'w', encoding='ascii') as file:
        file.write(str(value))


def read(path):
    with open(path, encoding='ascii') as file:
        return file.read().strip()


def node(device, port, kind='umad'):
    """Returns the name of the node, such as umad0."""
    for name in sorted(os.listdir(CLASS)):
        if name.startswith(kind) and (read(f'{CLASS}/{name}/ibdev'), read(f'{CLASS}/{name}/port')) == (device, str(port)):
            return name
    raise AssertionError(f'{device}/{port} has no node {kind}N')


def path(device, port, kind='umad'):
    return '/dev/infiniband/' + node(device, port, kind)


def lid(device, port):
    return int(read(f'/sys/class/infiniband/{device}/ports/{port}/lid'), 0)


def gid(device, port, index=0):
    return bytes.fromhex(read(f'/sys/class/infiniband/{device}/ports/{port}/gids/{index}').replace(':', ''))


class Header:
    """What precedes each MAD: 64 bytes, or 56 without the index of the P_Key."""

    FORMAT = '=IIIII', '>IIHBBBBBB16sI', '=H6x'
    NAMES = ('id', 'status', 'timeout', 'retries', 'length', 'qpn', 'qkey', 'lid', 'sl', 'path_bits', 'grh', 'gid_index',
             'hop_limit', 'traffic_class', 'gid', 'flow_label', 'pkey_index')

    def __init__(self, **members):
        for name in self.NAMES:
            setattr(self, name, members.pop(name, bytes(16) if name == 'gid' else 0))
        expect({}, members, 'unknown members')

    def pack(self, new=True):
        values = [getattr(self, name) for name in self.NAMES]
        data = struct.pack(self.FORMAT[0], *values[:5]) + struct.pack(self.FORMAT[1], *values[5:16])
        return data + struct.pack(self.FORMAT[2], values[16]) if new else data

    @classmethod
    def unpack(cls, data):
        values = struct.unpack(cls.FORMAT[0], data[:20]) + struct.unpack(cls.FORMAT[1], data[20:56])
        if len(data) == 64:
            values += struct.unpack(cls.FORMAT[2], data[56:])
        return cls(**dict(zip(cls.NAMES, values)))


def mad(mgmt_class, method, tid, attr=0x10, mod=0, version=1, status=0, specific=0, base=1):
    """Returns the header of a MAD."""
    return struct.pack('>BBBBHHQHHI', base, mgmt_class, version, method, status, specific, tid, attr, 0, mod)


def fields(data):
    """Returns class, method, status, transaction, attribute and modifier of a MAD."""
    _, mgmt_class, _, method, status, _, tid, attr, _, mod = struct.unpack('>BBBBHHQHHI', data[:MAD_HEADER])
    return mgmt_class, method, status, tid, attr, mod


def pattern(length, start=0):
    return bytes((start + 7 * i + i // 251) & 0xff for i in range(length))


def vendor(method, tid, start=0, **more):
    """Returns a MAD of a vendor's class."""
    return mad(VENDOR, method, tid, **more) + bytes(12) + struct.pack('>I', OUI) + pattern(MAD - 40, start)


def message(method, tid, length, start=0, flags=ACTIVE):
    """Returns a message of subnet administration with this many bytes of data."""
    return (mad(SUBN_ADM, method, tid, version=2) + struct.pack('>BBBBII', 1, 1, flags, 0, 1, 0) + bytes(20) +
            pattern(length, start))


class Port:
    """An open umadN."""

    def __init__(self, device, port=1, pkey=True, flags=0):
        self.fd = os.open(path(device, port), os.O_RDWR | os.O_CLOEXEC | flags)
        self.new = pkey
        if pkey:
            fcntl.ioctl(self.fd, ENABLE_PKEY, 0)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    @property
    def size(self):
        return 64 if self.new else 56

    def register(self, mgmt_class=0, methods=0, qpn=1, version=1, rmpp=0, oui=OUI):
        """Returns the id of an agent."""
        request = bytearray(struct.pack('=I2QBBB3sBx', 99, methods & (1 << 64) - 1, methods >> 64, qpn, mgmt_class, version,
                                        oui.to_bytes(3, 'big'), rmpp))
        fcntl.ioctl(self.fd, REGISTER, request)
        return struct.unpack('=I', request[:4])[0]

    def register2(self, mgmt_class=0, methods=0, qpn=1, version=1, rmpp=0, oui=OUI, flags=0, request=None):
        request = request or bytearray(40)
        request[:] = struct.pack('=IIBBHIQQIB3x', 99, qpn, mgmt_class, version, 0xffff, flags, methods & (1 << 64) - 1,
                                 methods >> 64, oui, rmpp)
        fcntl.ioctl(self.fd, REGISTER2, request)
        return struct.unpack('=I', request[:4])[0]

    def unregister(self, agent):
        fcntl.ioctl(self.fd, UNREGISTER, struct.pack('=I', agent))

    def send(self, agent, to, data, timeout=0, retries=0, qpn=1, **more):
        header = Header(id=agent, lid=to, timeout=timeout, retries=retries, qpn=qpn, qkey=QKEY if qpn else 0, **more)
        expect(self.size + len(data), os.write(self.fd, header.pack(self.new) + data), 'length written')

    def is_readable(self, seconds=PATIENCE):
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def read(self, room=MAD):
        if not self.is_readable():
            raise AssertionError('no MAD has come')
        data = os.read(self.fd, self.size + room)
        return Header.unpack(data[:self.size]), data[self.size:]

    def read_short(self, room):
        """Reads with too little room; returns the errno, and the buffer."""
        buffer = bytearray(self.size + room)
        try:
            os.readv(self.fd, [buffer])
        except OSError as error:
            return error.errno, bytes(buffer)
        raise AssertionError('the read succeeded')

    def poll(self):
        poll = select.poll()
        poll.register(self.fd, select.POLLIN | select.POLLOUT)
        found = poll.poll(0)
        return found[0][1] if found else 0

    def answer(self, agent, header, data, **more):
        """Answers a request with the same data."""
        self.send(agent, header.lid, data[:3] + bytes([data[3] | RESPONSE]) + data[4:], qpn=header.qpn, **more)


class Edge(Page):
    """Two pages of memory, of which this one, the second if none is named, can only be read, or not be used at all."""

    def __init__(self, access=mmap.PROT_READ, missing=False, page=1):
        super().__init__(missing, 2)
        self.protect(access, page)

    def before(self, length):
        """Returns the address of the last bytes of the first page."""
        return self.address + mmap.PAGESIZE - length


class Call(threading.Thread):
    """A call in a thread of its own."""

    def __init__(self, function, *args):
        super().__init__(daemon=True)
        self.function, self.args = function, args
        self.result, self.error = None, None
        self.start()

    def run(self):
        try:
            self.result = self.function(*self.args)
        except Exception as error:  # raised again by end()
            self.error = error

    def end(self):
        """Returns the result, or the errno."""
        self.join(PATIENCE)
        if self.is_alive():
            raise AssertionError('a call does not end')
        if self.error and not isinstance(self.error, OSError):
            raise self.error
        return self.error.errno if self.error else self.result
