# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The tests that may notice faults: selftests of one machine, modules of in-kernel tests, unit tests and fuzzers."""

import fnmatch
import os
import re

import plant
import programs
from store import digest_of_files

# Modules of tests that selftests/rdma/in_kernel.sh does not load: other selftests run them with devices.
NOT_IN_KERNEL = ('kt_siw', 'kt_sib', 'kt_support')

# The selftest that runs scripts of the wire, those of one folder if it is asked to, and what is no such folder.
WIRE, NOT_ON_WIRE = 'siw/wire', ('lib', 'memory')

# Folders of selftests that need more than one machine, or other kernels' modules.
NOT_HERE = ('.', 'two_vm', 'peer', 'intree', 'ulp')


def suites_in(files):
    """Yields the names of the suites of in-kernel tests in these files, with + for blanks."""
    for path in files:
        with open(path, encoding='utf-8') as file:
            for name in re.findall(r'KTAP_SUITE\(\w+,\s*"([^"]+)"', file.read()):
                yield name.replace(' ', '+')


class Tests:
    """tree: the copy without faults, whose numbers change with any code. modules: the folder of the planted modules."""

    def __init__(self, tree, modules):
        self.tree, self.modules = tree, modules
        self.selftests = f'{tree}/tools/testing/selftests/rdma'

    def find(self, patterns):
        """Returns a dictionary from each test that fits one of the patterns, or from all, to the digest of what it consists of."""
        found = {}
        for path, _, names in os.walk(self.selftests):
            area = os.path.relpath(path, self.selftests)
            for name in names:
                if name.endswith('.sh') and not name.startswith('lib') and '/' not in area and area not in NOT_HERE:
                    found[f'{area}/{name[:-3]}'] = digest_of_files(self.files_of(path, name))
        self.divide(found)
        modules = f'{self.tree}/tools/testing/modules'
        for name in self.modules_of_tests():
            files = [f'{modules}/{name}/{file}' for file in os.listdir(f'{modules}/{name}')]
            digest = digest_of_files(files)
            for suite in suites_in(files):
                found[f'in_kernel:{name}:{suite}'] = digest
        for name in programs.TESTS:
            found[name] = programs.digest(self.tree, digest_of_files)
        return {test: depends for test, depends in found.items()
                if not patterns or any(fnmatch.fnmatch(name, pattern) for name in (test, test.split(':')[0])
                                       for pattern in patterns)}

    def divide(self, found):
        """Puts a test for each folder of scripts of the wire in the place of the one that runs all of them, which takes long."""
        if WIRE not in found:
            return
        whole = found.pop(WIRE)
        for name in os.listdir(f'{self.selftests}/wire'):
            folder = f'{self.selftests}/wire/{name}'
            if name not in NOT_ON_WIRE and os.path.isdir(folder):
                found[f'{WIRE}:{name}'] = whole

    def files_of(self, folder, name):
        """Yields what a selftest consists of: its script, what is no script in its folder, and the programs, modules and scripts of
        the wire that it names. lib_X.sh stands for what is called X."""
        yield f'{folder}/{name}'
        with open(f'{folder}/{name}', encoding='utf-8') as file:
            text = file.read()
        testing = f'{self.tree}/tools/testing'
        words = sorted({word.removeprefix('lib_') for word in re.findall(r'[a-z_]+', text)})
        parts = [f'{testing}/{word}' for word in words if os.path.exists(f'{testing}/{word}/Makefile')]
        parts += [f'{testing}/modules/{word}' for word in words if os.path.exists(f'{testing}/modules/{word}/Kbuild')]
        if 'iwscript' in text:
            parts += [f'{self.tree}/{plant.TEST_PROGRAM}', f'{testing}/selftests/rdma/wire']
        for part in parts:
            for path, _, names in os.walk(part):
                yield from (f'{path}/{name}' for name in names)
        for other in os.listdir(folder):
            if not other.endswith('.sh') and os.path.isfile(f'{folder}/{other}'):
                yield f'{folder}/{other}'

    def modules_of_tests(self):
        """Yields the names of the modules that selftests/rdma/in_kernel.sh loads."""
        for name in sorted(os.listdir(f'{self.tree}/tools/testing/modules')):
            path = f'{self.modules}/{name}.ko'
            if name.startswith('kt_') and not name.startswith(NOT_IN_KERNEL) and os.path.exists(path):
                with open(path, 'rb') as file:
                    if b'description=krdma in-kernel tests' in file.read():
                        yield name

    def limit_of(self, test):
        """Returns the seconds that a test may take without a fault."""
        if test in programs.TESTS:
            return 0
        name = test.split(':')[0]
        with open(f'{self.selftests}/{name}.sh', encoding='utf-8') as file:
            found = re.search(r'^# timeout: (\d+)$', file.read(4000), flags=re.M)
        return 2 * int(found.group(1) if found else 60) + 40
