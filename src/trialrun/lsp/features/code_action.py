"""Code actions: fixes, other readings and names, missing fields, fix all, ignore comments, and the pages of rules."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from trialrun.diagnostic import Diagnostic, Path, Range, Remove, ResolvedFix, SymbolicLocation, TextEdit, json_pointer
from trialrun.fix import Unfixable, apply_fixes, resolve_fix
from trialrun.fix.expected_value import apply_to_value
from trialrun.lint.positions import find_value, path_from_root
from trialrun.lint.rule_support.type_advice import readings
from trialrun.lint.suppression.add_ignores import NOT_OFFERED, add_ignore, suppress_table, table_place
from trialrun.lint.suppression.suppression import REASON_PLACEHOLDER
from trialrun.lsp.features.completion import completion
from trialrun.lsp.results import ActionKind, CodeAction, Edits
from trialrun.lsp.symbols.edit import parse_edited
from trialrun.model.misfit import MissingField, WrongType
from trialrun.model.node import Node
from trialrun.parser import Document
from trialrun.text import Source
from trialrun.values.resource_name import last_id
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.check import CheckResult, ResultAccumulator
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.fix_loop import FixedFile, fix_until_stable
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile
from trialrun.workspace.session_schemas import may_declare

MAX_FIXES: Final = 50
"""Fixes that are offered at once, as for a selection of the whole text: nobody picks from a longer list."""
MAX_IGNORES: Final = 10
"""Comments that are offered at once; each of them is tried, for which the text is read again."""
MAX_REPARSED_CHARACTERS: Final = 500_000
"""Characters that are read again for comments; where the text is longer, one comment is offered all the same."""


def code_action(
    workspace: OpenWorkspace,
    path: str,
    start: int,
    end: int,
    fingerprints: Collection[str] = (),
    *,
    only: Collection[str] = (),
) -> tuple[CodeAction, ...]:
    """What can be done about the findings with some fingerprints, or about those between two offsets without any.

    Fixes come first, the safe ones before the others. `only` are kinds of the protocol, such as `source.fixAll`: what
    is of no such kind is not computed. None are all kinds.
    """
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    actions: list[CodeAction] = []
    if _is_wanted("quickfix", only):
        diagnostics = workspace.diagnostics(path, with_fixes=True)
        asked = [one for one in diagnostics if one.fingerprint in fingerprints] or [
            one  # where the text has none of these any more
            for one in diagnostics
            if file.source.offset(one.range.start) <= end and start <= file.source.offset(one.range.end)
        ]
        actions += [*_fixes(asked), *_near(workspace, file, asked), *_refused(asked)]
        actions += fix_all_of_rule(file, asked, diagnostics)
        actions += [*_ignores(workspace, file, asked), *_pages(asked)]
    fixed = fixed_text(workspace, path) if _is_wanted("source.fixAll.trialrun", only) else None
    if fixed is not None:  # as `trialrun check --fix` would do it
        title, edits = f"apply all safe fixes in this file ({fixed.fixed})", diff_edits(fixed.before, fixed.source)
        actions.append(CodeAction(title, "source.fixAll.trialrun", {path: edits}))
    return tuple(actions)


def _is_wanted(kind: ActionKind, only: Collection[str]) -> bool:
    """Whether a kind, or one that it belongs to, is asked for."""
    return not only or any(kind == prefix or kind.startswith(f"{prefix}.") for prefix in only if prefix) or "" in only


def _fixes(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """The fixes, safe ones first; one that fixes several findings comes once."""
    alike: dict[ResolvedFix, list[Diagnostic]] = {}
    for diagnostic in asked:
        if diagnostic.fix is not None:
            alike.setdefault(diagnostic.fix, []).append(diagnostic)
    for fix, some in sorted(alike.items(), key=lambda known: not known[0].safe)[:MAX_FIXES]:
        title = fix.title if fix.safe else f"{fix.title} (unsafe; review the change)"
        yield CodeAction(title, "quickfix", {some[0].path: fix.edits}, _fingerprints(some), is_preferred=fix.safe)


def _near(workspace: OpenWorkspace, file: WorkspaceFile, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """Other names that may have been meant, and fields that are missing."""
    if len(file.source.text) <= MAX_REPARSED_CHARACTERS:
        for diagnostic in asked[:MAX_IGNORES]:
            yield from suggested_names(workspace, file, diagnostic)
            yield from add_missing_fields(file, diagnostic)
            yield from other_readings(file, diagnostic)


def _refused(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """The fixes that a rule proposes and that cannot be made, with the reason."""
    for diagnostic in asked[:MAX_FIXES]:
        if diagnostic.fix is None and diagnostic.refusal is not None:
            named = (diagnostic.fingerprint,)
            yield CodeAction(f"fix {diagnostic.rule}", "quickfix", fingerprints=named, disabled=diagnostic.refusal)


def _ignores(workspace: OpenWorkspace, file: WorkspaceFile, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    alike: dict[tuple[str, int], list[Diagnostic]] = {}
    for diagnostic in asked:
        alike.setdefault((diagnostic.rule, diagnostic.range.start.line), []).append(diagnostic)
    most = max(1, min(MAX_IGNORES, MAX_REPARSED_CHARACTERS // max(1, len(file.source.text))))
    for (rule, _), some in islice(alike.items(), most):
        edit = add_ignore(file.parsed, some[0])
        edits = {file.path: (edit,)} if edit else ignore_in_settings(workspace, some[0])
        for path in edits:
            title = f"suppress {rule} {'here' if edit else f'in {path}'}"
            creates = not edit and workspace.files.bytes_of(path) is None
            named = _fingerprints(some)
            yield CodeAction(title, "quickfix", edits, named, placeholder=REASON_PLACEHOLDER, creates=creates)


def _pages(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    for rule in dict.fromkeys(diagnostic.rule for diagnostic in asked):
        named = _fingerprints([diagnostic for diagnostic in asked if diagnostic.rule == rule])
        yield CodeAction(f"explain {rule}", "quickfix", fingerprints=named, rule_to_explain=rule)


def _fingerprints(some: Sequence[Diagnostic]) -> tuple[str, ...]:
    return tuple(diagnostic.fingerprint for diagnostic in some)


NAME_RULES: Final = frozenset(
    {
        *("unknown-field", "unknown-enum-value", "unknown-time-zone", "unknown-channel-config", "unknown-menu-item"),
        *("unknown-column", "unknown-feature", "unknown-store", "unknown-view", "invalid-language-tag"),
    }
)
MAX_SUGGESTIONS: Final = 3
MIN_SIMILARITY: Final = 0.5
"""How alike two names are at least, of 1 for the same."""
_KINDS: Final = frozenset({"field", "value", "name", "zone", "language"})


def suggested_names(workspace: OpenWorkspace, file: WorkspaceFile, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    """The names that are most like the one of a finding, except for that of the rule's own fix."""
    if diagnostic.rule not in NAME_RULES or file.parsed.errors:
        return
    source = file.source
    wrong = source.text[source.offset(diagnostic.range.start) : source.offset(diagnostic.range.end)]
    own = {edit.text.strip("\"'") for edit in (diagnostic.fix.edits if diagnostic.fix else ())}
    edits: dict[TextEdit, tuple[float, str]] = {}
    for item in completion(workspace, file.path, source.offset(diagnostic.range.end))["items"]:
        start, end = source.offset(item.range.start), source.offset(item.range.end)
        written = source.text[start:end].lower()
        if wrong.lower() != written and wrong in item.label.split("/"):
            continue  # another name with the same wrong part
        label = item.label.lower() if "/" in written else last_id(item.label.lower())
        likeness = SequenceMatcher(None, written, label).ratio()
        if item.kind in _KINDS and not item.is_snippet and MIN_SIMILARITY <= likeness < 1 and item.label not in own:
            edits[TextEdit(item.range, item.text.removesuffix(": "))] = likeness, item.label
    nearest = sorted(edits, key=lambda edit: (-edits[edit][0], edits[edit][1]))[:MAX_SUGGESTIONS]
    for edit in nearest:
        tree = parse_edited(file, [edit])
        if not tree.errors and len(tree.documents) == len(file.parsed.documents):
            title = f"write {edits[edit][1]} (unsafe; review the change)"
            yield CodeAction(title, "quickfix", {file.path: (edit,)}, (diagnostic.fingerprint,))


