"""What a new name must leave as it is: what `check` finds, and what every name in the texts means."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.lsp.results import CannotRename
from trialrun.lsp.symbols.occurrence import Mention
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic, Path
    from trialrun.parser.document import Document, Trouble
    from trialrun.text import Span
    from trialrun.workspace.open_workspace import Live
    from trialrun.workspace.open_workspace.parsed_file import Reading


def require_free(live: Live, mentions: Sequence[Mention], name: str) -> None:
    """Nothing else is called by the new name yet, where the two could be confused. Raises CannotRename."""
    from trialrun.lsp.symbols import declarations, place_of
    from trialrun.lsp.symbols.edit import renamed

    declared = [one for one in mentions if one.declares]
    own = {one.thing for one in declared}
    for one in declared:
        both = ("name", "id") if one.sort in ("item", "modifier", "modifier group") else one.ways
        wanted = replace(one, text=renamed(one.text, one, name), ways=both)
        for other in declarations(live, wanted):
            is_apart = one.sort == "modifier" and not set(one.within) & set(other.within)
            if other.thing not in own and not is_apart and (place := place_of(live, other)):
                where = f"{place.path}:{place.range.start.line}"
                raise CannotRename(f'"{name}" is taken already, at {where}; write another name')


def require_read(live: Live, mentions: Sequence[Mention]) -> None:
    """Broken texts hide none of the names in what could not be read. Raises CannotRename."""
    from trialrun.lsp.symbols.index import saying
    from trialrun.lsp.symbols.resolve import OF_RESOURCES

    for text in sorted({last_id(one.text) if one.sort in OF_RESOURCES else one.text for one in mentions}):
        may_say, word = saying(text), re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        for reading in live.readings():
            broken = may_say(reading.data) and next(filter(_is_broken, reading.tree.troubles), None)
            if broken and _is_hidden(reading, word):
                where = f"{reading.path}:{reading.range(broken.span).start.line}"
                raise CannotRename(f'{where} hides part of the file, where "{text}" stands; mend it first')


def _is_broken(trouble: Trouble) -> bool:
    return trouble.rule == "syntax-error"


def _is_hidden(reading: Reading, word: re.Pattern[str]) -> bool:
    """Whether a word stands where nothing was read, and no comment."""
    text = reading.source.text
    spans = [span for document in reading.tree.documents for span in _scalars(document)]
    comments = [match.span() for match in re.finditer(r"(?m)(?:^|(?<=\s))#.*$", text)]
    known = [*((span.start, span.end) for span in spans), *comments]
    return any(not any(start <= at.start() < end for start, end in known) for at in word.finditer(text))


def _scalars(document: Document) -> Iterator[Span]:
    """The characters of every key and of every value that is no collection."""
    waiting: list[tuple[Path, Any]] = [((), document.value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            yield from (span for _, span in document.keys(path))
            waiting.extend(((*path, key), one) for key, one in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, at), one) for at, one in enumerate(value))
        else:
            yield document.span(path)


def prove(live: Live, mentions: Sequence[Mention], name: str, texts: Mapping[str, str]) -> None:
    """Look at the workspace as it would be. Raises CannotRename for what is wrong or of another meaning then."""
    from trialrun.lsp.symbols.index import share_names
    from trialrun.workspace.open_workspace.speculative import changed, found_by

    laid = {os.path.abspath(path): text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
    found = found_by(live, laid, _counted if any(one.at_key for one in mentions) else _placed)
    if found is not None:
        where = f"{found.path}:{found.range.start.line}: {found.message}"
        raise CannotRename(f"after it, check would find something new: {where}")
    after = changed(live, laid)
    share_names(live, after)
    _prove_names(live, after, mentions, name, texts)


def _placed(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> Iterable[Diagnostic]:
    """The findings at places that had none of their rule."""
    places = {(one.rule, one.path, one.document, one.pointer) for one in before}
    return [one for one in after if (one.rule, one.path, one.document, one.pointer) not in places]


def _counted(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> Iterable[Diagnostic]:
    """The findings of which there are more: where keys change, so do places."""
    left = Counter((one.rule, one.path) for one in before)
    left.subtract((one.rule, one.path) for one in after)
    return [one for one in after if left[one.rule, one.path] < 0]


def _prove_names(live: Live, after: Live, mentions: Sequence[Mention], name: str, texts: Mapping[str, str]) -> None:
    """Every name in the texts is there again, and those that changed mean together what they did."""
    from trialrun.lsp.symbols import closure
    from trialrun.lsp.symbols import mentions as names_in

    changed = set(mentions)
    for path in texts:
        before, now = live.reading(path), after.reading(path)
        assert before is not None and now is not None
        old, new = names_in(live, before), names_in(after, now)
        if [_said(one, name if one in changed else None) for one in old] != [_said(one) for one in new]:
            raise CannotRename(f'in {path} something else would be meant with "{name}"; write another name')
        found = next(other for one, other in zip(old, new, strict=True) if one in changed)
    if len(closure(after, found)) != len(mentions):
        raise CannotRename(f'"{name}" would be taken for something else as well; write another name')


def _said(one: Mention, name: str | None = None) -> tuple[object, ...]:
    from trialrun.lsp.symbols.edit import renamed
    from trialrun.lsp.symbols.resolve import key_of

    text = one.text if name is None else renamed(one.text, one, name)
    return key_of(replace(one, text=text)), one.document, one.declares, one.at_key
