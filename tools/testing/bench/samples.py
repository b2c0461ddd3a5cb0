# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Takes samples of the call chains of a user-mode kernel, and names their functions.

The kernel is a process. perf knows its functions, but not those of its modules, which are in memory that the kernel
allocated. The guest's own /proc/kallsyms has the names of all.
"""
import bisect
import ctypes
import os
import random
import signal
import struct
import subprocess
import time

# Chains are cut at this length, because a wrong frame pointer can make one endless.
DEEPEST = 64


class NoSamples(Exception):
    """No samples can be taken; the text is a message for the user."""


# --- names ---

class Symbols:
    """Functions by address, from the guest's kallsyms."""

    # The greatest number of bytes of a function. An address farther behind a symbol does not belong
    # to that symbol.
    LONGEST = 1 << 17

    def __init__(self, lines):
        found = []
        for line in lines:
            address, kind, name, *module = line.split()
            if kind in 'tTwW':
                found.append((int(address, 16), name, module[0].strip('[]') if module else 'linux'))
        found.sort()
        self.addresses = [address for address, _, _ in found]
        self.names = [(name, module) for _, name, module in found]

    def find(self, address):
        """Returns (function, module) of the code at this address, or None."""
        i = bisect.bisect_right(self.addresses, address) - 1
        if i < 0 or address - self.addresses[i] > self.LONGEST:
            return None
        return self.names[i]


class Library:
    """A shared library of the host in the process; its functions are named by the symbols that it exports."""

    def __init__(self, first, last, offset, path):
        self.first, self.last, self.offset, self.path = first, last, offset, path
        self.symbols = None

    def find(self, address):
        if self.symbols is None:
            text = subprocess.run(['nm', '-D', '--defined-only', self.path], capture_output=True, text=True).stdout
            self.symbols = Symbols(line.split('@')[0] for line in text.splitlines() if line[:1].isalnum())
        found = self.symbols.find(address - self.first + self.offset)
        return (found[0] if found else '?', os.path.basename(self.path))


class Names:
    """Names for all code of a process: the guest's functions, and those of the host's libraries."""

    def __init__(self, symbols, pid):
        self.symbols = symbols
        self.libraries = []
        with open(f'/proc/{pid}/maps', encoding='utf-8') as file:
            for line in file:
                span, mode, offset, _, _, *path = line.split()
                if 'x' in mode and path and '.so' in path[0]:
                    first, last = (int(end, 16) for end in span.split('-'))
                    self.libraries.append(Library(first, last, int(offset, 16), path[0]))

    def of(self, address):
        for library in self.libraries:
            if library.first <= address < library.last:
                return library.find(address)
        return self.symbols.find(address) or ('?', 'host')


# --- perf ---

SAMPLE = 9
# Bits of the fields that a sample may have before its chain, in this order, 8 bytes each; see
# perf_event_open(2).
BEFORE_CHAIN = (1 << 16, 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 6, 1 << 9, 1 << 7, 1 << 8)
READ, CHAIN = 1 << 4, 1 << 5
# Addresses from here on are marks in a chain, such as "the following ones are in user mode".
FIRST_MARK = (1 << 64) - 4095


def perf_command(pid, path, seconds, rate):
    # The event cpu-clock is a timer. It is used because most virtual machines do not have the
    # processor's own counter.
    return ['perf', 'record', '-q', '-e', 'cpu-clock:u', '-F', str(rate), '--call-graph', 'fp', '-p', str(pid),
            '-o', path, '--', 'sleep', str(seconds)]


def chain_of(record, kind):
    at = 8 * sum(1 for bit in BEFORE_CHAIN if kind & bit)
    number, = struct.unpack_from('<Q', record, at)
    return [address for address in struct.unpack_from(f'<{number}Q', record, at + 8) if address < FIRST_MARK]


def read_perf(path):
    """Yields chains of addresses.

    `perf script` is not used, because it would print the addresses as offsets in the file of the
    guest's memory.
    """
    with open(path, 'rb') as file:
        data = file.read()
    magic, _, _, attributes, _, at, size = struct.unpack_from('<8s6Q', data)
    kind, = struct.unpack_from('<Q', data, attributes + 24)
    if magic != b'PERFILE2' or kind & READ or not kind & CHAIN:
        raise NoSamples('perf: its file is of a form that is not known here')
    end = at + size
    while at < end:
        what, _, length = struct.unpack_from('<IHH', data, at)
        if what == SAMPLE:
            yield chain_of(data[at + 8:at + length], kind)
        at += length


