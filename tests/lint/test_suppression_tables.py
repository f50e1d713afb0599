"""Suppressions in comments and tables: which findings they cover, and how they are added."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of, some_of
from tests.lint.workspace_findings import linted, silenced
from trialrun.diagnostic import Diagnostic, Range, json_pointer
from trialrun.lint.settings import IgnoreTable
from trialrun.lint.suppression.add_ignores import add_ignore, add_ignores
from trialrun.lint.suppression.apply import AppliedSuppressions
from trialrun.lint.suppression.collect import INCOMPLETE_READ_RULES
from trialrun.lint.suppression.suppression import REASON_PLACEHOLDER, ignore_comment
from trialrun.lint.suppression.suppressors import SuppressTables, table_ranges
from trialrun.parser import ParsedFile, parse
from trialrun.parser.decode import encode
from trialrun.text import Position, Source

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
WRONG = [path for path in sorted(FIXTURES.rglob("*.yaml")) if path.parent.name != "valid"]
FILES = [path for path in WRONG if b"trialrun: ignore" not in path.read_bytes()]
SOUND = [
    path
    for path in FILES
    if not {error.rule for error in parse(path.read_bytes(), path.name).errors} & {*INCOMPLETE_READ_RULES}
]
Node = tuple[int, str, int]
"""A key or an item: its document, its JSON Pointer and the line on which it begins."""


def seen(found: list[Diagnostic], *, inserted: int = 10**9) -> list[tuple[int, str, str, str]]:
    """What findings say, on the lines on which they stand once a line is inserted."""
    return sorted(
        (
            diagnostic.range.start.line + (diagnostic.range.start.line >= inserted),
            diagnostic.rule,
            diagnostic.pointer,
            re.sub(r"line \d+", "line", diagnostic.message),
        )
        for diagnostic in found
    )


def nodes(tree: ParsedFile) -> list[Node]:
    return [
        (
            document.index,
            json_pointer(path),
            tree.source.position((document.key_span(path) or document.span(path)).start).line,
        )
        for document in tree.documents
        for path in _paths(document.value, ())
    ]


def _paths(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inside:
        yield (*path, step)
        yield from _paths(item, (*path, step))


def line_of(target: Diagnostic, known: list[Node]) -> int:
    """The line on which the node of a finding begins."""
    lines = [line for document, pointer, line in known if (document, pointer) == (target.document, target.pointer)]
    return lines[0] if lines else target.range.start.line


def covered(diagnostic: Diagnostic, line: int, known: list[Node]) -> bool:
    """Whether a finding is of a node that begins on a line or of one below it, or stands on the line itself."""
    above = [pointer for document, pointer, at in known if at == line and document == diagnostic.document]
    return diagnostic.range.start.line == line or any(
        f"{diagnostic.pointer}/".startswith(f"{pointer}/") for pointer in above
    )


def with_comment(tree: ParsedFile, line: int, words: str) -> str:
    lines = tree.source.text.splitlines(keepends=True)
    indent = re.match(" *", lines[line - 1])
    assert indent
    return "".join([*lines[: line - 1], f"{indent[0]}# trialrun: {words}\n", *lines[line - 1 :]])


@pytest.mark.parametrize("file", some_of(SOUND, 24), ids=lambda path: path.name)
def test_a_comment_above_a_node_silences_its_rule_there_and_nothing_else(file: Path) -> None:
    data = file.read_bytes()
    tree, before = parse(data, file.name), linted(data).diagnostics
    known = nodes(tree)
    for target in before:
        line = line_of(target, known)
        gone = [
            diagnostic for diagnostic in before if diagnostic.rule == target.rule and covered(diagnostic, line, known)
        ]
        assert target in gone
        after = silenced(with_comment(tree, line, f"ignore[{target.rule}] why"))
        assert seen(after.kept) == seen([one for one in before if one not in gone], inserted=line)
        assert len(after.suppressed) == len(gone)


@pytest.mark.parametrize("file", some_of(FILES, 24), ids=lambda path: path.name)
def test_a_comment_at_the_top_silences_its_rule_in_the_whole_file_and_nothing_else(file: Path) -> None:
    data = file.read_bytes()
    tree, before = parse(data, file.name), linted(data).diagnostics
    for rule in sorted({diagnostic.rule for diagnostic in before}):
        after = silenced(with_comment(tree, 1, f"ignore-file[{rule}] why"))
        assert seen(after.kept) == seen([diagnostic for diagnostic in before if diagnostic.rule != rule], inserted=1)


@pytest.mark.parametrize("file", some_of(SOUND, 24), ids=lambda path: path.name)
def test_lines_above_change_nothing(file: Path) -> None:
    data = file.read_bytes()
    tree, known = parse(data, file.name), nodes(parse(data, file.name))
    for target in linted(data).diagnostics[:3]:
        text = with_comment(tree, line_of(target, known), f"ignore[{target.rule}] why")
        assert seen(silenced("# one more\n" + text).kept) == seen(silenced(text).kept, inserted=1)


def test_most_fixtures_are_sound() -> None:
    assert len(SOUND) > len(FILES) / 2


PATH = "views/v.json"
VIEW = json.dumps(
    {
        "kind": "FeatureView",
        "name": "projects/p/locations/l/featureOnlineStores/s/featureViews/v",
        "warehouseSource": {"uri": "bq://p.d.t", "entityIdColumns": ["id"]},
        "syncConfig": {"cron": "0 25 * * *"},
    }
)
HEADER = Range(Position(3, 1), Position(3, 11))


def under(*tables: IgnoreTable, whole: bool = True) -> AppliedSuppressions:
    ranges = tuple(HEADER for _ in tables)
    return silenced(
        VIEW, path=PATH, whole=whole, tables=SuppressTables("trialrun.toml", tables, ranges, lambda path: path)
    )


@each_of(product(["views/v.json", "views/*.json", "**/v.json", "views/"], ["", "/syncConfig", "/syncConfig/cron"]))
def test_a_table_silences_its_rule_in_its_files_at_its_pointer(path: str, pointer: str) -> None:
    found = under(IgnoreTable(path, ("cron-syntax",), pointer, "why owner=rides", "2026-11-20"))
    assert found.kept == []
    assert [(diagnostic.reason, diagnostic.until, diagnostic.kind) for diagnostic in found.suppressed] == [
        ("why", "2026-11-20", "settings")
    ]
    assert found.statuses[0].owner == "rides"


@pytest.mark.parametrize(
    "table",
    [
        IgnoreTable("other/*.json", ("cron-syntax",), reason="why"),
        IgnoreTable(PATH, ("cron-syntax",), "/sync", "why"),
        IgnoreTable(PATH, ("cron-rare",), reason="why"),
    ],
)
def test_a_table_that_silences_nothing_is_told_at_its_header(table: IgnoreTable) -> None:
    found = under(table)
    assert sorted((diagnostic.rule, diagnostic.path, diagnostic.range.start.line) for diagnostic in found.kept) == [
        ("cron-syntax", PATH, 1),
        ("unused-suppression", "trialrun.toml", 3),
    ]


def test_a_table_may_speak_of_files_that_were_not_looked_at() -> None:
    rules = ("cron-syntax", "cron-rare")
    for path in ("views/*", "views/", "views", PATH.replace("e", "[ef]", 1), PATH.rpartition("/")[2]):
        assert [diagnostic.rule for diagnostic in under(IgnoreTable(path, rules, reason="why"), whole=False).kept] == []
    pattern = IgnoreTable("views/*.json", rules, reason="why")
    assert not SuppressTables("trialrun.toml", (pattern,), (HEADER,), str).is_only_of(pattern, pattern.path)
    messages = [diagnostic.message for diagnostic in under(IgnoreTable(PATH, rules, reason="why"), whole=False).kept]
    assert messages == ["no cron-rare is found here; remove it from the table, or remove the table"]


@pytest.mark.parametrize("until", ["2026-11-19", "2026-13-01", "2026-11-20T00:00:00"])
def test_a_table_that_has_ended_silences_nothing(until: str) -> None:
    found = under(IgnoreTable(PATH, ("cron-syntax",), reason="why", until=until))
    assert sorted(diagnostic.rule for diagnostic in found.kept) == ["cron-syntax", "expired-suppression"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('edition = "2026.1"\n\n[[suppress]]\npath = "a"\n# [[suppress]]\n  [[ suppress ]]\n', [3, 6]),
        ("[tool.trialrun]\n[[tool.trialrun.suppress]]\n[[ tool . trialrun . suppress ]] # why\n", [2, 3]),
        ('suppress = [{path = "a", rule = "b"}]\n', [1, 1]),
    ],
)
def test_where_the_tables_begin(text: str, lines: list[int]) -> None:
    tables = [IgnoreTable("a", ("b",), number=number) for number in (0, 1)]
    assert [table_range.start.line for table_range in table_ranges(text, tables)] == lines


def test_where_tables_of_both_names_begin() -> None:
    tables = [IgnoreTable("a", ("b",), key=key) for key in ("suppress", "ignore")]
    assert [table_range.start.line for table_range in table_ranges("[[ignore]]\n[[suppress]]\n", tables)] == [2, 1]


FILES_WITHOUT_IGNORES = sorted(path for path in FIXTURES.rglob("*.yaml") if path.parent.name != "valid")
UNREAD = {"syntax-error", "resource-limit"}
VIEW_WITHOUT_IGNORES = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
syncConfig:
  cron: 0 25 * * *
warehouseSource: {uri: bq://a, entityIdColums: [], entityIdColumns: [i, i]}
"""


