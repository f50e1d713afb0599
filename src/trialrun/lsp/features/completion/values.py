"""Values of a field: enums, booleans, time zones, languages, schedules, conditions, declared names and free texts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, Literal

from trialrun.guarded_path import Boundary
from trialrun.lint.rule_support.cel_conditions import enabled_extensions
from trialrun.lsp.describe.field import enum_description
from trialrun.lsp.features.completion.conditions import condition_completions
from trialrun.lsp.features.completion.cursor import Candidate, Cursor, is_fuzzy_match, value_completions
from trialrun.lsp.features.completion.expected_type import ExpectedType, accepts_entry, has_fields
from trialrun.lsp.features.completion.names import declared_names, names_in_menu, spoken_languages
from trialrun.lsp.features.completion.partial_parser import MARK, PartialMapping, PartialNode, PartialScalar
from trialrun.lsp.results import Completion
from trialrun.model.kinds import KINDS, RESOURCES, model_of
from trialrun.model.node import UNSPECIFIED, TextFormat
from trialrun.values.cel.type_schema import SCALARS
from trialrun.values.cron.fields import FIELDS
from trialrun.values.language_tag import english_name, is_valid
from trialrun.values.language_tag.tag import registry
from trialrun.values.time_zone import modern_name, zone_names
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import OpenWorkspace

USED, SPOKEN, MODERN, OLD = 1, 2, 4, 7
_REGION = re.compile(r"[A-Z]{2}\Z")


def zones(prefix: str) -> Iterator[Candidate]:
    """The time zones that match a prefix: those that contain it first, old names last."""
    for name, option in _known_zones().items():
        if is_fuzzy_match(prefix, name):
            yield replace(option, rank=option.rank - 1) if prefix.lower() in name.lower() else option


@cache
def _known_zones() -> dict[str, Candidate]:
    zones: dict[str, Candidate] = {}
    for name in sorted(zone_names()):
        modern, data = modern_name(name), ("zone", name)
        detail, rank = (f"old name of {modern}", OLD) if modern else ("", MODERN)
        zones[name] = Candidate(name, "zone", detail, data, rank, is_deprecated=modern is not None)
    return zones


def languages(cursor: Cursor, root: PartialMapping, spoken: Iterable[str]) -> Iterator[Candidate]:
    """Language tags used in the resource and in the workspace, common languages, and regions after a language."""
    here = sorted(set(_tags(root)))
    for tag in here:
        yield Candidate(tag, "language", english_name(tag) or "", ("language", tag), USED)
    for tag in sorted(set(filter(None, spoken)) - {*here}):
        if name := english_name(tag):
            yield Candidate(tag, "language", name, ("language", tag), SPOKEN)
    (language, hyphen, region), known = cursor.before.partition("-"), _subtags("language")
    for code, name in _subtags("region").items() if language in known else ():
        if _REGION.match(code.upper()) and code.startswith(region.lower()):
            tag = f"{language}-{code.upper()}"
            yield Candidate(tag, "language", f"{known[language]} ({name})", ("language", tag))
    for code, name in known.items():
        if not hyphen and code.startswith(language.lower()):
            yield Candidate(code, "language", name, ("language", code))


def _tags(node: PartialNode | None) -> Iterator[str]:
    """The valid language tags that a resource contains."""
    if isinstance(node, PartialMapping):
        for entry in node.entries:
            value = entry.value
            if not isinstance(value, PartialScalar):
                yield from _tags(value)
            elif entry.key.text.endswith("anguageCode") and MARK not in value.text and is_valid(value.text):
                yield value.text
    elif node is not None and not isinstance(node, PartialScalar):
        for item in node.items:
            yield from _tags(item)


@cache
def _subtags(kind: Literal["language", "region"]) -> dict[str, str]:
    """The codes of languages or regions that are not retired, with their names."""
    known = registry()
    retired = {code for of, code in (*known.preferred, *known.deprecated) if of == kind}
    names = (
        {code: name.partition(";")[0] for code, name in known.names.items()} if kind == "language" else known.regions
    )
    return {code: name for code, name in sorted(names.items()) if code not in retired}


TABLES = (".parquet", ".csv", ".json", ".jsonl", ".ndjson")
DATABASES = (".duckdb", ".db", ".sqlite", ".sqlite3")
COLUMN_TYPES = {
    "STRING": "text",
    "INT64": "a whole number",
    "FLOAT64": "a number",
    "BOOL": "true or false",
    "TIMESTAMP": "a moment",
    "BYTES": "bytes",
}
ENDINGS: Final[Mapping[TextFormat | None, tuple[str, ...]]] = {"file-glob": TABLES, "file-path": DATABASES}


def free_text_candidates(workspace: OpenWorkspace, cursor: Cursor, expected_type: ExpectedType) -> Iterator[Candidate]:
    """The candidates for a text, by its field."""
    if expected_type.text_format == "cel-type":
        types = expected_type.root.get("types")
        for name in [entry.key.text for entry in types.entries] if isinstance(types, PartialMapping) else ():
            yield Candidate(name, "value", "a type of the schema", rank=1)
            yield Candidate(f"list({name})", "value", "a list of these", rank=2)
        yield from (Candidate(name, "value", rank=3) for name in SCALARS)
        yield Candidate("list(string)", "value", "a list", rank=4)
        yield Candidate("map(string, string)", "value", "a map", rank=4)
    elif expected_type.text_format == "column-type":
        yield from (Candidate(name, "value", words) for name, words in COLUMN_TYPES.items())
    elif expected_type.text_format in ENDINGS:
        folder = os.path.dirname(absolute_path(cursor.source.path))
        for path, what in paths(folder, cursor.word, ENDINGS[expected_type.text_format]):
            yield Candidate(path, "file", what)
    elif expected_type.text_format == "timestamp" and expected_type.kind == "Scenario":
        for form, words in (("%Y-%m-%dT%H:%M:00Z", "now"), ("%Y-%m-%dT00:00:00Z", "today")):
            yield Candidate(workspace.request.now.strftime(form), "value", words)


MAX_FILES = 2_000
"""How many entries of a folder are looked at."""


def paths(folder: str, written: str, endings: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The paths from a folder on that begin like what is written, each with what it is; folders lead on.

    Without `endings`, all files. Folders outside of the workspace are not listed.
    """
    above = written.rpartition("/")[0]
    try:
        here = Boundary.around(folder).resolve(os.path.join(folder, above))
        with os.scandir(here) as listed:
            entries = [(entry.name, entry.is_dir()) for entry, _ in zip(listed, range(MAX_FILES), strict=False)]
    except (OSError, ValueError):
        return
    for name, is_folder in sorted(entries):
        path = f"{above}/{name}" if above else name
        if name.startswith("."):
            continue
        if is_folder:
            yield path + "/", "a folder"
        elif not endings or name.endswith(endings):
            yield path, "a file"


