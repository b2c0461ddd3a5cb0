# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The copy of the tree in which the faults are planted: finds them, and builds the copy."""

import os
import re
import shutil
import subprocess

import carry
import faults
import plant
import programs
from store import digest_of_files, read_json, say, write_json

# How often the copy is built, each time without the faults that did not compile.
BUILDS = 6


class Planted:
    """top: the working tree, which is only read. kernel: a folder with a built kernel. state: where the copy is, and what is known.

    found: the faults by their numbers, from 1 on, which a change of the tests does not change. names: theirs, by the same numbers.
    code, code_of_tests: digests of the code in which they are.
    """

    def __init__(self, top, kernel, state):
        self.top, self.kernel, self.state = top, kernel, state
        self.plain, self.tree = f'{state}/plain', f'{state}/planted'
        with open(f'{kernel}/release', encoding='utf-8') as file:
            self.kver = file.read().strip()
        self.modules = f'{self.tree}/build/{self.kver}'
        self.digests = {}
        os.makedirs(state, exist_ok=True)

    def find(self):
        """Copies the tree, and finds its faults."""
        self.files = plant.files_of_git(self.top)
        plant.copy_tree(self.top, self.files, self.plain, {})
        self.code = self.digest_of_code([*plant.house.folders_of(self.plain), 'include', 'compat', plant.HERE])
        self.code_of_tests = self.digest_of_code([*(f'tools/testing/modules/{name}' for name in plant.TEST_MODULES),
                                                  plant.TEST_PROGRAM, 'tools/testing/lib'])
        kept = read_json(f'{self.state}/faults.json')
        known = [faults.Fault(*values) for values in kept.get('faults', [])]
        if kept.get('code') == [self.code, self.code_of_tests]:
            found = known
        else:
            say('reading the code')
            found = plant.find(self.plain, f'{self.state}/flags', f'{self.kernel}/build')
            files = {path: digest_of_files([f'{self.plain}/{path}']) for path in {fault.path for fault in found}}
            new = carry.Code(self.code, plant.names_of(found), [fault.path for fault in found], files)
            if 'files' in kept:
                old = carry.Code(kept['code'][0], plant.names_of(known), [fault.path for fault in known], kept['files'])
                write_json(f'{self.state}/reached.json', carry.reached(read_json(f'{self.state}/reached.json'), old, new))
            write_json(f'{self.state}/faults.json',
                       {'code': [self.code, self.code_of_tests], 'faults': found, 'files': files})
        self.found = dict(enumerate(found, 1))
        self.names = dict(enumerate(plant.names_of(found), 1))

    def digest_of_code(self, folders):
        paths = [f'{path}/{name}' for folder in folders for path, _, names in os.walk(f'{self.plain}/{folder}')
                 for name in names if name.endswith(('.c', '.h')) or name in ('faults.py', 'plant.py')]
        return digest_of_files(paths)

    def code_of(self, number):
        """Returns the digest of a fault's file. What is known of a fault holds while its file is the same."""
        path = self.found[number].path
        if path not in self.digests:
            self.digests[path] = digest_of_files([f'{self.plain}/{path}'])
        return self.digests[path]

    def title(self, number):
        fault = self.found[number]
        return f'{fault.path}:{fault.line} {fault.kind} "{fault.what}"'

    def is_in_program(self, number):
        """Returns whether the fault is in the program that machines run, which contains faults of iwarp/, too; those stay off."""
        return self.found[number].path.startswith((f'{plant.TEST_PROGRAM}/', 'tools/testing/lib/'))

    def build(self):
        """Plants the faults, and builds. Faults that do not compile are left out of found; returns how many."""
        code = self.code + self.code_of_tests
        unbuilt = set(read_json(f'{self.state}/unbuilt.json').get(code, []))
        for _ in range(BUILDS):
            for number in unbuilt:
                self.found.pop(number, None)
            self.plant()
            failed = self.compile() or programs.build(self.tree, max(self.names) + 1, f'{self.modules}/bin')
            if failed is None:
                break
            log, folder = failed
            more = self.faults_at(folder, re.findall(r'^(\S+?\.[ch]):(\d+):\d+: (?:error|note)', log, flags=re.M))
            if not more:
                raise SystemExit(f'mutants: the planted code does not build:\n{log[-3000:]}')
            unbuilt |= more
            for number in sorted(more):
                say(f'{self.title(number)} does not compile, and is left out')
        else:
            raise SystemExit(f'mutants: faults still do not compile after {BUILDS} builds')
        write_json(f'{self.state}/unbuilt.json', {code: sorted(unbuilt)})
        return len(unbuilt)

    def plant(self, alone=None):
        """Writes the copy, with the faults that have a switch, and the fault alone, which has none."""
        changed = plant.plant(self.plain, self.found, alone)
        with open(f'{self.plain}/Kbuild', encoding='utf-8') as file:
            kbuild = file.read()
        highest = max(self.names) + 1
        changed['Kbuild'] = (kbuild + f"""
# Each module is compiled as one file, with the faults that are planted in it.
ccflags-y += -include $(src)/{plant.HERE}/mutants.h -g0
$(call compile-joined,$(krdma-install:.ko=))
obj-m += krdma_mutants.o
krdma_mutants-y := {plant.SWITCH}.o
CFLAGS_{plant.SWITCH}.o := -DKRDMA_MUTANTS={highest}
""").encode()
        plant.copy_tree(self.plain, self.files, self.tree, changed)

    def compile(self):
        """Returns None, or what make printed if it failed, and in which folder. The programs that tests start have no faults,
        although some of them contain code of ours, but for one, see programs.build()."""
        say(f'building {len(self.found)} faults')
        for tree, target in ((self.plain, 'programs'), (self.tree, 'modules')):
            made = subprocess.run(['make', '-s', '-k', f'-j{os.cpu_count()}', '-C', tree, f'KVER={self.kver}',
                                   f'KDIR={self.kernel}/build', target], stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, 'LC_ALL': 'C'})
            if made.returncode:
                return made.stdout, os.path.relpath(self.modules, self.tree)
        # Tests unload all modules that they find in the folder, but the switch stays.
        os.makedirs(f'{self.modules}/switch', exist_ok=True)
        os.replace(f'{self.modules}/krdma_mutants.ko', f'{self.modules}/switch/krdma_mutants.ko')
        shutil.rmtree(f'{self.modules}/bin', ignore_errors=True)
        shutil.copytree(f'{self.plain}/build/{self.kver}/bin', f'{self.modules}/bin')
        return None

    def faults_at(self, folder, places):
        """Returns the numbers of the faults on these lines: (path, line), the path as seen from the folder."""
        at = {(os.path.relpath(os.path.join(self.tree, folder, path), self.tree), int(line)) for path, line in places}
        lines = {path for path, _ in at}
        found = set()
        for number, fault in self.found.items():
            if fault.path not in lines or fault.other is not None:
                continue
            with open(f'{self.plain}/{fault.path}', 'rb') as file:
                data = file.read()
            last = fault.line + data.count(b'\n', fault.start, fault.end)
            if any((fault.path, line) in at for line in range(fault.line, last + 1)):
                found.add(number)
        return found