def other_readings(file: WorkspaceFile, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    """One action for each way in which the value of a `wrong-type` may be meant, where there are several."""
    if diagnostic.rule != "wrong-type" or diagnostic.fix is not None:
        return
    for part in file.resources:
        for misfit in part.model.misfits:
            if part.document.index != diagnostic.document or json_pointer(misfit.path) != diagnostic.pointer:
                continue
            spelled = misfit.with_spelling(part.document.scalar_text)
            fixes = readings(spelled) if isinstance(spelled, WrongType) else ()
            for fix in fixes if len(fixes) > 1 else ():
                made = resolve_fix(fix, source=file.source, document=part.document, find_path=path_from_root)
                if not isinstance(made, Unfixable):
                    title = f"{made.title} (unsafe; review the change)"
                    yield CodeAction(title, "quickfix", {file.path: made.edits}, (diagnostic.fingerprint,))


def add_missing_fields(file: WorkspaceFile, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    """The fields that a finding misses, each with the value that a person writes over."""
    for part in file.resources if diagnostic.rule == "missing-field" else ():
        document = part.document
        for misfit in part.model.misfits:
            if (
                not isinstance(misfit, MissingField)
                or misfit.is_present
                or f'"{misfit.name}"' not in diagnostic.message
            ):
                continue
            if document.index != diagnostic.document or json_pointer(misfit.path) != diagnostic.pointer:
                continue
            holder = find_value(document.value, misfit.path)
            if not isinstance(holder, dict) or misfit.name in holder or document.is_aliased(misfit.path):
                continue
            value = _stand_in(misfit.model, misfit.name, document, misfit.path)
            edit = None if value is None else _edit(file, document, misfit.path, misfit.name, value)
            if edit is not None and _adds_only(file, document, misfit, edit, value):
                title, shown = f"add {misfit.name} with a placeholder", _format_value(value, is_json=True).strip('[]"')
                edits, named = {file.path: (edit,)}, (diagnostic.fingerprint,)
                yield CodeAction(title, "quickfix", edits, named, placeholder=shown)


def _stand_in(model: type[Node], name: str, document: Document, path: Path) -> Any:
    """A value of the field's type that says that it is none yet; None for a message, which nobody can guess."""
    annotation = model.model_fields[name].annotation
    (kind, *_) = [argument for argument in get_args(annotation) or (annotation,) if argument is not type(None)]
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return next((argument for argument in get_args(kind) if not str(argument).endswith("_UNSPECIFIED")), None)
    if kind is str:
        return f"<{name}>"
    if get_origin(kind) is list and get_args(kind)[0] is str:
        return [f"<{name}>"]
    if kind is not int:
        return None
    others = find_value(document.value, path[:-1]) if path else None  # the first number that none of its list has
    taken = {other.get(name) for other in others if isinstance(other, dict)} if isinstance(others, list) else set()
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def _edit(file: WorkspaceFile, document: Document, path: Path, name: str, value: Any) -> TextEdit | None:
    """The field before the first one of its message, in the style of that."""
    style = document.style(path)
    whole, first = document.span(path), document.first_key_span(path)
    text = file.source.text
    if first == whole:  # an empty mapping between braces
        start, after = whole.start + 1, ""
    else:
        start, after = first.start, ", "
    line = text.rfind("\n", 0, start) + 1
    if style == "block":
        after = ("\r\n" if "\r\n" in text else "\n") + " " * (start - line)
        if text[line:start].strip(" -?"):
            return None
    key = json.dumps(name) if style == "json" or text.startswith('"', first.start) else name
    place = file.source.position(start)
    return TextEdit(Range(place, place), f"{key}: {_format_value(value, is_json=style == 'json')}{after}")


def _format_value(value: Any, *, is_json: bool) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_format_value(one, is_json=is_json) for one in value)}]"
    return json.dumps(value) if is_json or not isinstance(value, str) else value


