# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""KTAP of the tests in Python."""


class Report:
    """Numbers the results of cases. A case that raises an exception has failed."""

    def __init__(self):
        self.number = 0
        self.failed = 0
        self.skipped = 0
        print('KTAP version 1')

    def case(self, name, test, *args):
        try:
            test(*args)
        except Exception as error:  # every exception is a failure
            self.result(False, name, f'{type(error).__name__}: {error}')
        else:
            self.result(True, name)

    def result(self, good, name, text=''):
        self.number += 1
        for line in text.splitlines():
            print(f'# {line}')
        if not good:
            self.failed += 1
        # Flushed, because a child process would print what is buffered once more.
        print(f'{"" if good else "not "}ok {self.number} {name}', flush=True)

    def skip(self, name, reason):
        self.number += 1
        self.skipped += 1
        print(f'ok {self.number} {name} # SKIP {reason}', flush=True)

    def end(self):
        print(f'1..{self.number}')
        return 1 if self.failed or not self.number else 0


def run_cases(cases):
    """Runs functions by their names, in which "_" stands for a blank; returns the status of the program."""
    report = Report()
    for name, test in cases.items():
        report.case(name.replace('_', ' '), test)
    return report.end()


def expect(want, seen, what):
    if want != seen:
        raise AssertionError(f'{what}: {seen!r}, not {want!r}')
