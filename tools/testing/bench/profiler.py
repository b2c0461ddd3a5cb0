#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""For `profile`: samples a user-mode kernel, prints its functions by time, and draws a flame graph.

usage: profiler.py [--ptrace] PID KALLSYMS SECONDS TITLE FOLDER

Writes to FOLDER: functions (all of them), stacks (for other programs: "outer;...;inner count"), flame.svg.
"""
import collections
import os
import sys

sys.dont_write_bytecode = True

import flame
import samples

SHOWN = 35


def take(pid, symbols, seconds, folder, by_ptrace):
    """Returns chains, and the way in which they were taken: 'perf' or 'ptrace'."""
    names = samples.Names(symbols, pid)
    if not by_ptrace:
        try:
            return samples.sample_by_perf(pid, folder, seconds, 1999, names), 'perf'
        except samples.NoSamples as error:
            print(f'profile: {error}; taking samples by ptrace instead', file=sys.stderr)
    return samples.sample_by_ptrace(pid, seconds, 400, names), 'ptrace'


def shares(chains):
    """Returns for each function its samples, without and with those of functions that it called."""
    own, whole = collections.Counter(), collections.Counter()
    for chain in chains:
        own[chain[0]] += 1
        whole.update(set(chain))
    return own, whole


def function_lines(chains):
    own, whole = shares(chains)
    percent = 100 / len(chains)
    yield '  self %  incl. %  function'
    for function, count in sorted(whole.items(), key=lambda item: (-own[item[0]], -item[1])):
        yield f'{own[function] * percent:8.2f} {count * percent:8.2f}  {function[0]} [{function[1]}]'


def module_lines(chains):
    modules = collections.Counter(chain[0][1] for chain in chains)
    for module, count in modules.most_common():
        yield f'{100 * count / len(chains):8.2f}  [{module}]'


def write_lines(path, lines):
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(line + '\n' for line in lines)


def stack_lines(chains):
    counts = collections.Counter(';'.join(name for name, _ in reversed(chain)) for chain in chains)
    for stack, count in sorted(counts.items()):
        yield f'{stack} {count}'


def show(chains, how, title, folder):
    lines = list(function_lines(chains))
    write_lines(os.path.join(folder, 'functions'), lines)
    write_lines(os.path.join(folder, 'stacks'), stack_lines(chains))
    write_lines(os.path.join(folder, 'flame.svg'), flame.svg(chains, title))
    print(f'{title}: {len(chains)} samples by {how}\n')
    print('\n'.join(lines[:SHOWN + 1]))
    print('\nself % by module')
    print('\n'.join(module_lines(chains)))


def main(arguments):
    by_ptrace = arguments[:1] == ['--ptrace']
    if len(arguments) != 5 + by_ptrace:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    pid, kallsyms, seconds, title, folder = arguments[by_ptrace:]
    with open(kallsyms, encoding='utf-8') as file:
        symbols = samples.Symbols(file)
    try:
        chains, how = take(int(pid), symbols, float(seconds), folder, by_ptrace)
    except (samples.NoSamples, OSError) as error:
        print(f'profile: {error}', file=sys.stderr)
        return 1
    show(chains, how, title, folder)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
