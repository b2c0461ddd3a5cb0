# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Runs `guest` in machines whose modules have the planted faults, until all that is to do has a result."""

import collections
import os
import shutil
import subprocess
import threading
import time

# The limit for a test is so many times the time that it took without a fault, and so many seconds.
SLOWER = 3
SPARE = 20

# How long a machine may take to start and to end, in seconds.
BOOT = 60

# What a machine gets. key: the first word of its line, and of its result. limit: seconds that it may take. longest: seconds that
# one of its tests may take.
Item = collections.namedtuple('Item', 'key line limit longest')


class Machines:
    """Runs machines for a planted tree, jobs at a time. out: a folder, in which each job has one that the guest sees as /out."""

    def __init__(self, tree, kernel, modules, out, jobs):
        self.tree, self.kernel, self.modules, self.out, self.jobs = tree, kernel, modules, out, jobs

    def run(self, what, items, batch, done, jobs=None):
        """Has `guest WHAT` do all items, up to batch of them in a machine, jobs machines at a time. Calls done(key, words, folder)
        for each, one at a time: words are those of its result, or [None] and what ran when the machine died or took too long."""
        todo, lock, failures = collections.deque(items), threading.Lock(), []

        def work(job):
            while True:
                with lock:
                    if failures:
                        return
                    mine = [todo.popleft() for _ in range(min(batch, len(todo)))]
                if not mine:
                    return
                folder = self.prepare(f'{what}{job}', mine)
                status = self.boot(folder, what, sum(item.limit for item in mine) + BOOT, max(item.longest for item in mine) + BOOT)
                with lock:
                    left = self.results(mine, folder, status, done)
                    if len(left) == len(mine):
                        failures.append(folder)
                        return
                    todo.extendleft(reversed(left))

        threads = [threading.Thread(target=work, args=(job,)) for job in range(jobs or self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise SystemExit(f'mutants: no test runs in a machine, see {failures[0]}/machine.log')

    def prepare(self, name, items):
        folder = f'{self.out}/{name}'
        shutil.rmtree(folder, ignore_errors=True)
        for part in ('reached', 'logs'):
            os.makedirs(f'{folder}/{part}')
        with open(f'{folder}/todo', 'w', encoding='utf-8') as file:
            file.writelines(f'{item.line}\n' for item in items)
        return folder

    def boot(self, folder, what, seconds, silence):
        """Runs a machine until it has ended, or no test has begun for so many seconds of silence, because a fault may stop all
        of it. Returns the status of vm/run, or 124 if the machine took too long."""
        command = [f'{self.tree}/tools/testing/vm/run', '--kernel', self.kernel, '--modules', self.modules, '--out', folder,
                   '--append', 'slub_debug=FZP', '--timeout', str(seconds), '--with', 'fio', '--with', 'python',
                   '--add', f'{self.modules}/switch/krdma_mutants.ko', '--env', f'SLOWER={SLOWER}', '--env', f'SPARE={SPARE}',
                   '--', f'{self.tree}/tools/testing/mutants/guest', what]
        with open(f'{folder}/machine.log', 'wb') as log, \
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT) as machine:
            last, since = None, time.monotonic()
            while True:
                try:
                    return machine.wait(1)
                except subprocess.TimeoutExpired:
                    now = began(folder)
                    if now != last:
                        last, since = now, time.monotonic()
                    elif time.monotonic() > since + silence:
                        machine.terminate()
                        machine.wait()
                        return 124

    @staticmethod
    def results(items, folder, status, done):
        """Passes the results of a machine on; returns the items that have none."""
        by_key = {item.key: item for item in items}
        for line in lines_of(f'{folder}/results'):
            key, *words = line.split()
            if by_key.pop(key, None):
                done(key, words, folder)
        now = ' '.join(lines_of(f'{folder}/now')).split()
        if now and now[0] in by_key and status:
            del by_key[now[0]]
            done(now[0], [None, *now[1:2], 'hang' if status == 124 else 'crash'], folder)
        return [item for item in items if item.key in by_key]


def began(folder):
    """Returns when the test that runs has begun, None if none has."""
    try:
        return os.stat(f'{folder}/now').st_mtime_ns
    except FileNotFoundError:
        return None


def lines_of(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []
