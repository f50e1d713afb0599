"""The command line: one file per command, imported when it is called."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # as type checkers read it, without the import of typing
if TYPE_CHECKING:
    from typing import NoReturn

GARBAGE_THRESHOLD = 50_000
"""Reading files makes no reference cycles and importing few, so that looking for them often is time lost."""


def run() -> NoReturn:
    """The program `trialrun`: it ends the process with an exit code of the contract."""
    if sys.getfilesystemencoding() != "utf-8":
        _start_in_utf8_mode()
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from trialrun.values.time_zone import IANA_VERSION
        from trialrun.version import __version__

        try:
            print(f"trialrun {__version__} (time zones of tzdata {IANA_VERSION})")
        except OSError:  # nobody is there to read it
            _end(0)
        _end(0)
    from trialrun.errors import INTERRUPTED_EXIT

    try:
        gc.set_threshold(GARBAGE_THRESHOLD, 20, 100)
        from trialrun.cli.main import main

        _end(main(arguments))
    except KeyboardInterrupt:  # while the commands were loaded, or a second one while the first was answered
        os._exit(INTERRUPTED_EXIT)


def _start_in_utf8_mode() -> None:
    """Begin again with names of files and arguments in UTF-8, which a locale such as C or tr_TR would take for others.

    What is written for people keeps the encoding of the terminal.
    """
    if sys.flags.utf8_mode or not sys.executable:
        return
    encoding = getattr(sys.stdout, "encoding", None)
    if encoding:
        os.environ.setdefault("PYTHONIOENCODING", encoding)
    try:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    except OSError:
        return


def _end(code: int) -> NoReturn:
    """End the process at once: its memory is given back whole, not object by object, which takes 25 ms.

    What is written is flushed here, and stores are closed where they are used; nothing else waits for an orderly end.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # its reader has gone, or it was closed, or never was one
            continue
    os._exit(code)
