#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""For bench/user: measures the memory that an object of a process takes. Prints lines "object figure KiB".

usage: memory.py DEVICE [NUMBER]

The values are averages of NUMBER objects. A figure is a field of /proc/meminfo, or one of these:
"kernel", the sum of the fields in KERNEL; "free", the decrease of free memory, less the memory of
the process itself; VmPin, from /proc/self/status.
"""
import re
import resource
import sys

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr

SIZE = 65536
DEPTH = 64
KERNEL = ('Slab', 'VmallocUsed', 'Percpu')


def lines(path):
    with open(path, encoding='ascii') as file:
        return dict(line.split(':', 1) for line in file)


def free_pages_of_cpus():
    """Returns the number of free pages in the per-CPU lists, which MemFree does not count."""
    with open('/proc/zoneinfo', encoding='ascii') as file:
        return sum(int(count) for count in re.findall(r'^ +count: +([0-9]+)', file.read(), re.MULTILINE))


def memory_in_use():
    """Returns the memory in use now, in KiB, by figure.

    stat_refresh is read first, which adds the per-CPU counts to the totals.
    """
    with open('/proc/sys/vm/stat_refresh', 'rb') as file:
        file.read()
    found = lines('/proc/meminfo')
    found.update(lines('/proc/self/status'))
    used = {name: int(found[name].split()[0]) for name in (*KERNEL, 'SUnreclaim', 'VmPin')}
    used['kernel'] = sum(used[name] for name in KERNEL)
    free = int(found['MemFree'].split()[0]) + free_pages_of_cpus() * resource.getpagesize() // 1024
    used['free'] = -free - int(found['RssAnon'].split()[0])
    return used


def measure(name, number, make):
    """Prints the figures of an object.

    Objects that are made before the measurement use up memory that the slabs already had.
    """
    objects = [make() for _ in range(number // 10)]
    before = memory_in_use()
    objects += [make() for _ in range(number)]
    after = memory_in_use()
    for figure, used in after.items():
        print(f'{name} {figure} {(used - before[figure]) / number:.2f}')
    while objects:
        objects.pop().close()


def main():
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with Context(name=sys.argv[1]) as context, PD(context) as pd, CQ(context, DEPTH, None, None, 0) as cq:
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq,
                          cap=QPCap(max_send_wr=DEPTH, max_recv_wr=DEPTH, max_send_sge=1, max_recv_sge=1))
        measure('qp', number, lambda: QP(pd, init))
        measure('mr', number, lambda: MR(pd, SIZE, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE))


main()
