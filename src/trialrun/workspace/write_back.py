"""Writes fixed files: atomically, with the same attributes, and only if they are unchanged since they were read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from trialrun.errors import os_error_reason
from trialrun.guarded_path import read_file, resolve_target
from trialrun.interrupts import defer_interrupts
from trialrun.lazy_dataclass import dataclass
from trialrun.workspace.atomic_write import create_temporary, replace_file

CHANGED = "it has changed since it was read"


@dataclass(frozen=True, slots=True)
class FileWritten:
    """A written file; `links` counts other hard links, which keep the old content."""

    links: int = 0


@dataclass(frozen=True, slots=True)
class FileNotWritten:
    """A file that was not written, with the reason."""

    reason: str


def write_back(
    file: str, data: bytes, *, instead_of: bytes, named_in: str = os.curdir, links: Sequence[str] = ()
) -> FileWritten | FileNotWritten:
    """Replace the content of a file; for a link, that of its target.

    A link that leads out of the work tree of `named_in` is not followed, also if it was created meanwhile. The new
    content is flushed to the disk before the file is replaced, with the same permissions. A file whose content is not
    `instead_of`, or that is not writable, is left unchanged. Ctrl-C is deferred until the end. Hard links among
    `links`, other paths of the file, stay links.
    """
    try:
        with defer_interrupts():
            target = resolve_target(file, named_in=named_in)
            others = {resolve_target(link, named_in=named_in) for link in links} - {target}
            return _write(target, data, instead_of, [other for other in others if os.path.samefile(other, target)])
    except OSError as error:
        return FileNotWritten(os_error_reason(error))


def _write(target: str, data: bytes, instead_of: bytes, others: Sequence[str]) -> FileWritten | FileNotWritten:
    if _read(target, data) == data:  # through another hard link, for example
        return FileWritten()
    if not os.access(target, os.W_OK):
        return FileNotWritten("it is read-only")
    with create_temporary(target) as new:
        new.write(data)
        links = os.stat(target).st_nlink - 1
        if _read(target, instead_of) != instead_of:
            return FileNotWritten(CHANGED)
        replace_file(new, target)
    for other in others:
        temporary = new.name
        os.link(target, temporary)
        os.replace(temporary, other)
    return FileWritten(max(0, links - len(others)))


def _read(target: str, expected: bytes) -> bytes:
    """The content of a file, as far as needed for the comparison."""
    return read_file(target, len(expected), named_in=os.path.dirname(target))
