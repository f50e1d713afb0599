"""The command line: one file per command, imported when it is called."""

from __future__ import annotations

import sys
from typing import NoReturn

FAULT_EXIT = 3
INTERRUPTED_EXIT = 130


def run() -> NoReturn:
    """The program `trialrun`: it ends the process with an exit code of the contract."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from trialrun import __version__

        print(f"trialrun {__version__}")
        sys.exit(0)
    from trialrun.cli.program import main

    sys.exit(main(arguments))
