#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Called by clients/pyverbs.sh and clients/memdev.sh: runs rdma-core's own tests of pyverbs on one device; prints KTAP.

usage: pyverbs_suite.py FOLDER DEVICE GID [NETDEV]

FOLDER has the tests, GID is the index of the device's GID that they use. Each test that runs has a result. Tests that skip
themselves have one result together, which is good if the reason of each is one that is expected here. NETDEV is the
network interface of the device, for the tests with rdma_cm; those of rdma-core 44 look for it below the parent of the
device, and a device on a virtual interface has no parent. The lists are for the tests of rdma-core 44 and of 65.
"""
import importlib
import re
import sys
import time
import unittest

from ktap import Report

# Why tests skip themselves: expressions for "name: reason".
EXPECTED = [
    # The tests are for other vendors' devices, or for hardware that a guest does not have.
    r'MLX5 device\)?$', r'non EFA device$', r'PCI device must be passed by the user$', r'cuda-python 12\.0\+ must be',
    r'device real time is not supported$', r'dmabuf is not supported by /dev/dri/', r'Huge pages of size 2M is not supp',
    r'There are no huge pages of size 2M allocated$', r'Device /dev/dri/\w+ is not present$',
    r'No PHC or failed to open$', r'test_mlx5_rdma_ctrl\..*FDs file not found$',
    r"test_mlx5_rdmacm\..*Device .* doesn't have net interface$",
    # The library of the device in user space lacks the function, whatever the kernel has.
    r'Create XRCD is not supported$', r'Create MW is not supported$', r'Create memory window of type 3 is not supported$',
    r'Extended (QP|CQ) is not supported', r'Parent Domain is not supported', r'Rereg MR is not supported',
    r'Create (RC|UC|UD) QP with(out)? extended attrs is not supported$',
    # The interface between kernel and processes of Linux 6.1 lacks the feature: FLUSH, handles for DMA, the speed of ports
    # with several lanes, memory of confidential guests that a device reaches by copies only.
    r'Create mr with IBV_ACCESS_FLUSH_GLOBAL access flag is not supported in kernel$',
    r'Failed to create DMA Handle\. Errno: 95', r'ibv_query_port_speed is not supported on this device$',
    r'CC PD is not supported$', r'Device does not report CC_DMA_BOUNCE$',
    # The device lacks the feature: raw packets (QP type 8), on-demand paging, memory of its own.
    r'Create QP type 8 is not supported$', r'Create Raw Packet QP with(out)? (extended )?attrs is not supported$',
    r'Must be run (by root )?on Ethernet link layer$',
    r'To Create RAW QP must be done by (root|user with CAP_NET_RAW) on Ethernet',
    r'ODP is not supported - No ODP caps$', r'Device memory is not supported$',
    # The device has another kind of port, or has all of its GIDs.
    r'Link layer of port=1 is InfiniBand', r'All gid indices populated',
]

# iWARP has only reliable connections, and neither atomic operations nor multicast.
EXPECTED_OF_IWARP = [
    r'Create AH is not supported$', r'Atomic operations are not supported$', r'Create QP type 4 is not supported$',
    r'Create (UC|UD) QP with(out)? attrs is not supported$', r'Multicast is not supported on this device$',
]

# Tests that assume InfiniBand, and fail on each iWARP device.
BARE = 'the QPs are connected without rdma_cm'
NOT_FOR_IWARP = {
    'test_cq_events.CqEventsTestCase.test_cq_events_rc': BARE,
    'test_mr.MRTest.test_mr_rereg_access': BARE,
    'test_mr.MRTest.test_mr_rereg_access_bad_flow': BARE,
    'test_mr.MRTest.test_mr_rereg_addr': BARE,
    'test_mr.MRTest.test_mr_rereg_pd': BARE,
    'test_mr.MRTest.test_mr_rereg_atomic': BARE,
    'test_mr.MRTest.test_mrex_rereg_access': BARE,
    'test_mr.MRTest.test_mrex_rereg_addr': BARE,
    'test_relaxed_ordering.RoTestCase.test_ro_mr_ex_traffic': BARE,
    'test_relaxed_ordering.RoTestCase.test_ro_rc_traffic': BARE,
    'test_srq.SrqTestCase.test_modify_srq_limit': BARE,
    'test_srq.SrqTestCase.test_rc_srq_traffic': BARE,
    'test_srq.SrqTestCase.test_resize_srq': BARE,
    'test_qp.RCQPTest.test_modify_rc_qp_rd_atomic': BARE,
    'test_qp.QPTest.test_query_rc_qp': 'a new QP of siw is in RESET, as of InfiniBand, not in INIT, as of other iWARP devices',
    'test_rdmacm.CMTestCase.test_rdmacm_async_resolve_addrinfo':
        'librdmacm writes an event of its own to the kernel, which Linux 6.1 does not take',
    'test_rdmacm.CMTestCase.test_rdmacm_async_traffic': 'the ACK timeout is an attribute of InfiniBand',
    'test_rdmacm.CMTestCase.test_rdmacm_async_traffic_external_qp': 'a connection has no step between response and use',
    'test_rdmacm.CMTestCase.test_rdmacm_async_udp_traffic': 'there are no datagrams',
    'test_rdmacm.CMTestCase.test_rdmacm_async_write': 'a WRITE may arrive after it has completed, when the region is gone',
}


def name_of(test):
    return test.id().removeprefix('tests.')


class Results(unittest.TestResult):
    """Prints the result of each test that runs, and collects the reasons of those that skip themselves."""

    def __init__(self, report):
        super().__init__()
        self.report = report
        self.reasons = []

    def addSuccess(self, test):
        self.report.result(True, name_of(test))

    def addSkip(self, test, reason):
        self.reasons.append(f'{name_of(test)}: {reason}')

    def addFailure(self, test, err):
        self.report.result(False, name_of(test), self._exc_info_to_string(err, test))

    addError = addFailure


def tests_in(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_in(part)
        else:
            yield part


def use_netdev(netdev):
    """Tells the tests with rdma_cm the address of the network interface."""
    from tests.base import RDMATestCase

    def add_config(case, dev, port, gid):
        case.args.append([dev, port, gid, *case.get_ip_mac_address(netdev)])

    RDMATestCase._get_ip_mac = add_config


def load(folder, options):
    sys.path[:0] = [folder, folder.rpartition('/')[0]]
    from args_parser import parser
    sys.argv[1:] = options
    parser.parse_args()
    return list(tests_in(unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module('tests'))))


def is_iwarp(device):
    with open(f'/sys/class/infiniband/{device}/node_type', encoding='ascii') as file:
        return file.read().strip().endswith('RNIC')


def run(tests, expected, not_for):
    begin = time.monotonic()
    report = Report()
    results = Results(report)
    for test in tests:
        if name_of(test) in not_for:
            report.skip(name_of(test), not_for[name_of(test)])
        else:
            test.run(results)
    strange = [reason for reason in results.reasons if not any(re.search(known, reason) for known in expected)]
    report.result(not strange, 'tests skip themselves for expected reasons only', '\n'.join(strange))
    print(f'# {len(tests)} tests: {report.number - 1 - report.failed - report.skipped} passed, {report.failed} failed, '
          f'{report.skipped} not for this device, {len(results.reasons)} skipped themselves; '
          f'{time.monotonic() - begin:.0f} s')
    return report.end()


def main():
    folder, device, gid = sys.argv[1:4]
    netdev = sys.argv[4:]
    tests = load(folder, ['--dev', device, '--gid', gid])
    for name in netdev:
        use_netdev(name)
    if is_iwarp(device):
        return run(tests, EXPECTED + EXPECTED_OF_IWARP, NOT_FOR_IWARP)
    names = [name_of(test) for test in tests]
    connect = [name for name in names if name.startswith('test_rdmacm.')]
    return run(tests, EXPECTED, dict.fromkeys(connect, 'rdma_cm connects iWARP devices only'))


if __name__ == '__main__':
    sys.exit(main())