def _adds_only(file: WorkspaceFile, document: Document, misfit: MissingField, edit: TextEdit, value: Any) -> bool:
    """Whether the text says the same as before, with the field."""
    before, tree = file.parsed, parse_edited(file, [edit])
    if len(tree.documents) != len(before.documents) or len(tree.errors) != len(before.errors):
        return False
    at, path = before.documents.index(document), (*misfit.path, misfit.name)
    values = [one.value for one in tree.documents]
    holder = find_value(values[at], misfit.path)
    if not isinstance(holder, dict) or holder.get(misfit.name) != value:
        return False
    values[at] = apply_to_value(values[at], [(Remove(SymbolicLocation(None, path)), path)])  # a copy: trees are shared
    return values == [one.value for one in before.documents]


MAX_FIXES_TOGETHER: Final = 200
"""Fixes that are made at once: each is tried with the others, for which the text is read again."""


def fix_all_of_rule(
    file: WorkspaceFile, asked: Sequence[Diagnostic], diagnostics: Sequence[Diagnostic]
) -> Iterator[CodeAction]:
    """For each rule of the findings that are asked about, all of its fixes that can be made together."""
    for rule in dict.fromkeys(one.rule for one in asked if one.fix):
        mended = [one for one in diagnostics if one.rule == rule and one.fix and one.path == file.path]
        fixes = list(dict.fromkeys(one.fix for one in mended if one.fix))[:MAX_FIXES_TOGETHER]
        text, indexes = apply_fixes(file.source, fixes) if len(fixes) > 1 else ("", [])
        if len(indexes) < 2:
            continue
        made = {fixes[number] for number in indexes}
        unsafe = "" if all(fix.safe for fix in made) else " (unsafe; review the changes)"
        title = f"apply all {len(indexes)} fixes of {rule} in this file{unsafe}"
        edits = {file.path: diff_edits(file.source, Source(file.path, text))}
        yield CodeAction(title, "quickfix", edits, tuple(one.fingerprint for one in mended if one.fix in made))


