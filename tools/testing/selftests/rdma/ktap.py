# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""KTAP of the tests in Python."""


class Report:
    """Numbers the results of cases. A case that raises an exception has failed."""

    def __init__(self):
        self.number = 0
        self.failed = 0
        print('KTAP version 1')

    def case(self, name, test, *args):
        self.number += 1
        try:
            test(*args)
        except Exception as error:  # every exception is a failure
            self.failed += 1
            print(f'# {type(error).__name__}: {error}')
            print(f'not ok {self.number} {name}')
        else:
            print(f'ok {self.number} {name}')

    def end(self):
        print(f'1..{self.number}')
        return 1 if self.failed or not self.number else 0


def expect(want, seen, what):
    if want != seen:
        raise AssertionError(f'{what}: {seen!r}, not {want!r}')