_ZONE = re.compile(r"\s*(?:CRON_TZ|TZ)=([^\s]*)\Z")
_PREFIX = re.compile(r"\s*(?:(?:CRON_TZ|TZ)=\S+\s+)?")
_REST_OF_ZONE = re.compile(r"[^\s\"']*")
_ITEM = re.compile(r"[^\s,/-]*\Z")
_REST_OF_ITEM = re.compile(r"[^\s\"',/-]*")
WHOLE = {
    "0 3 * * *": "every day at 3",
    "0 * * * *": "every hour",
    "*/15 * * * *": "every 15 minutes",
    "0 */6 * * *": "every 6 hours",
    "0 3 * * MON": "every Monday at 3",
    "0 3 * * MON-FRI": "from Monday to Friday at 3",
    "0 3 1 * *": "on the first of every month at 3",
}
STEPS = {"minute": (5, 10, 15, 30), "hour": (2, 3, 4, 6, 12)}
LETTERS = 3


def schedule_completions(cursor: Cursor) -> Iterator[Completion]:
    """The items at the cursor in a schedule."""
    before, after, place = cursor.before, cursor.after, cursor.range(0, 0)
    if match := _ZONE.match(before):
        behind = _REST_OF_ZONE.match(after)
        place = cursor.range(len(match[1]), len(behind[0]) if behind else 0)
        for number, zone in enumerate(zones(match[1])):
            name, order, is_old = zone.label, f"{zone.rank}{number:04}", zone.is_deprecated
            yield Completion(name, "zone", name, place, order, zone.detail, zone.data, is_deprecated=is_old)
        return
    prefix, is_plain, is_begun = _PREFIX.match(before), cursor.scalar.style == "plain", bool(before.strip())
    written = before[prefix.end() :] if prefix else before
    if not ((cursor.is_json and is_plain) or is_begun or after.strip().startswith(("CRON_TZ", "TZ"))):
        text, detail = (
            "CRON_TZ=${1:UTC} " if after.strip() else "CRON_TZ=",
            "the time zone of the schedule; UTC without it",
        )
        yield Completion("CRON_TZ=", "value", cursor.lead + text, place, "0", detail, is_snippet="$" in text)
    if written:
        yield from _cron_field(cursor, written)
    elif not after.strip():
        for number, (schedule, detail) in enumerate(WHOLE.items()):
            needs_quotes = is_plain and not is_begun and (schedule[0] == "*" or cursor.is_json)
            text = ("" if is_begun else cursor.lead) + (f'"{schedule}"' if needs_quotes else schedule)
            yield Completion(schedule, "value", text, place, f"1{number}", detail)


