"""What would change in a file, as a unified diff that `git apply` and `patch` take."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from trialrun.report.color import Paint, Style

CONTEXT = 3
"""The lines shown before and after each change."""

NO_LINE_BREAK = "\\ No newline at end of file\n"
ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
SIGN_STYLES: dict[str, Style] = {"+": "added", "-": "removed"}

Hunk = Sequence[tuple[str, int, int, int, int]]

LINE = re.compile(r"[^\n]*\n|[^\n]+")
NEEDS_QUOTES = re.compile(r'["\\\x00-\x1f\x7f]')


def unified_diff(path: str, before: str, after: str, *, paint: Paint) -> Iterator[str]:
    """The lines of a unified diff of a file, none for a text that stays; `path` leads there from where it is applied.

    A line ends at a line feed alone, as for those who apply it: a carriage return is a character of its line.
    """
    old, new = LINE.findall(before), LINE.findall(after)
    for number, hunk in enumerate(SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT)):
        if number == 0:
            yield paint(f"--- {_quote_path('a/' + path)}", "rule") + "\n"
            yield paint(f"+++ {_quote_path('b/' + path)}", "rule") + "\n"
        yield paint(_hunk_header(hunk), "place") + "\n"
        yield from (_format_line(sign, line, paint) for sign, line in _hunk_lines(hunk, old, new))


def comment_out(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a diff that cannot be applied, so that those who apply the diffs around it pass them over."""
    return (f"# {line}" for line in lines)


def _hunk_lines(hunk: Hunk, old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines of a hunk, each with its sign: blank for one that stays."""
    for what, first, last, first_new, last_new in hunk:
        if what == "equal":
            yield from ((" ", line) for line in old[first:last])
            continue
        yield from (("-", line) for line in old[first:last])
        yield from (("+", line) for line in new[first_new:last_new])


def _format_line(sign: str, line: str, paint: Paint) -> str:
    text = sign + line.removesuffix("\n")
    content = paint(text, SIGN_STYLES[sign]) if sign in SIGN_STYLES else text
    return f"{content}\n" if line.endswith("\n") else f"{content}\n{NO_LINE_BREAK}"


def _hunk_header(hunk: Hunk) -> str:
    first, last = hunk[0], hunk[-1]
    return f"@@ -{_format_range(first[1], last[2])} +{_format_range(first[3], last[4])} @@"


def _format_range(start: int, end: int) -> str:
    """From which line and how many; before none is the line above them."""
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _quote_path(path: str) -> str:
    """A path as git writes it there: one with unfit characters between quotes, one with spaces before a tab."""
    if NEEDS_QUOTES.search(path):
        return '"' + NEEDS_QUOTES.sub(lambda match: ESCAPES.get(match[0]) or f"\\{ord(match[0]):03o}", path) + '"'
    return f"{path}\t" if " " in path else path
