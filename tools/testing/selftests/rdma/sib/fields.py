#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Compares answers of nodes of sib with those of ibsim.

  fields.py IBSIM SIB     each file has parts that begin with a line "= TITLE", followed by what smpquery prints

Prints KTAP, a result for each title. A field may differ as a row of EXPECTED says; a row that has no difference is a failure.
"""

import re
import sys

from ktap import Report

# (pattern of titles, pattern of fields, ibsim's value, sib's value, the reason)
EXPECTED = (
    ('.* nodeinfo', 'VendorId|DevId|Revision', '0x0000.*', '0x.*', 'sib has identifiers of its own'),
    ('.* nodeinfo', 'PartCap', '8', '64', 'switches of sib have as many P_Keys as CAs'),
    ('sw5: (nodeinfo|portinfo .)', 'LocalPort', '0', '[12]', 'the port by which the request came, which ibsim does not know'),
    ('.* portinfo .*', 'LinkWidthSupported', '1X or 4X or 8X or 12X or 2X', '1X or 4X', 'a port of sib is 4X unless told'),
    ('.* portinfo .*', 'MtuCap|NeighborMTU', '256|1024|2048', '4096', 'sib takes packets of 4096 bytes'),
    ('.* portinfo .*', 'VLArb(High|Low)Cap', '8', '32', 'as IBTA allows for 8 VLs'),
    ('.* portinfo .*', 'LocalPhysErr|OverrunErr', '0', '8', "OpenSM's values, which ibsim does not keep"),
    ('.* portinfo .*', 'RespTimeVal', '0', '8', 'sib promises to answer within a millisecond'),
    ('.* portinfo .*', 'SubnetTimeout', '31', '18', "OpenSM's value, which ibsim does not keep"),
    ('.* portinfo .*', 'MkeyLeasePeriod', '4089', '0', "OpenSM's value, which ibsim does not keep"),
    ('.* portinfo .*', 'CapMask', '0x(50)?c048', '0x4?6400a48', 'see the capabilities'),
    ('.* portinfo .*', 'CapabilityMask2', '0x30', '0x0', 'sib has no speed or width of that mask'),
    ('.* portinfo .*', 'capability Is(ExtendedSpeeds|CapabilityMask2|LinkSpeedHDR|LinkWidth2x)Supported', 'yes', 'none',
     'sib has no speed or width of that mask'),
    ('.* portinfo .*', 'capability IsVendorClassSupported', 'yes', 'none', 'no node of sib answers to a class of a vendor'),
    ('.* portinfo .*', 'capability Is(LedInfo|SystemImageGUID|ClientRegistration|CapabilityMaskNotice'
     '|OtherLocalChangesNotice)(Supported|supported)', 'none', 'yes', 'sib has these'),
    ('ca6.* portinfo 1', 'VLStallCount', '7', '0', 'OpenSM sets it at ports of switches alone; ibsim has a default'),
    ('sw5: portinfo 0', 'LinkWidthEnabled', '4X', '1X or 4X', 'a port of sib is 4X unless told'),
    ('sw5: portinfo 0', 'LinkSpeed(Enabled|Active)', '2.5 Gbps', '.*10.0 Gbps', 'a port of sib is QDR unless told'),
    ('.* portinfo 0', 'capability IsMulticastFDBTopSupported', 'none', 'yes', 'sib has these'),
    ('.* portinfo 0', 'GuidCap', '1', '32', 'the base port of a switch of sib has as many GUIDs as a CA'),
    ('.* guidinfo', ' +[0-9]+', 'none', ' 0x0{16} 0x0{16}', 'the base port of a switch of sib has as many GUIDs as a CA'),
    ('.* guidinfo', 'guids capacity for this port', '1', '32', 'the base port of a switch of sib has as many GUIDs as a CA'),
    ('.* mepi 1', 'StateChangeEnable|LinkSpeed.*', '0x00', 'none', 'an attribute of adapters of Mellanox'),
    ('.* mepi 1', 'smpquery: iberror: failed: operation mepi', 'none', '.*query failed', 'an attribute of adapters of Mellanox'),
    ('.* sl2vl 1', 'ports: in .*', r' \| 0\| 1\| .*', r' (\| 0){16}\|', 'sib uses VL 0 until the SM sets a table'),
    ('.* vlarb 1', 'VL    |WEIGHT', r' \|0x. .*', r' (\|0x0 ){32}\|', "sib's tables are empty until the SM sets them"),
    ('.* switchinfo', 'LinearFdbCap', '30720', '49152', 'a switch of sib forwards to all LIDs'),
    ('.* switchinfo', 'Def(Port|Mcast(Not)?PrimPort)', '0', '255', 'a switch of sib drops what has no entry'),
    ('.* switchinfo', '(Inbound|Outbound)PartEnf', '0', '1', 'a switch of sib can check P_Keys'),
    ('.* switchinfo', 'FilterRaw(Inbound|Outbound)', '1', '0', 'a switch of sib has no raw packets'),
)


def parts_of(path):
    """Returns {title: {field: value}}; a line without a field is named by its number."""
    parts, title = {}, None
    with open(path, encoding='utf-8') as file:
        for line in file.read().splitlines():
            if line.startswith('= '):
                title = line[2:]
                parts[title] = {}
            elif line.startswith('# ') or title is None:
                continue
            elif match := re.match(r'\s+(Is\w+)$', line):
                parts[title][f'capability {match[1]}'] = 'yes'
            elif match := re.match(r'(\d+) (\w+ capacity .*)', line):
                parts[title][match[2]] = match[1]
            elif match := re.match(r'([^.|]+):\.*(.*)$', line):
                parts[title][match[1]] = match[2]
            else:
                parts[title][f'line {len(parts[title])}'] = line.strip()
    return parts


def expected_row(title, field, ibsim, sib):
    """Returns the row that expects this difference, or None."""
    return next((row for row in EXPECTED if all(re.fullmatch(pattern, text) for pattern, text in
                                                zip(row[:4], (title, field, ibsim, sib)))), None)


def compare(title, ibsim, sib, used):
    wrong = []
    for field in sorted(ibsim.keys() | sib.keys()):
        seen = ibsim.get(field, 'none'), sib.get(field, 'none')
        if seen[0] == seen[1]:
            continue
        row = expected_row(title, field, *seen)
        used.add(row)
        if not row:
            wrong.append(f'{field}: ibsim {seen[0]!r}, sib {seen[1]!r}')
    if wrong:
        raise AssertionError('; '.join(wrong))


def all_used(used):
    unused = [row for row in EXPECTED if row not in used]
    if unused:
        raise AssertionError(f'no such difference: {unused}')


def main(ibsim_path, sib_path):
    ibsim, sib, used, report = parts_of(ibsim_path), parts_of(sib_path), set(), Report()
    for title, fields in ibsim.items():
        report.case(title, lambda fields=fields, title=title: compare(title, fields, sib.get(title, {}), used))
    report.case('each expected difference is there', lambda: all_used(used))
    return report.end()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
