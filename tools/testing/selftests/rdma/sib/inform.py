#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Has the subnet administration inform a port of a trap, once.

  inform.py DEVICE TRAP

Subscribes, and prints "subscribed". Prints the LID that the report names, answers it, cancels the subscription, and ends.
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../umad'))

# pylint: disable=wrong-import-position
from ktap import expect
from umad import GET_RESPONSE, MAD, PATIENCE, SA_HEADER, SET, SUBN_ADM, Port, fields, mad, read

REPORT = 0x06
NOTICE, INFORM_INFO = 0x02, 0x03
ANY = 0xffff
ALL_PRODUCERS = 0xffffff


def subscribe(port, agent, to, trap, tid, wanted):
    """Asks for reports, or for no more of them."""
    inform_info = bytes(16) + struct.pack('>HHHBBHHII', ANY, 0, 0, 1, wanted, ANY, trap, 1 << 8, ALL_PRODUCERS)
    request = mad(SUBN_ADM, SET, tid, INFORM_INFO, version=2) + bytes(SA_HEADER - 24) + inform_info
    port.send(agent, to, request.ljust(MAD, b'\0'), timeout=1000 * PATIENCE)
    header, answer = port.read()
    expect((0, GET_RESPONSE, 0, INFORM_INFO), (header.status, fields(answer)[1], fields(answer)[2], fields(answer)[4]), 'answer')


def main(device, trap):
    trap = int(trap)
    with Port(device) as port:
        to = int(read(f'/sys/class/infiniband/{device}/ports/1/sm_lid'), 0)
        agent = port.register(SUBN_ADM, 1 << REPORT, version=2)
        subscribe(port, agent, to, trap, 1, 1)
        print('subscribed', flush=True)
        header, report = port.read()
        expect((to, REPORT, NOTICE), (header.lid, fields(report)[1], fields(report)[4]), 'report')
        number, issuer = struct.unpack('>HH', report[SA_HEADER + 4:SA_HEADER + 8])
        expect(trap, number, 'trap')
        port.answer(agent, header, report)
        subscribe(port, agent, to, trap, 2, 0)
        print(issuer)


if __name__ == '__main__':
    main(*sys.argv[1:])