def sample_by_perf(pid, folder, seconds, rate, names):
    path = os.path.join(folder, 'perf.data')
    try:
        done = subprocess.run(perf_command(pid, path, seconds, rate), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds + 30)
        if done.returncode:
            words = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
            raise NoSamples(f'perf: {words[0] if words else f"status {done.returncode}"}')
        chains = [[names.of(address) for address in chain] for chain in read_perf(path) if chain]
    except (OSError, struct.error, subprocess.SubprocessError) as error:
        raise NoSamples(f'perf: {error}') from error
    if not chains:
        raise NoSamples('perf took no sample')
    return chains


# --- ptrace: a user-mode kernel itself needs it, so it is permitted wherever one runs ---

PTRACE_CONT, PTRACE_GETREGS, PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 7, 12, 17, 0x4206, 0x4207
PTRACE_EVENT_STOP = 128
WALL = 0x40000000
# Number of 8-byte words of struct user_regs_struct of x86-64, and indices of the words rbp and rip.
REGISTERS, RBP, RIP = 27, 4, 16


class Tracer:
    """Stops a process at random intervals, and reads its call chain."""

    def __init__(self, pid):
        self.pid = pid
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.libc.ptrace.restype = ctypes.c_long
        self.registers = (ctypes.c_ulonglong * REGISTERS)()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        self.ask(PTRACE_SEIZE)
        self.memory = open(f'/proc/{pid}/mem', 'rb', buffering=0)

    def ask(self, request, data=None):
        if self.libc.ptrace(request, self.pid, None, data) == -1:
            error = ctypes.get_errno()
            raise NoSamples(f'ptrace: {os.strerror(error)}')

    def chain(self):
        """Returns the addresses of the call chain, the innermost first, found by frame pointers."""
        self.ask(PTRACE_GETREGS, ctypes.cast(self.registers, ctypes.c_void_p))
        addresses, frame = [self.registers[RIP]], self.registers[RBP]
        while frame and frame % 8 == 0 and len(addresses) < DEEPEST:
            try:
                after, address = struct.unpack('QQ', os.pread(self.memory.fileno(), 16, frame))
            except (OSError, OverflowError, struct.error):
                break
            if not address:
                break
            addresses.append(address)
            frame = after
        return addresses

    def handle_stop(self):
        """Continues a stopped process. Returns its chain if ask(PTRACE_INTERRUPT) stopped it."""
        pid, status = os.waitpid(self.pid, WALL | os.WNOHANG)
        if not pid:
            return None
        if not os.WIFSTOPPED(status):
            raise NoSamples('the kernel ended before the time was over')
        asked = status >> 16 == PTRACE_EVENT_STOP
        chain = self.chain() if asked else None
        # If the process stopped at a signal, that signal is passed on.
        self.ask(PTRACE_CONT, None if asked else os.WSTOPSIG(status))
        return chain

    def sample(self, seconds, rate):
        chains, end, asked = [], time.monotonic() + seconds, False
        following = time.monotonic()
        while time.monotonic() < end or asked:
            now = time.monotonic()
            if now >= following and not asked:
                self.ask(PTRACE_INTERRUPT)
                asked = True
                # The interval is random, so that samples are not in step with the process's own
                # timers.
                following = now + random.uniform(0.5, 1.5) / rate
            signal.sigtimedwait([signal.SIGCHLD], 0.01 if asked else max(0, following - now))
            chain = self.handle_stop()
            if chain:
                chains.append(chain)
                asked = False
        self.ask(PTRACE_INTERRUPT)
        os.waitpid(self.pid, WALL)
        self.ask(PTRACE_DETACH)
        return chains


def sample_by_ptrace(pid, seconds, rate, names):
    try:
        tracer = Tracer(pid)
        chains = tracer.sample(seconds, rate)
    except OSError as error:
        raise NoSamples(f'ptrace: {error}') from error
    return [[names.of(address) for address in chain] for chain in chains]
