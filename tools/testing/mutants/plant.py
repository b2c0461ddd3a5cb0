# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Copies the tree, finds the faults of the copy (faults.py), and plants them behind their switch (mutants.h)."""

import collections
import concurrent.futures
import os
import shlex
import subprocess
import sys

import faults

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lint'))
sys.dont_write_bytecode = True
import house  # noqa: E402

HERE = 'tools/testing/mutants'

# The modules and the program of the tests in which faults are planted, too: a test that does not notice these cannot fail.
TEST_MODULES = ('kscript', 'kulp', 'support')
TEST_PROGRAM = 'tools/testing/wire_script'

# The module with the switch. Its folder has no Kbuild file, because only the planted copy builds it.
SWITCH = 'tools/testing/modules/mutants/krdma_mutants'


def write_if_other(path, data, mode=None):
    """Writes a file, unless it is the same: then it keeps its time, and make builds nothing anew."""
    try:
        with open(path, 'rb') as file:
            if file.read() == data:
                return
        os.unlink(path)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)
    if mode is not None:
        os.chmod(path, mode)


def git(top, *words):
    return subprocess.run(['git', '-C', top, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def files_of_git(top):
    """Returns the files that git knows, with changes that are not committed, and those that are new."""
    listed = git(top, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
    return {name for name in listed if name and os.path.isfile(os.path.join(top, name))}


def copy_tree(top, names, copy, changed):
    """Copies the files, and removes others from the copy. changed: the text of files that are different in the copy, by path."""
    for name in sorted(names):
        data = changed.get(name)
        if data is None:
            with open(os.path.join(top, name), 'rb') as file:
                data = file.read()
        write_if_other(os.path.join(copy, name), data, os.stat(os.path.join(top, name)).st_mode)
    for path, folders, files in os.walk(copy):
        if path == copy:
            folders[:] = [name for name in folders if name != 'build']
        for name in files:
            if os.path.relpath(os.path.join(path, name), copy) not in names:
                os.unlink(os.path.join(path, name))


def compiler_arguments(top, scratch, kernel_build):
    """Returns what libclang needs to know of what kbuild says to the compiler: builds one small module to see it. Makes the
    headers that are generated, too."""
    write_if_other(f'{scratch}/Kbuild', f"""src := {top}
include $(src)/compat/Kbuild
LINUXINCLUDE := -I$(obj)/compat -I$(src)/compat/include -I$(src)/include -I$(src) $(LINUXINCLUDE)
obj-m += krdma_mutants.o
krdma_mutants-y := {SWITCH}.o
ccflags-y += -DKRDMA_MUTANTS=1
""".encode())
    subprocess.run(['make', '-s', '-C', kernel_build, f'M={scratch}', 'ARCH=um', 'modules'], check=True,
                   stdout=subprocess.DEVNULL)
    with open(f'{scratch}/{os.path.dirname(SWITCH)}/.krdma_mutants.o.cmd', encoding='utf-8') as file:
        words = iter(shlex.split(file.readline().split(':=', 1)[1]))
    arguments = ['-Wno-everything', '-ferror-limit=20']

    def absolute(name):
        return os.path.normpath(os.path.join(kernel_build, name))

    for word in words:
        if word in ('-include', '-isystem'):
            arguments += [word, absolute(next(words))]
        elif word.startswith('-I'):
            arguments.append('-I' + absolute(word[2:]))
        elif word.startswith(('-D', '-std', '-nostdinc')):
            arguments.append(word)
    return arguments


def faults_of_module(job):
    """Returns the faults of the files of a module, or of a file of a program, from one translation unit that includes them all."""
    top, scratch, arguments, module, files, wanted = job
    source = f'{scratch}/{module}.c'
    write_if_other(source, ''.join(f'#include "{top}/{file}"\n' for file in files if not file.endswith('/trace.c')).encode())
    arguments = [word.replace('krdma_mutants', module) for word in arguments]
    found, errors = faults.parse(top, source, arguments, wanted)
    if errors:
        raise SystemExit(f'mutants: {module}: libclang cannot read it: {errors[0]}')
    return found


def folders_without_module(top, folders, modules):
    """Yields the folders that no module has linked in yet: pure ones, which unit tests and fuzzers compile."""
    linked = {file for files in modules.values() for file in files}
    for folder in folders:
        if not linked & set(house.sources_in(top, folder)):
            yield folder


def is_of_tests(fault):
    return fault.path.startswith('tools/')


def find(top, scratch, kernel_build):
    """Returns all faults, in the order of files and places; those of the tests are the last."""
    arguments = compiler_arguments(top, scratch, kernel_build)
    folders = house.folders_of(top)
    modules = house.modules_of(top, folders)
    wanted = {file for files in modules.values() for file in files}
    wanted |= {file for folder in folders for file in house.sources_in(top, folder) if file.endswith('.h')}
    wanted = {file for file in wanted if not file.endswith('trace.h')}
    test_folders = [f'tools/testing/modules/{name}' for name in TEST_MODULES]
    modules |= house.modules_of(top, test_folders)
    wanted |= {file for folder in [*test_folders, TEST_PROGRAM, 'tools/testing/lib'] for file in house.sources_in(top, folder)}
    jobs = [(top, scratch, arguments, module, files, wanted) for module, files in modules.items()]
    for_programs = [f'-I{top}', '-std=gnu11', '-D_GNU_SOURCE', '-Wno-everything']
    alone = [TEST_PROGRAM, *folders_without_module(top, folders, modules)]
    wanted |= {file for folder in alone for file in house.sources_in(top, folder)}
    jobs += [(top, scratch, for_programs, file[:-2].replace('/', '_'), [file], wanted)
             for folder in alone for file in house.sources_in(top, folder) if file.endswith('.c')]
    # The largest first.
    jobs.sort(key=lambda job: -len(job[4]))
    seen = {}
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(faults_of_module, jobs):
            for fault in found:
                seen.setdefault((fault.path, fault.start, fault.end, fault.kind, fault.head), fault)
    return sorted(seen.values(), key=lambda fault: (is_of_tests(fault), fault.path, fault.start, -fault.end, bool(fault.cut),
                                                    fault.kind, fault.head))


def names_of(found):
    """Returns a name for each fault, which stays the same while its function does: path, function, kind, text and a count."""
    counts, names = collections.Counter(), []
    for fault in found:
        name = f'{fault.path}:{fault.function}:{fault.kind}: {fault.what}'
        counts[name] += 1
        names.append(name if counts[name] == 1 else f'{name} #{counts[name]}')
    return names


def planted(data, edits):
    """Returns the text with the edits: (offset, order, text, bytes that the text replaces)."""
    parts, at = [], 0
    for offset, _, text, length in sorted(edits):
        parts += [data[at:offset], text.encode()]
        at = offset + length
    return b''.join(parts + [data[at:]])


def edits_of(number, fault):
    """Yields the edits of a fault in its file: what is inserted, or replaced."""
    if fault.other is not None:
        yield fault.start, (1, 0, 0), fault.other, fault.end - fault.start
        return
    length = fault.end - fault.start
    # Of what begins at one place, the longer is outside; of what ends at one place, the shorter ends first.
    yield fault.start, (1, -length, number), fault.head.replace('@', str(number)), 0
    yield fault.end, (0, length, -number), fault.tail, 0
    if fault.cut:
        yield fault.cut[0], (0.5, 0, 0), ', ', fault.cut[1] - fault.cut[0]


def plant(top, found, alone=None):
    """Returns the text of the files, by path, with all faults that have a switch, whose numbers are the keys of found, and
    the fault alone, which has none."""
    edits = collections.defaultdict(list)
    for number, fault in found.items():
        if fault.other is None or number == alone:
            edits[fault.path] += edits_of(number, fault)
    changed = {}
    for path, its_edits in edits.items():
        with open(os.path.join(top, path), 'rb') as file:
            changed[path] = planted(file.read(), its_edits)
    return changed
