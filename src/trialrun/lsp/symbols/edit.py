"""Another name in place of one, wherever a file mentions it: the smallest edits, proven by reading the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.diagnostic import Chars, Fix, Path, Place, Rename, Replace, TextEdit
from trialrun.lsp.results import CannotRename
from trialrun.lsp.symbols.embedded import written
from trialrun.lsp.symbols.occurrence import Mention
from trialrun.lsp.symbols.resolve import OF_RESOURCES
from trialrun.text import Edit, Span

if TYPE_CHECKING:
    from trialrun.parser import Document
    from trialrun.text import Source
    from trialrun.workspace.open_workspace import Reading

Operation = Replace | Rename


def renamed(text: str, mention: Mention, name: str) -> str:
    """What a mention reads with another name: of a resource name the id at its end is another."""
    return text[: start_of(mention)] + name


def start_of(mention: Mention) -> int:
    """Where the part of a mention begins that another name replaces: of a resource name the id at its end."""
    return mention.text.rfind("/") + 1 if mention.sort in OF_RESOURCES else 0


def edits_of(reading: Reading, mentions: Sequence[Mention], name: str) -> tuple[tuple[TextEdit, ...], str]:
    """The edits that write another name into one file, and the text after them. Raises CannotRename."""
    edits: dict[TextEdit, None] = {}
    operations: list[list[Operation]] = []
    for document in reading.tree.documents:
        here = [one for one in mentions if one.document == document.index]
        made_here = [_operation(document, some, name) for some in _by_scalar(here)]
        operations.append([one for some in made_here for one in some])
        for some in made_here:
            edits.update(dict.fromkeys(_edits(reading, document, some)))
    found = tuple(sorted(edits, key=lambda edit: edit.range))
    text = made(reading.source, found)
    if not _reads(reading, operations, text):
        if any(one.rule == "syntax-error" for one in reading.tree.troubles):
            raise CannotRename(f"{reading.path} is broken where the name stands; mend it first")
        raise CannotRename(
            f"in {reading.path} something else would change as well, through an alias; write it out first"
        )
    return found, text


def made(source: Source, edits: Iterable[TextEdit]) -> str:
    """A text with edits made, all of them at once."""
    from trialrun.fix.text_lines import spliced

    spans = ((source.offset(one.range.start), source.offset(one.range.end), one.text) for one in edits)
    return spliced(source.text, [Edit(Span(start, end), text) for start, end, text in spans])


def _by_scalar(mentions: Iterable[Mention]) -> Iterable[list[Mention]]:
    """The mentions of each value and of each key, in the order of its text."""
    found: dict[tuple[Path, bool], list[Mention]] = {}
    for one in mentions:
        found.setdefault((one.steps, one.at_key), []).append(one)
    return [sorted(some, key=lambda one: one.chars or (0, 0)) for some in found.values()]


def _operation(document: Document, mentions: Sequence[Mention], name: str) -> list[Operation]:
    """What writes the name into one value or key; at several places of it each by itself, where that can be."""
    steps, at_key = mentions[0].steps, mentions[0].at_key
    changes = [(_chars(one), written(name, one.layers)) for one in dict.fromkeys(mentions)]
    place = Place(None, steps)
    if at_key:
        old = str(steps[-1])
        return [Rename(place, _changed(old, changes))] if len(changes) > 1 else [_key(place, *changes[0], old)]
    if len(changes) == 1 or document.style(steps) in ("literal", "folded"):
        return [Replace(place, text, chars) for chars, text in changes]
    value = _value(document, steps)
    inside = document.inside_each(steps, [chars or (0, 0) for chars, _ in changes])
    if document.span(steps) in inside:
        return [Replace(place, _changed(value, changes))]
    return [Replace(place, text, chars) for chars, text in changes]


def _key(place: Place, chars: Chars | None, text: str, old: str) -> Rename:
    return Rename(place, text, None if chars in (None, (0, len(old))) else chars)


def _value(document: Document, steps: Path) -> str:
    from trialrun.lint.positions import value_at

    return str(value_at(document.value, steps))


def _changed(text: str, changes: Sequence[tuple[Chars | None, str]]) -> str:
    for chars, new in reversed(changes):
        start, end = chars or (0, len(text))
        text = text[:start] + new + text[end:]
    return text


def _chars(mention: Mention) -> Chars | None:
    """The characters that another name replaces; None for all."""
    start = start_of(mention)
    return (start, len(mention.text)) if start else mention.chars


def _edits(reading: Reading, document: Document, operations: Sequence[Operation]) -> Iterator[TextEdit]:
    """The edits in one value or key; none where it stands at an anchor, whose own mention is edited."""
    from trialrun.fix import Refused, text_fix

    if document.shared(operations[0].place.steps):
        return
    fix = Fix("", tuple(operations))
    found = text_fix(fix, source=reading.source, document=document, find_path=_path, verify=False)
    if isinstance(found, Refused):
        raise CannotRename(f"a place in {reading.path} cannot be changed: {found.reason}")
    yield from found.edits


def _path(place: Place) -> Path:
    return place.steps


def _reads(reading: Reading, operations: Sequence[Sequence[Operation]], text: str) -> bool:
    """Whether a text reads as before, but for the name in the places where it is mentioned."""
    from trialrun.fix.expected_value import after, same
    from trialrun.parser import read

    tree = read(text.encode("utf-8", "surrogatepass"), reading.path)
    wanted = [
        after(document.value, [(one, one.place.steps) for one in some])
        for document, some in zip(reading.tree.documents, operations, strict=True)
    ]
    is_as_broken = len(tree.troubles) == len(reading.tree.troubles)
    return is_as_broken and same([one.value for one in tree.documents], wanted)