def _cron_field(cursor: Cursor, written: str) -> Iterator[Completion]:
    """The values of the field at the cursor: names of months and days, a star, and steps."""
    number = len(written.split()) - (not written[-1].isspace())
    item, rest = _ITEM.search(written), _REST_OF_ITEM.match(cursor.after)
    assert item is not None and rest is not None
    if not 0 <= number < len(FIELDS) or written[: item.start()].endswith("/") or "=" in rest[0]:
        return
    field, words = FIELDS[number], dict[str, str]()
    if item.start() == 0 or written[item.start() - 1].isspace():
        words["*"] = f"every {field.name}"
        words |= {f"*/{step}": f"every {step} {field.name}s" for step in STEPS.get(field.name, ())}
    words |= {word[:LETTERS].upper(): word for word in field.words}
    place = cursor.range(len(item[0]), rest.end())
    would_be_alias = cursor.scalar.style == "plain" and len(item[0]) == len(cursor.before)
    for at, (word, detail) in enumerate(words.items()):
        if not (would_be_alias and word.startswith("*")):
            yield Completion(word, "value", word, place, f"2{at:02}", detail)


def values(
    workspace: OpenWorkspace, path: str, cursor: Cursor, expected_type: ExpectedType, *, lead: str
) -> Iterator[Completion]:
    """The values for the cursor position; `lead` is text to insert before one."""
    if len(cursor.steps) and cursor.steps[-1] == (expected_type.root, "kind"):
        yield from value_completions(cursor, _kinds(expected_type), lead=lead)
    elif expected_type.text_format == "cel-condition" and cursor.is_json and cursor.scalar.style == "plain":
        return
    elif expected_type.text_format == "cel-condition":
        options = workspace.request.profiles.of(path).option_values
        schema, extensions = workspace.session_types(path), enabled_extensions(options)
        yield from condition_completions(
            cursor, schema, extensions, lambda name: names_in_menu(workspace, expected_type, name)
        )
    elif expected_type.text_format == "cron":
        yield from schedule_completions(cursor)
    elif expected_type.of:
        yield from value_completions(cursor, _options(workspace, cursor, expected_type), lead=lead)


def _kinds(expected_type: ExpectedType) -> Iterator[Candidate]:
    """The kinds that share the most fields with the document."""
    if expected_type.root.get("apiVersion") is not None:
        return
    entries, shared = [entry for entry in expected_type.root.entries if entry.key.text != "kind"], dict[str, int]()
    for kind in KINDS:
        model = model_of(kind)
        shared[kind] = sum(has_fields(model, [one.key.text]) + accepts_entry(model, one) for one in entries)
    for kind in (kind for kind in KINDS if shared[kind] == max(shared.values())):
        yield Candidate(kind, "value", "a resource" if kind in RESOURCES else "a companion", ("kind", kind))


def _options(workspace: OpenWorkspace, cursor: Cursor, expected_type: ExpectedType) -> Iterator[Candidate]:
    shape, owner = expected_type.shape, expected_type.of[-1]
    if shape.enum:
        title = f"{owner.model.__name__}.{owner.field}"
        for value in shape.enum:
            if not value.endswith(UNSPECIFIED):
                yield Candidate(value, "value", "", ("enum", title, value) if enum_description(title, value) else ())
    elif shape.scalar is bool:
        yield from (Candidate(value, "value") for value in (True, False))
    elif expected_type.text_format == "time-zone":
        yield from zones(cursor.before)
    elif expected_type.text_format == "language-tag":
        yield from languages(cursor, expected_type.root, spoken_languages(workspace))
    elif shape.scalar is str or shape.entity_id:
        yield from declared_names(workspace, expected_type)
        yield from free_text_candidates(workspace, cursor, expected_type)
