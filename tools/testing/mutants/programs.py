# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Programs with planted faults: unit tests and fuzzers, which compile pure folders, and iwscript, which machines run."""

import os
import subprocess
import time

from plant import HERE, TEST_PROGRAM

FUZZERS = ('mpa', 'rx', 'term', 'markers', 'dif', 'packet', 'mad')
TESTS = ['unit', *(f'fuzz:{target}' for target in FUZZERS)]

# A fuzzer that looks for a fault runs so many inputs besides those that are kept.
RUNS = 20000

# The time that a program has, in seconds.
LIMIT = 120


def digest(tree, digest_of_files):
    paths = [f'{path}/{name}' for folder in ('unit', 'fuzz') for path, _, names in os.walk(f'{tree}/tools/testing/{folder}')
             for name in names]
    return digest_of_files(paths)


def folder_of(tree, test):
    return f'{tree}/build/programs/{test.split(":")[0]}'


def build(tree, count, machines):
    """Builds the programs with the faults, whose number is count, those for machines into that folder; returns None, or what make
    printed if it failed, and the folder in which it was."""
    head = f'-w -include {tree}/{HERE}/mutants_user.h -DKRDMA_MUTANTS={count}'
    out = {folder: folder_of(tree, folder) for folder in ('unit', 'fuzz')}
    for folder, *words in (('tools/testing/unit', f'out={out["unit"]}', f'CC=gcc {head}', f'{out["unit"]}/unit'),
                           ('tools/testing/fuzz', f'out={out["fuzz"]}', f'CLANG=clang {head}', 'all'),
                           (TEST_PROGRAM, '-B', f'OUT={machines}', f'CC=gcc {head}')):
        made = subprocess.run(['make', '-s', '-k', f'-j{os.cpu_count()}', '-C', f'{tree}/{folder}', *words], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            return made.stdout, folder
    for target in FUZZERS:
        # Makes the inputs that the fuzzer begins with.
        subprocess.run([f'{tree}/tools/testing/fuzz/run', folder_of(tree, 'fuzz'), 'fuzz', '1', target], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return None


def command(tree, test):
    out = folder_of(tree, test)
    if test == 'unit':
        return [f'{out}/unit']
    target = test.split(':')[1]
    return [f'{out}/{target}', '-seed=1', f'-runs={RUNS}', f'{out}/start/{target}']


def run(tree, test, environment):
    """Returns the status of the program, None if it does not end, and how many milliseconds it took."""
    start = time.monotonic()
    try:
        status = subprocess.run(command(tree, test), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, cwd=folder_of(tree, test), timeout=LIMIT,
                                env={**os.environ, **environment}).returncode
    except subprocess.TimeoutExpired:
        status = None
    return status, int((time.monotonic() - start) * 1000)


def reach(tree, test):
    """Runs the program without a fault; returns its status, milliseconds, and a byte for each fault."""
    path = f'{folder_of(tree, test)}/reached'
    if os.path.exists(path):
        os.unlink(path)
    status, milliseconds = run(tree, test, {'KRDMA_MUTANTS_REACHED': path})
    with open(path, 'rb') as file:
        return status, milliseconds, file.read()


def attempt(tree, test, number):
    """Runs the program with a fault; returns how it noticed that, or an empty text, and milliseconds."""
    status, milliseconds = run(tree, test, {'KRDMA_MUTANT': str(number)})
    return 'hang' if status is None else 'failed' if status else '', milliseconds
