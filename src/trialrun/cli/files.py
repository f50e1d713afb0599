"""Files that commands write: whole or as they were before, and only what is ours is written over."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TextIO

from trialrun.cli.output import program_parts, write_utf8
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target
from trialrun.workspace.write_files import create_temporary, replace_file

IN_MEMORY = "/dev/shm/"
"""The folder of Linux for ordinary files in memory, among those of devices."""


def write_atomically(file: str, parts: Iterable[str], *, is_commands: bool = False) -> None:
    """Write the parts to a file, escaped as `write_utf8` does. Raises UsageError where that cannot be done.

    What is not a file on a disk, such as a pipe or /dev/stdout, gets the parts as they come.
    """
    if "\0" in file:
        raise UsageError(f"{file} cannot be written: file names cannot contain NUL")
    safe = program_parts(parts, is_commands=is_commands)
    try:
        target = resolve_target(file, named_in=os.getcwd())
        stream = _own_stream(file)
        if stream is not None:
            write_utf8(safe, stream, is_commands=is_commands)
            stream.flush()
        elif _is_device(file):
            with open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as opened:
                opened.writelines(safe)
        else:
            with create_temporary(target) as new:
                for part in safe:
                    new.write(part.encode("utf-8", "backslashreplace"))
                replace_file(new, target)
    except FileNotFoundError as error:
        raise UsageError(f"{file} cannot be written: there is no such folder; create it first") from error
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {os_error_reason(error)}") from error


def _own_stream(file: str) -> TextIO | None:
    """Our own stream where the file is one by another name: a second way into it would write over what is there."""
    with suppress(OSError, ValueError):
        status = os.stat(file)
        for stream in (sys.stdout, sys.stderr):
            if os.path.samestat(status, os.fstat(stream.fileno())):
                return stream
    return None


def _is_device(file: str) -> bool:
    folder = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(file))), "")
    if folder.startswith(("/dev/", "/proc/")) and not folder.startswith(IN_MEMORY):
        return True
    with suppress(FileNotFoundError):
        return not stat.S_ISREG(os.stat(file).st_mode)
    return False


HEAD_BYTES = 4096
TAIL_BYTES = 2048
REPORT_HEADS = re.compile(
    rb'\{"version": 1,\s+"(?:diagnostics|scenarios)": \['  # json
    rb'|\{"version": 1, "base": "[^"]*", "head": "[^"]*", "summary": \{"breaking": '  # json of a plan
    rb"|<!-- trialrun plan -->\n"  # markdown
    rb"|<!doctype html>\n<!-- trialrun report -->\n"  # the page
    rb"|<svg [^>]*>\n<!-- trialrun report -->\n"  # a picture of it
    rb"|(?:\d+ breaking, \d+ risky, \d+ safe: \d+ changes?|no changes) between "  # text of a plan
    rb'|\{"\$schema": "https://json\.schemastore\.org/sarif-2\.1\.0\.json",.{0,300}?"name": "trialrun"'
    rb'|\{"source": \{"name": "trialrun"'  # rdjson
    rb'|\[\]\s*\Z|\[\s+\{"type": "issue", "check_name": "'  # gitlab
    rb'|<\?xml [^>]*\?>\s*<testsuites name="trialrun"',  # junit
    re.DOTALL,
)
SUMMARY = re.compile(
    r"(?:^|\s|; )(?:no files checked|\d+ files? checked, nothing found"
    r"|(?:\d+ (?:error|warning|note)s?(?:, )?)+ in (?:\d+ of )?\d+ files?"
    r"|(?:\d+ breaking, \d+ risky, \d+ safe: \d+ changes?|no changes) between \S[^;]{0,200})(?: \([^()]*\))?$"
)
"""The last words of a report for people, or for the log of GitHub."""


def require_replaceable(files: Iterable[str], *, force: bool) -> None:
    """Raise UsageError where a report would overwrite a file that is not a report of ours, unless it is forced to."""
    for file in files:
        if not force and not _is_replaceable(file):
            raise UsageError(f"{file} is not a trialrun report; write to another file, or overwrite it with --force")


def require_not_checked(files: Iterable[str], checked: Iterable[str]) -> None:
    """Raise UsageError where a report would overwrite a file that is being checked."""
    reports = {os.path.realpath(file): file for file in files}
    if not reports:
        return
    for path in checked:
        if file := reports.get(os.path.realpath(path)):
            raise UsageError(f"{file} is one of the checked files; write the report to another file")


def is_other_file(file: str, header: str) -> bool:
    """Whether there is a file that does not begin with the header of what would be written over it.

    A pipe or a terminal takes anything; reading it would wait.
    """
    if not os.path.lexists(file):
        return False
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return os.path.isdir(file)
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read(len(header)) != header
    except (OSError, ValueError):
        return True


def _is_replaceable(file: str) -> bool:
    """Whether a file is not there, is empty or has a report; a pipe or a terminal takes anything."""
    try:
        status = os.stat(file)
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return True
        with open(file, "rb") as stream:
            head = stream.read(HEAD_BYTES)
            stream.seek(max(0, status.st_size - TAIL_BYTES))
            tail = stream.read(TAIL_BYTES)
    except (OSError, ValueError):  # writing it says what is wrong
        return True
    return bool(REPORT_HEADS.match(head)) or is_text_report(tail.decode("utf-8", "replace"))


def is_text_report(text: str) -> bool:
    """Whether a text ends as the reports for people do, whatever its lines were broken at."""
    return bool(SUMMARY.search(" ".join(text.split())))


HEADER = "# A session as it was played; recorded by trialrun.\n"
NAME_PART = re.compile(r"[^a-z0-9]+")
MAX_FILE_NAME = 60


def save_scenario(file: str, document: Mapping[str, Any]) -> None:
    """Write a recorded session, as a Scenario document. Raises UsageError."""
    from trialrun.fix.canonical_yaml import canonical_yaml

    if not file.lower().endswith((".yaml", ".yml")):
        raise UsageError(f"{file}: a scenario is a YAML file; choose a name that ends with .yaml")
    if is_other_file(file, HEADER):
        raise UsageError(f"{file} exists and is not a recorded scenario; choose another name")
    write_atomically(file, [HEADER, canonical_yaml(document)])


def scenario_file_name(name: str) -> str:
    """The file name of a scenario: its name in lower-case words with hyphens."""
    return (NAME_PART.sub("-", name.lower()).strip("-")[:MAX_FILE_NAME].rstrip("-") or "session") + ".yaml"
