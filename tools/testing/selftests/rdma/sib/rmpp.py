#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Sends a message of several segments from one device to another one, and compares it.

  rmpp.py FROM TO BYTES

If the message does not arrive, prints why: what the system call said, or "lost".
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../umad'))

# pylint: disable=wrong-import-position
from ktap import expect
from umad import GET_TABLE, SUBN_ADM, Port, lid, message

METHODS = 1 << GET_TABLE
TIMEOUT = 1000          # milliseconds until the receiver has to acknowledge


def transfer(source, destination, length):
    with Port(source) as sender, Port(destination) as receiver:
        receiver.register(SUBN_ADM, METHODS, version=2, rmpp=1)
        data = message(GET_TABLE, 1, length)
        agent = sender.register(SUBN_ADM, version=2, rmpp=1)
        sender.send(agent, lid(destination, 1), data, timeout=TIMEOUT)
        # Whatever happens, the sender gets its message back if it is not acknowledged, and nothing else.
        while not receiver.is_readable(0.1):
            if sender.is_readable(0.1):
                header, _ = sender.read(len(data))
                print(f'lost: status {header.status}')
                return 1
        header, seen = receiver.read(len(data))
        expect(0, header.status, 'status')
        expect(data[56:], seen[56:56 + length], 'data')
    return 0


def main(source, destination, length):
    try:
        return transfer(source, destination, int(length))
    except OSError as error:
        print(error.strerror)
        return 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
