# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Files that keep what was found, digests that say for which code and tests it holds, and progress."""

import hashlib
import json
import os
import sys


def say(text):
    print(f'mutants: {text}', file=sys.stderr, flush=True)


def digest(parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def digest_of_files(paths):
    found = []
    for path in sorted(paths):
        with open(path, 'rb') as file:
            found.append((os.path.basename(path), hashlib.sha256(file.read()).hexdigest()))
    return digest(found)


def read_json(path):
    try:
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return {}


def write_json(path, value):
    with open(path + '.new', 'w', encoding='utf-8') as file:
        json.dump(value, file, indent=0)
    os.replace(path + '.new', path)


def read_bytes(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        return b''


def keep_log(folder, key, kept):
    """Keeps the output of a test that noticed a fault, or of one that ran without any."""
    os.makedirs(kept, exist_ok=True)
    name = key.replace('/', '.')
    if os.path.exists(f'{folder}/logs/{name}'):
        os.replace(f'{folder}/logs/{name}', f'{kept}/{name}')
