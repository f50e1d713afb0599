"""Which files a report may be written to: new ones and reports of ours, never a file that is being checked."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable

from trialrun.errors import UsageError

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
