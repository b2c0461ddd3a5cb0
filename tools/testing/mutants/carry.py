# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""What tests reach, carried over from the code before a change to the code behind it, because running all tests takes long."""

import collections
import os


class Code:
    """Code with faults. digest: names it. names, paths: those of its faults, in the order of their numbers, from 1 on.
    files: the digest of each file with faults."""

    def __init__(self, digest, names, paths, files):
        self.digest, self.names, self.paths, self.files = digest, names, paths, files


def reached(entries, old, new):
    """Returns the entries of reached.json, {test: {'for': [digest of the code, digest of the test], 'faults': numbers, ...}}, for
    the new code. In a file that is the same, a test reaches the same faults. Of a file that has changed it is taken to reach all
    if it reached one, and of a new file if it reached one of the folder."""
    numbers = {name: number for number, name in enumerate(new.names, 1)}
    same = {path for path, digest in new.files.items() if old.files.get(path) == digest}
    renumbered = {number: numbers[name] for number, (name, path) in enumerate(zip(old.names, old.paths), 1)
                  if path in same and name in numbers}
    of_file = collections.defaultdict(set)
    for number, path in enumerate(new.paths, 1):
        of_file[path].add(number)
    carried = {}
    for test, entry in entries.items():
        if entry['for'][0] != old.digest or not entry['ok']:
            continue
        paths = {old.paths[number - 1] for number in entry['faults']}
        folders = {os.path.dirname(path) for path in paths}
        found = {renumbered[number] for number in entry['faults'] if number in renumbered}
        for path in new.files.keys() - same:
            if path in paths or path not in old.files and os.path.dirname(path) in folders:
                found |= of_file[path]
        carried[test] = {**entry, 'for': [new.digest, entry['for'][1]], 'faults': sorted(found)}
    return carried
