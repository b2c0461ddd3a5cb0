#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""For bench/user: what an object of a process costs; prints lines "object figure KiB", each for one of many.

usage: memory.py DEVICE [NUMBER]

Figures are those of /proc/meminfo, "kernel" the sum of those that are the kernel's own, "free" by how much
free memory became less, without the memory that the process itself has got, and VmPin, of /proc/self/status.
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
    """What processors have in store is no part of MemFree."""
    with open('/proc/zoneinfo', encoding='ascii') as file:
        return sum(int(count) for count in re.findall(r'^ +count: +([0-9]+)', file.read(), re.MULTILINE))


def look():
    """What is in use now, in KiB; processors' own counts are added to the sums first."""
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
    """Those made before fill what the kernel has in store."""
    objects = [make() for _ in range(number // 10)]
    before = look()
    objects += [make() for _ in range(number)]
    after = look()
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
