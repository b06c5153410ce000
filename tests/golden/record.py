"""Records the releases of the built command: JME_BINARY=... python record.py CASE... (all: those that are not recorded).

A release that changes breaks the promise that a stream goes on with the same noise, so a recorded case is only made
again by its name, and the commit says why.
"""

import pathlib
import sys
import tempfile

import command
import golden
from cases import CASES


def main() -> None:
    known = golden.load() if golden.FILE.exists() else {}
    wanted = sys.argv[1:] or [case for case in CASES if case not in known]
    for case in wanted:
        with tempfile.TemporaryDirectory() as folder:
            known[case] = {"settings": command.settings(case), "releases": command.run(case, pathlib.Path(folder))}
    golden.store({case: known[case] for case in known if case in CASES})
    print(f"{len(wanted)} recorded, {len(known)} in all")


if __name__ == "__main__":
    main()
