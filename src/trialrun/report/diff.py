"""What would change in a file, as a unified diff that `git apply` and `patch` take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from trialrun.report.color import Paint, Style, painter
from trialrun.report.json import escape_for_programs
from trialrun.text import Source

CONTEXT = 3
"""The lines shown before and after each change."""

NO_LINE_BREAK = "\\ No newline at end of file\n"
PLAIN = {char: char for char in map(chr, range(0x20, 0x7F)) if char not in "#:"}
ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
SIGN_STYLES: dict[str, Style] = {"+": "added", "-": "removed"}

LINE = re.compile(r"[^\n]*\n|[^\n]+")
NEEDS_QUOTES = re.compile(r'["\\\t\n\r]')


def unified_diff(path: str, before: str, after: str, *, paint: Paint) -> Iterator[str]:
    """The lines of a unified diff of a file, none for a text that stays; `path` leads there from where it is applied.

    A line ends at a line feed alone, as for those who apply it: a carriage return is a character of its line.
    """
    old, new = LINE.findall(before), LINE.findall(after)
    for number, hunk in enumerate(SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT)):
        if number == 0:
            yield paint(f"--- {_quote_path('a/' + path)}", "rule") + "\n"
            yield paint(f"+++ {_quote_path('b/' + path)}", "rule") + "\n"
        first, last = hunk[0], hunk[-1]
        ranges = f"-{_format_range(first[1], last[2])} +{_format_range(first[3], last[4])}"
        yield paint(f"@@ {ranges} @@", "place") + "\n"
        for what, start, end, start_new, end_new in hunk:
            signs = (" ",) if what == "equal" else ("-", "+")
            for sign in signs:
                for line in new[start_new:end_new] if sign == "+" else old[start:end]:
                    text = sign + line.removesuffix("\n")
                    content = paint(text, SIGN_STYLES[sign]) if sign in SIGN_STYLES else text
                    yield f"{content}\n" if line.endswith("\n") else f"{content}\n{NO_LINE_BREAK}"


def file_diff(path: str, before: Source, after: Source, *, paint: Paint) -> tuple[Iterator[str], str]:
    """The diff of a file, and why it can be read but not applied, empty where it can.

    The lines of one that cannot be applied are comments, so that those who apply the diffs around it pass them over.
    """
    plain = list(unified_diff(path, before.raw, after.raw, paint=painter(color=False)))
    if not after.encoding.startswith("utf-8"):
        return (f"# {line}" for line in plain), f"is {after.encoding.upper()}"
    if path.startswith(("../", "/")):
        return (f"# {line}" for line in plain), "is not below the working directory"
    if any(line != escape_for_programs(line) for line in plain):
        return (f"# {line}" for line in plain), "has characters that control terminals or CI systems"
    return unified_diff(path, before.raw, after.raw, paint=paint), ""


def _format_range(start: int, end: int) -> str:
    """From which line and how many; before none is the line above them."""
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _quote_path(path: str) -> str:
    """A path as git writes it there: one with unfit characters between quotes, one with spaces before a tab."""
    if NEEDS_QUOTES.search(path) or escape_for_programs(path) != path:
        return f'"{"".join(ESCAPES.get(char) or PLAIN.get(char) or _octal(char) for char in path)}"'
    return f"{path}\t" if " " in path else path


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