def commented(text: str | bytes) -> tuple[Source, list[Diagnostic]]:
    data = text if isinstance(text, bytes) else text.encode()
    found = [each for each in silenced(data).kept if each.rule != "expired-suppression"]
    return add_ignores(parse(data, "file.yaml"), found, lambda rules: ignore_comment(rules, "ok"))


def test_one_comment_for_a_line() -> None:
    source, left = commented(VIEW_WITHOUT_IGNORES)
    assert left == []
    assert source.text == VIEW_WITHOUT_IGNORES.replace(
        "* * *\n", "* * *  # trialrun: ignore[cron-syntax] ok\n"
    ).replace("warehouse", "# trialrun: ignore[unknown-field, duplicate-item] ok\nwarehouse")


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_line_breaks_stay(line_break: str) -> None:
    text = VIEW_WITHOUT_IGNORES.replace("\n", line_break).replace("0 25 * * *", '"0 25 * * *"' + " " * 120)
    after = commented(text)[0].text
    assert after.count("\n") == after.count(line_break) == VIEW_WITHOUT_IGNORES.count("\n") + 1


def test_no_comment_inside_of_one_for_the_same_rule() -> None:
    text = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operations_config:
  upsell_strategy:
    max_upsell_offers: 1
supplemental_instructions: {freeformInstructions: Be brief.}
"""
    comment = "  # trialrun: ignore[non-canonical-form] ok\n"
    assert commented(text)[0].text == text.replace("config:\n", f"config:{comment}").replace(
        "brief.}\n", f"brief.}}{comment}"
    )


def test_a_comment_joins_those_that_are_there() -> None:
    text = VIEW_WITHOUT_IGNORES.replace("0 25 * * *", "0 25 * * *  # night  # trialrun: ignore[cron-dst] old")
    assert "# night  # trialrun: ignore[cron-dst] old  # trialrun: ignore[cron-syntax" in commented(text)[0].text


@pytest.mark.generated
@pytest.mark.parametrize(("line_break", "path"), some_of(product((b"\n", b"\r\n"), FILES_WITHOUT_IGNORES)))
def test_every_known_mistake_can_be_suppressed(path: Path, line_break: bytes) -> None:
    data = path.read_bytes().replace(b"\n", line_break)
    tree = parse(data, "file.yaml")
    if encode(tree.source) != data:
        pytest.skip("its bytes cannot be written back")
    source, left = commented(data)
    after = encode(source)
    assert [document.value for document in parse(after, "file.yaml").documents] == [d.value for d in tree.documents]
    assert {each.rule for each in left} <= UNREAD
    assert {each.rule for each in silenced(after).kept} <= UNREAD | {"expired-suppression"}


@pytest.mark.parametrize("name", ["channel-config-strategy", "feature-view-broken", "document-reading"])
def test_a_comment_is_where_the_editor_puts_it(name: str) -> None:
    (path,) = [path for path in FILES_WITHOUT_IGNORES if path.stem == name]
    tree = parse(path.read_bytes(), "file.yaml")
    placed = [(edit, each) for each in silenced(path.read_bytes()).kept if (edit := add_ignore(tree, each)) is not None]
    assert placed
    for edit, diagnostic in placed:
        source, _ = add_ignores(tree, [diagnostic], lambda rules: ignore_comment(rules, REASON_PLACEHOLDER))
        start, end = tree.source.offset(edit.range.start), tree.source.offset(edit.range.end)
        assert source.text == tree.source.text[:start] + edit.text + tree.source.text[end:]


@pytest.mark.exhaustive
def test_many_findings_are_quick() -> None:
    items = "".join(f"  - {{name: Item {number}, prise: 1}}\n" for number in range(2_000))
    source, left = commented(f"kind: Menu\nname: m\nitems:\n{items}")
    assert left == []
    assert source.text.count("ignore[unknown-field] ok\n") == 2_000


def test_the_work_for_a_file_is_bounded() -> None:
    nowhere = "# trialrun: ignore[cron-syntax] below everything\n" * 30
    data = f"kind: Menu\nname: m\nitems: [{{name: Fries}}]\n{nowhere}".encode()
    tree, found = parse(data, "file.yaml"), silenced(data).kept
    comments: list[str] = []

    def comment(rules: Sequence[str]) -> str:
        comments.append(ignore_comment(rules, "ok"))
        return comments[-1]

    def tries(max_reparsed: int) -> int:
        comments.clear()
        assert len(add_ignores(tree, found, comment, max_reparsed=max_reparsed)[1]) == 30
        return len(comments)

    assert tries(10 * len(data)) < tries(10**9) / 1.5
