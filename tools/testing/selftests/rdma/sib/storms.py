#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Storms on a fabric, for storms.sh.

  storms.py queries DEVICE NUMBER     sends queries to the subnet administration, and reads no answer
  storms.py changes FILE NUMBER       writes descriptions of a node to a file of sysfs or configfs; the last one is "quiet"
  storms.py links FILE NUMBER         pulls a cable and plugs it in again
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../umad'))

# pylint: disable=wrong-import-position
from umad import GET, GET_TABLE, MAD, QKEY, SUBN_ADM, Header, Port, mad, read

CLASS_PORT_INFO, NODE_RECORD = 0x01, 0x11


def queries(device, number):
    """One query in a hundred is for a table, which takes several MADs, and nobody acknowledges them."""
    with Port(device) as port:
        agent = port.register(SUBN_ADM, version=2)
        to = int(read(f'/sys/class/infiniband/{device}/ports/1/sm_lid'), 0)
        head = Header(id=agent, lid=to, qpn=1, qkey=QKEY).pack()
        single, table = (bytearray(head + mad(SUBN_ADM, method, 0, attr, version=2).ljust(MAD, b'\0'))
                         for method, attr in ((GET, CLASS_PORT_INFO), (GET_TABLE, NODE_RECORD)))
        for tid in range(1, int(number) + 1):
            query = single if tid % 100 else table
            struct.pack_into('>Q', query, len(head) + 8, tid)
            os.write(port.fd, query)


def changes(path, number):
    file = os.open(path, os.O_WRONLY)
    for i in range(int(number) - 1):
        os.pwrite(file, b'noisy %d\n' % i, 0)
    os.pwrite(file, b'quiet\n', 0)
    os.close(file)


def links(path, number):
    file = os.open(path, os.O_WRONLY)
    for _ in range(int(number)):
        os.pwrite(file, b'down\n', 0)
        os.pwrite(file, b'up\n', 0)
    os.close(file)


if __name__ == '__main__':
    {'queries': queries, 'changes': changes, 'links': links}[sys.argv[1]](*sys.argv[2:])
