"""Another name in place of one, wherever a file mentions it: the smallest edits, proven by reading the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Path, Place, Replace, TextEdit
from trialrun.lsp.answer import CannotRename
from trialrun.lsp.names.meaning import OF_RESOURCES
from trialrun.lsp.names.mention import Mention
from trialrun.text import Edit, Span

if TYPE_CHECKING:
    from trialrun.text import Source
    from trialrun.tree import Document
    from trialrun.workspace.live import Reading


def renamed(text: str, mention: Mention, name: str) -> str:
    """What a mention reads with another name: of a resource name the id at the end is another."""
    return text[: start_of(mention)] + name


def edits_of(reading: Reading, mentions: Sequence[Mention], name: str) -> tuple[tuple[TextEdit, ...], str]:
    """The edits that write another name into one file, and the text after them. Raises CannotRename."""
    edits: dict[TextEdit, None] = {}
    for document in reading.tree.documents:
        here = [one for one in mentions if one.document == document.index]
        edits.update(dict.fromkeys(edit for one in here for edit in _edits(reading, document, one, name)))
    found = tuple(sorted(edits, key=lambda edit: edit.range))
    text = made(reading.source, found)
    if not _reads(reading, mentions, name, text):
        raise CannotRename(
            f"in {reading.path} something else would change as well, through an alias; write it out first"
        )
    return found, text


def _edits(reading: Reading, document: Document, mention: Mention, name: str) -> Iterator[TextEdit]:
    """The edits of one mention; none where it stands at an anchor, whose own mention is edited."""
    from trialrun.fix import Refused, text_fix

    if document.shared(mention.steps):
        return
    fix = Fix("", (_operation(mention, name),))
    made = text_fix(fix, source=reading.source, document=document, find_path=_path, verify=False)
    if isinstance(made, Refused):
        raise CannotRename(f'"{mention.text}" in {reading.path} cannot be changed: {made.reason}')
    yield from made.edits


def _operation(mention: Mention, name: str) -> Replace:
    start = start_of(mention)
    chars = (start, len(mention.text)) if start else None
    return Replace(Place(None, mention.steps), name, chars)


def start_of(mention: Mention) -> int:
    """Where the part of a mention begins that another name replaces: of a resource name the id at its end."""
    return mention.text.rfind("/") + 1 if mention.sort in OF_RESOURCES else 0


def _path(place: Place) -> Path:
    return place.steps


def made(source: Source, edits: Iterable[TextEdit]) -> str:
    """A text with edits made, all of them at once."""
    from trialrun.fix.lines import spliced

    spans = ((source.offset(one.range.start), source.offset(one.range.end), one.text) for one in edits)
    return spliced(source.text, [Edit(Span(start, end), text) for start, end, text in spans])


def _reads(reading: Reading, mentions: Sequence[Mention], name: str, text: str) -> bool:
    """Whether a text reads as before, but for the name in the places where it is mentioned."""
    from trialrun.fix.effect import after, same
    from trialrun.tree import read

    tree = read(text.encode("utf-8", "surrogatepass"), reading.path)
    wanted = [
        after(
            document.value, [(_operation(one, name), one.steps) for one in mentions if one.document == document.index]
        )
        for document in reading.tree.documents
    ]
    is_as_broken = len(tree.troubles) == len(reading.tree.troubles)
    return is_as_broken and same([one.value for one in tree.documents], wanted)
