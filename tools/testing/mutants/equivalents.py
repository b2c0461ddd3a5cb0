# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Reads `equivalents`: the faults that no test can notice, and why."""

import os
import re
import sys


def read(path):
    """Returns a dictionary from the names of faults, see plant.names_of(), to the reasons."""
    found = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            line = line.rstrip('\n')
            if line and not line.startswith('#'):
                name, _, reason = line.partition(' -- ')
                found[name] = reason.strip()
    return found


def problems(top, path):
    """Yields what is wrong with the list: an entry without a reason, or one whose text is gone."""
    for name, reason in read(path).items():
        parsed = re.fullmatch(r'([\w./-]+):(\w+):(\w+): (.*?)( #\d+)?', name)
        if not parsed or not reason:
            yield f'{path}: not FILE:FUNCTION:KIND: TEXT -- REASON: {name}'
            continue
        file, function, _, text, _ = parsed.groups()
        try:
            with open(os.path.join(top, file), encoding='utf-8') as source:
                code = ' '.join(source.read().split())
        except FileNotFoundError:
            code = ''
        if not re.search(rf'\b{function}\b', code) or text not in code:
            yield f'{path}: {file} has no such text in {function}(): {text}'


if __name__ == '__main__':
    top = sys.argv[1]
    lines = list(problems(top, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'equivalents')))
    print(*lines, sep='\n', end='\n' if lines else '')
    sys.exit(bool(lines))
