"""Verify a rename: `check` reports nothing new, and every other name still refers to the same declaration."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.lsp.results import CannotRename
from trialrun.lsp.symbols.occurrence import Occurrence
from trialrun.values.resource_name import last_id
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic, Path
    from trialrun.parser.document import Document
    from trialrun.parser.parse_error import ParseError
    from trialrun.text import Span
    from trialrun.workspace.open_workspace import OpenWorkspace
    from trialrun.workspace.open_workspace.workspace_file import WorkspaceFile


def require_free(workspace: OpenWorkspace, occurrences: Sequence[Occurrence], name: str) -> None:
    """Check that nothing else has the new name, if the two could be confused. Raises CannotRename."""
    from trialrun.lsp.symbols import declarations, location_of
    from trialrun.lsp.symbols.edit import renamed_text
    from trialrun.lsp.symbols.resolve import MENU_KINDS

    declared = [occurrence for occurrence in occurrences if occurrence.declares]
    own = {occurrence.thing for occurrence in declared}
    for occurrence in declared:
        both = ("name", "semantic name", "id") if occurrence.kind in MENU_KINDS else occurrence.forms
        wanted = replace(occurrence, text=renamed_text(occurrence.text, occurrence, name), forms=both)
        for declaration in declarations(workspace, wanted):
            is_apart = occurrence.kind == "modifier" and not set(occurrence.within) & set(declaration.within)
            if declaration.thing not in own and not is_apart and (place := location_of(workspace, declaration)):
                where = f"{place.path}:{place.range.start.line}"
                raise CannotRename(f'"{name}" is already used at {where}; choose another name')


def require_read(workspace: OpenWorkspace, occurrences: Sequence[Occurrence]) -> None:
    """Check that parse errors do not hide further occurrences. Raises CannotRename."""
    from trialrun.lsp.symbols.index import content_filter
    from trialrun.lsp.symbols.resolve import RESOURCE_KINDS

    for text in sorted(
        {
            last_id(occurrence.text) if occurrence.kind in RESOURCE_KINDS else occurrence.text
            for occurrence in occurrences
        }
    ):
        may_contain, word = content_filter(text), re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        for file in workspace.workspace_files():
            broken = may_contain(file.data) and next(filter(_is_broken, file.parsed.errors), None)
            if broken and _is_hidden(file, word):
                where = f"{file.path}:{file.range(broken.span).start.line}"
                raise CannotRename(f'{where} is a syntax error that hides "{text}"; fix it first')


def _is_broken(parse_error: ParseError) -> bool:
    return parse_error.rule == "syntax-error"


def _is_hidden(file: WorkspaceFile, word: re.Pattern[str]) -> bool:
    """Whether a word is in a part that was not parsed, outside of comments."""
    text = file.source.text
    spans = [span for document in file.parsed.documents for span in _scalars(document)]
    comments = [match.span() for match in re.finditer(r"(?m)(?:^|(?<=\s))#.*$", text)]
    known = [*((span.start, span.end) for span in spans), *comments]
    return any(not any(start <= at.start() < end for start, end in known) for at in word.finditer(text))


def _scalars(document: Document) -> Iterator[Span]:
    """The ranges of all keys and of all values that are not collections."""
    waiting: list[tuple[Path, Any]] = [((), document.value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            yield from (span for _, span in document.key_spans(path))
            waiting.extend(((*path, key), one) for key, one in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, at), one) for at, one in enumerate(value))
        else:
            yield document.span(path)


def verify_rename(
    workspace: OpenWorkspace, occurrences: Sequence[Occurrence], name: str, texts: Mapping[str, str]
) -> None:
    """Check the renamed workspace. Raises CannotRename for new findings and for names with another meaning."""
    from trialrun.lsp.symbols.index import copy_index
    from trialrun.workspace.open_workspace.speculative import new_findings, with_texts

    laid = {absolute_path(path): text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
    diagnostic = new_findings(
        workspace, laid, _new_by_count if any(occurrence.at_key for occurrence in occurrences) else _new_at_location
    )
    if diagnostic is not None:
        where = f"{diagnostic.path}:{diagnostic.range.start.line}: {diagnostic.message}"
        raise CannotRename(f"the renaming would cause a new finding: {where}")
    after = with_texts(workspace, laid)
    copy_index(workspace, after)
    _prove_names(workspace, after, occurrences, name, texts)


def _new_at_location(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> Iterable[Diagnostic]:
    """The findings at locations that had none of their rule."""
    places = {(diagnostic.rule, diagnostic.path, diagnostic.document, diagnostic.pointer) for diagnostic in before}
    return [
        diagnostic
        for diagnostic in after
        if (diagnostic.rule, diagnostic.path, diagnostic.document, diagnostic.pointer) not in places
    ]


def _new_by_count(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> Iterable[Diagnostic]:
    """The findings that occur more often; used if keys change, since locations change with them."""
    left = Counter((diagnostic.rule, diagnostic.path) for diagnostic in before)
    left.subtract((diagnostic.rule, diagnostic.path) for diagnostic in after)
    return [diagnostic for diagnostic in after if left[diagnostic.rule, diagnostic.path] < 0]


def _prove_names(
    workspace: OpenWorkspace,
    after: OpenWorkspace,
    occurrences: Sequence[Occurrence],
    name: str,
    texts: Mapping[str, str],
) -> None:
    """Check that every name is still there, and that the renamed ones still belong together."""
    from trialrun.lsp.symbols import occurrences as names_in
    from trialrun.lsp.symbols import rename_set

    changed = set(occurrences)
    for path in texts:
        before, now = workspace.workspace_file(path), after.workspace_file(path)
        assert before is not None and now is not None
        old, new = names_in(workspace, before), names_in(after, now)
        if [_described(occurrence, name if occurrence in changed else None) for occurrence in old] != [
            _described(occurrence) for occurrence in new
        ]:
            raise CannotRename(f'"{name}" would change what other names in {path} refer to; choose another name')
        renamed = next(other for before, other in zip(old, new, strict=True) if before in changed)
    if len(rename_set(after, renamed)) != len(occurrences):
        raise CannotRename(f'"{name}" would also refer to something else; choose another name')


def _described(occurrence: Occurrence, name: str | None = None) -> tuple[object, ...]:
    from trialrun.lsp.symbols.edit import renamed_text
    from trialrun.lsp.symbols.resolve import lookup_key

    text = occurrence.text if name is None else renamed_text(occurrence.text, occurrence, name)
    return lookup_key(replace(occurrence, text=text)), occurrence.document, occurrence.declares, occurrence.at_key
