"""The cursor in a document, the scalar, key or comment around it, and completions as edits there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from trialrun.diagnostic import Range
from trialrun.fix.canonical_yaml import render_fragment, render_scalar
from trialrun.lint.positions import range_of
from trialrun.lsp.features.completion.partial_parser import (
    MARK,
    PartialDocument,
    PartialEntry,
    PartialMapping,
    PartialNode,
    PartialScalar,
    PartialSequence,
)
from trialrun.lsp.results import Completion, CompletionKind
from trialrun.parser.decode import is_json_path
from trialrun.text import Source, Span

MAX_DOCUMENT_LENGTH = 400_000
"""Documents with more code points are not completed: parsing would take longer than a person waits."""
_BOUND = re.compile(r"^(?:---|\.\.\.)(?=\s|\Z)", re.MULTILINE)
_LONE_RETURN = re.compile(r"\r(?!\n)")
_UNSPACED = re.compile(r"""(?:^[ \t]*(?:-[ \t]+)*|[{,\[][ \t]*)(["']?)\w+\1:(?=[^\s:/][^\s]*\Z|\Z)""")
NO_KEY = re.compile(r"""[\s:"'{}\[\],]""")
"""Characters that no field name contains."""
_VALUE_MAY_FOLLOW = re.compile(r"""[:\w"'<-][ \t]*:[ \t]*(?:[&!]\S*[ \t]+)*\Z""")
_COLON_BELOW = re.compile(r"[ \t]*\r?\n[ \t]*:(?=\s)")
_PROPERTY = re.compile(r"[&!]\S*\Z")

Step = tuple[PartialMapping, str] | tuple[PartialSequence, int]


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position in a text; `steps` are its path from the root of the document, the last is the node at the cursor.

    `entry` is the entry whose key the cursor is in, None in a value. `lead` is text to insert before a completion, such
    as the space after a colon. `anchors` are those above.
    """

    source: Source
    offset: int
    steps: tuple[Step, ...]
    scalar: PartialScalar
    entry: PartialEntry | None = None
    lead: str = ""
    anchors: Mapping[str, PartialNode] = field(default_factory=dict)
    has_rest: bool = False
    """Whether the document goes on below, at the left margin."""

    @property
    def is_key(self) -> bool:
        """Whether it is in a key, or where a key may start."""
        return self.entry is not None

    @property
    def has_colon(self) -> bool:
        """Whether it is in a key that has a colon."""
        return self.entry is not None and not self.entry.is_open

    @property
    def before(self) -> str:
        """The characters of the scalar before the cursor, without quotes."""
        return self.scalar.text.partition(MARK)[0]

    @property
    def after(self) -> str:
        """The characters of the scalar after the cursor, without quotes."""
        return self.scalar.text.partition(MARK)[2]

    @property
    def word(self) -> str:
        """The whole scalar."""
        return self.before + self.after

    def range(self, before: int | None = None, after: int | None = None) -> Range:
        """The range of some characters before and after the cursor; by default, those of the scalar on this line."""
        left = len(self.before) if before is None else before
        right = len(self.after) if after is None else after
        return range_of(self.source, Span(self.offset - left, self.offset + right))

    @property
    def container(self) -> PartialMapping | PartialSequence | None:
        """The mapping or list around the cursor; None at the root."""
        return self.steps[-1][0] if self.steps else None

    @property
    def is_in_brackets(self) -> bool:
        """Whether it is in a flow collection."""
        return self.container is not None and self.container.is_flow

    @property
    def is_json(self) -> bool:
        """Whether the file is JSON, where every string is quoted."""
        return is_json_path(self.source.path)

    @property
    def line(self) -> str:
        """The line of the cursor, up to the scalar."""
        start = self.offset - len(self.before)
        at = self.source.position(start)
        return self.source.line(at.line)[: at.column - 1]


@dataclass(frozen=True, slots=True)
class CommentCursor:
    """A cursor in a comment; `text` is the comment from its `#` to the cursor."""

    source: Source
    offset: int
    text: str

    def range(self, before: int, after: int = 0) -> Range:
        """The range of some characters before and after the cursor."""
        return range_of(self.source, Span(self.offset - before, self.offset + after))

    @property
    def behind(self) -> str:
        """The text after the cursor on its line."""
        return self.source.text[self.offset : self.offset + MAX_DOCUMENT_LENGTH].partition("\n")[0]

    @property
    def is_above(self) -> bool:
        """Whether all lines before the comment are comments or empty."""
        above = self.source.text[: self.offset - len(self.text)]
        return all(not line.strip() or line.lstrip().startswith(("#", "---")) for line in above.splitlines())


def possible_cursors(source: Source, offset: int) -> Iterator[Cursor | CommentCursor]:
    """The interpretations of an offset: after a colon without space as a value, otherwise as it is."""
    start, end = _document(source.text, offset)
    line = source.text.rfind("\n", 0, offset) + 1
    is_at_marker = source.text[line : line + 3] in ("---", "...") and not source.text[line + 3 : offset].strip()
    if end - start > MAX_DOCUMENT_LENGTH or is_at_marker:
        return
    text, at = _LONE_RETURN.sub("\n", source.text[start:end].replace(MARK, "\ufffd")), offset - start
    line = text.rfind("\n", 0, at) + 1
    unspaced = _UNSPACED.search(text[line:at])
    if unspaced is not None:
        colon = line + unspaced.end()
        made = _cursor(source, offset, text[:colon] + " ", text[colon:at], text[at:], lead=" ")
        if isinstance(made, Cursor) and not made.is_key:
            yield made
    cursor = _cursor(source, offset, "", text[:at], text[at:])
    if cursor is not None:
        yield cursor


def _cursor(
    source: Source, offset: int, above: str, before: str, after: str, *, lead: str = ""
) -> Cursor | CommentCursor | None:
    document = PartialDocument(above + before + MARK + after, is_json=is_json_path(source.path))
    if document.comment is not None:
        return CommentCursor(source, offset, (above + before)[document.comment :])
    found = _find(document.root, ()) if document.root is not None else None
    if found is None:
        return None
    cursor = Cursor(source, offset, *found, lead, document.anchors, document.has_rest)
    return None if _is_between(cursor) or _lacks_comma(cursor) else cursor


def _is_between(cursor: Cursor) -> bool:
    """Whether it is before or after another word, where nothing can be inserted."""
    if cursor.scalar.style != "plain" or cursor.scalar.has_content_below:
        return cursor.scalar.has_content_below
    if cursor.is_key:
        if _COLON_BELOW.match(cursor.source.text, cursor.offset + len(cursor.after)):
            return True
        return bool(NO_KEY.search(cursor.word.partition("\n")[0].rstrip())) or cursor.before[-1:].isspace()
    if cursor.is_in_brackets and not cursor.word:
        return cursor.source.text[cursor.offset :].partition("\n")[0].strip()[:1] not in ("", ",", "]", "}", "#")
    if not (cursor.is_in_brackets or cursor.scalar.is_first or _VALUE_MAY_FOLLOW.search(cursor.line)):
        return True
    return not cursor.before and cursor.after[:1] in (" ", "\t", '"', "'", "{", "[") and bool(cursor.after.strip())


def _lacks_comma(cursor: Cursor) -> bool:
    """Whether the previous entry of a flow collection lacks its comma."""
    if not cursor.is_in_brackets:
        return False
    quotes = cursor.scalar.style in ("single", "double")
    above = cursor.source.text[: cursor.offset - len(cursor.before) - quotes].rstrip()
    last = above[above.rfind("\n") + 1 :]
    return last[-1:] not in ("{", "[", ",", ":") and "#" not in last and not _PROPERTY.search(last)


def _document(text: str, offset: int) -> tuple[int, int]:
    """The start and end of the document around an offset."""
    start, end = 0, len(text)
    for match in _BOUND.finditer(text):
        if match.end() <= offset:
            start = match.end()
        elif match.start() >= offset:
            return start, match.start()
    return start, end


def _find(
    node: PartialNode, steps: tuple[Step, ...]
) -> tuple[tuple[Step, ...], PartialScalar, PartialEntry | None] | None:
    """The path of the scalar that contains the mark, the scalar, and its entry if it is a key."""
    if isinstance(node, PartialScalar):
        return (steps, node, None) if MARK in node.text else None
    children: list[tuple[Step, PartialNode | None]] = []
    if isinstance(node, PartialSequence):
        children += [((node, index), item) for index, item in enumerate(node.items)]
    else:
        for entry in node.entries:
            if MARK in entry.key.text:
                return (*steps, (node, entry.key.text)), entry.key, entry
            children.append(((node, entry.key.text), entry.value))
    found = (_find(child, (*steps, step)) for step, child in children if child is not None)
    return next(filter(None, found), None)


_BEHIND = re.compile(r"\s*([^\s])")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value for the cursor position; lower ranks come first."""

    value: str | bool
    kind: CompletionKind
    detail: str = ""
    data: tuple[str, ...] = ()
    rank: int = 5
    is_deprecated: bool = False

    @property
    def label(self) -> str:
        """The displayed value."""
        return ("false", "true")[self.value] if isinstance(self.value, bool) else self.value


def value_completions(cursor: Cursor, options: Iterable[Candidate], *, lead: str = "") -> Iterator[Completion]:
    """Values that replace the scalar at the cursor; `lead` is text to insert before."""
    if "\n" in cursor.scalar.text or cursor.scalar.style == "block":
        return
    place, end = cursor.range(), trailing_comma(cursor) if cursor.scalar.style == "plain" else ""
    for number, option in enumerate(options):
        text = _text(cursor, option.value)
        if text is not None:
            yield Completion(
                *(option.label, option.kind, lead + text + end, place, f"{option.rank}{number:05}", option.detail),
                data=option.data,
                is_deprecated=option.is_deprecated,
            )


def key_completions(cursor: Cursor, options: Iterable[Candidate], *, lead: str = "") -> Iterator[Completion]:
    """Keys, with a colon if it is missing."""
    if "\n" in cursor.scalar.text or cursor.scalar.style == "block":
        return
    for number, option in enumerate(options):
        text = _text(cursor, option.value)
        if text is None:
            continue
        after = len(cursor.after)
        quote = {"double": '"', "single": "'"}.get(cursor.scalar.style, "")
        if not cursor.has_colon:
            after += cursor.source.text[cursor.offset + after :][:1] == quote != ""
            text = f"{text}{quote}: {trailing_comma(cursor)}"
        yield Completion(
            option.label, option.kind, lead + text, cursor.range(None, after), f"{number:05}", option.detail
        )


def _text(cursor: Cursor, value: str | bool) -> str | None:
    """A value in the quotes around the cursor, or in those it needs; None if it cannot be written there."""
    style = cursor.scalar.style
    if isinstance(value, bool):
        return ("false", "true")[value] if style == "plain" else None
    if style in ("single", "double"):
        return render_fragment(value, style)
    return render_scalar(value, "json" if cursor.is_json else "plain", in_flow=cursor.is_in_brackets)


def trailing_comma(cursor: Cursor) -> str:
    """The comma to insert in a flow collection if more entries follow."""
    container = cursor.container
    if container is None or not container.is_flow:
        return ""
    if isinstance(container, PartialMapping):
        last = container.entries[-1]
        is_last = last.value is cursor.scalar if cursor.entry is None else last is cursor.entry
    else:
        is_last = container.items[-1] is cursor.scalar
    text, end = cursor.source.text, cursor.offset + len(cursor.after)
    if cursor.scalar.style in ("single", "double") and text[end : end + 1] in ("'", '"'):
        end += 1
    match = _BEHIND.match(text, end)
    return "," if not is_last and match and match[1] not in ",:" else ""


def line_below(cursor: Cursor, dash: str) -> str:
    """The start of a new line below the key, for values that cannot be on the same line."""
    line = cursor.line
    start = len(line) - len(line.lstrip(" \t"))
    key = len(line) - len(re.sub(r"^[ \t]*(?:-[ \t]+)*", "", line))
    return "\n" + " " * (key - start + 2) + dash


def is_fuzzy_match(prefix: str, name: str) -> bool:
    """Whether a name has the characters of a prefix in order; long lists are filtered before they are sent."""
    rest = iter(name.lower())
    return all(letter in rest for letter in prefix.lower())