def ignore_in_settings(workspace: OpenWorkspace, diagnostic: Diagnostic) -> Edits:
    """The edit that adds a table to the settings file, or makes one at the root of the workspace.

    None if the finding cannot be silenced, its path cannot be named, or the file could not be read with the table.
    """
    place = table_place(diagnostic.path, workspace.request.profiles, workspace.request.root)
    if place is None or diagnostic.rule in NOT_OFFERED:
        return {}
    shown = display_path(absolute_path(place[0]))
    data = workspace.files.bytes_of(shown)
    before = "" if data is None else data.decode("utf-8", "replace").removeprefix("\ufeff")
    added = suppress_table(before, place, diagnostic.pointer, [diagnostic.rule], REASON_PLACEHOLDER)
    if added is None:
        return {}
    end = Source(shown, before).position(len(before))
    return {shown: (TextEdit(Range(end, end), added),)}


def fixed_text(live: OpenWorkspace, path: str) -> FixedFile | None:
    """A file with all safe fixes applied, as by `check --fix`; None if there is nothing to fix.

    Each round lints only this text: findings across files have no safe fixes.
    """

    def check(texts: Mapping[str, bytes]) -> CheckResult:
        if path in texts:
            return _check_again(live, path, texts[path])
        return CheckResult(diagnostics=live.diagnostics(path, with_fixes=True))

    return next(iter(fix_until_stable(check, live.files.bytes_of, unsafe=False).files), None)


def _check_again(live: OpenWorkspace, path: str, data: bytes) -> CheckResult:
    """The findings in a file with other bytes."""
    files = live.files.with_overlay({**live.files.overlay, absolute_path(path): data})
    declares = may_declare(data, live.request.profiles.kind_by_glob(path))
    linting = FileLinter(live.request, files) if declares else live.linter.for_files(files)
    looked = ResultAccumulator()
    for report in linting.lint([DiscoveredFile(path, path)], declared=live.declared_kinds):
        looked.add(report)
    return looked.to_result(linting, whole=False).without_baseline(live.request.baseline)


MAX_COMPARED_LINES: Final = 2000
"""Lines between the first and the last that differ: more of them are replaced as a whole, which takes no time."""


def diff_edits(before: Source, after: Source) -> tuple[TextEdit, ...]:
    """The edits of whole lines that make `after` of `before`, in order."""
    old, new = _lines(before), _lines(after)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    changes = _changes(old[first : len(old) - last], new[first : len(new) - last])
    starts = [*before.line_starts, len(before.text)]
    edits: list[TextEdit] = []
    for start, end, text in changes:
        place = Range(before.position(starts[first + start]), before.position(starts[first + end]))
        edits.append(TextEdit(place, text))
    return tuple(edits)


def _lines(source: Source) -> list[str]:
    """The lines with their breaks."""
    ends = [*source.line_starts[1:], len(source.text)]
    return [source.text[start:end] for start, end in zip(source.line_starts, ends, strict=True)]


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[int, int, str]]:
    """The runs of lines that differ: where each starts and ends, and what is there then."""
    if max(len(old), len(new)) > MAX_COMPARED_LINES:
        yield 0, len(old), "".join(new)
        return
    # Lines that stand everywhere are not compared by: a thousand equal ones would take a quarter of a minute.
    matcher = SequenceMatcher(None, old, new, autojunk=True)
    for sort, start, end, new_start, new_end in matcher.get_opcodes():
        if sort != "equal":
            yield start, end, "".join(new[new_start:new_end])
