"""A condition that an earlier run checked is not checked again, and nothing that is printed depends on that."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from tests.cases import each_of, first_of
from tests.program import CONDITION, SOURCE, Run
from trialrun.values.cel import ALL_EXTENSIONS, DEFAULT_SCHEMA, build_schema, check_expression
from trialrun.values.cel.check import CheckResult
from trialrun.workspace import condition_cache
from trialrun.workspace.cache_store import LAYOUT, CacheStore, row_digest
from trialrun.workspace.condition_cache import MAX_ROW_LENGTH, ConditionCache, condition_from_json, condition_to_json

FIXTURES = Path(__file__).parents[2] / "fixtures"
NO_EXTENSIONS: frozenset[str] = frozenset()
TEXTS = (
    "true",
    "order.subtotal > 10.0",
    "order.subtotal > 'ten'",
    "order.total > 10.0 and order.subtotal = 3",
    "session.metadata['coupon'] == 'a'",
    "order.items[-1].quantity > 1",
    "order.items.exists(i, i.displayName.lowerAscii() == 'fries')",
    "order.items.exists(at, item, at > 2)",
    "order.subtotal > ${MINIMUM}",
    "order.subtotal is not null",
    "not order.items.exists(i, i.displayName == 'Fries' and i.quantity > 1)",
    "(order.subtotal > 1.0",
    "",
    "'\ud800' == session.store",
    "(" * 50 + "true" + ")" * 50,
    "x" * 100_001,
)
DUPLICATES = """\
      - priority: 2
        celUpsell: {conditionExpression: order.total>10.0, suggestedMenuItems: [Soda]}
"""
SKIPS = """\
      - priority: 3
        skipOnMultiQuantityUpsoldFromItem: true
        celUpsell: {conditionExpression: session.turn > 1, suggestedMenuItems: [Tea]}
"""
# in the process: whether the engine and the grammar of conditions were imported
ENGINE = """\
import sys
from trialrun.cli.main import main
try:
    main(["check", "--isolated", *sys.argv[1:]])
except SystemExit:
    pass
print("cel_expr_python" in sys.modules, "trialrun.values.cel.parse" in sys.modules)
"""


def store_of(tmp_path: Path) -> Path:
    return tmp_path.parent / f"{tmp_path.name}-cache" / f"verdicts-{LAYOUT}.sqlite"


def conditions_of(database: sqlite3.Connection) -> list[tuple[bytes, str]]:
    return database.execute("SELECT key, report FROM verdicts WHERE length(key) = 40").fetchall()


def plant(tmp_path: Path, row: str) -> None:
    """Put a row in place of that of every known condition."""
    with closing(sqlite3.connect(store_of(tmp_path))) as database, database:
        keys = [key for key, _ in conditions_of(database)]
        assert keys
        for key in keys:
            database.execute(
                "UPDATE verdicts SET report = ?, digest = ? WHERE key = ?", (row, row_digest(key, row), key)
            )


def checked(run: Run, *arguments: str, **environment: str) -> str:
    ran = run("check", "--output-format", "json", *arguments, **environment)
    assert ran.err == ""
    return ran.out


def messages(output: str) -> list[str]:
    return [diagnostic["message"] for diagnostic in json.loads(output)["diagnostics"]]


def without_tree(result: CheckResult) -> CheckResult:
    return condition_from_json(json.loads(json.dumps(condition_to_json(result))))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ConditionCache]:
    store = CacheStore(str(tmp_path))
    yield ConditionCache(store, lambda: "tool")
    store.close()


@each_of(product(TEXTS, [NO_EXTENSIONS, ALL_EXTENSIONS]))
def test_a_result_is_the_same_from_its_row(text: str, extensions: frozenset[str]) -> None:
    result = check_expression(text, extensions=extensions)
    known = without_tree(result)
    assert known.tree is None
    for name in ("problems", "type", "constant", "key", "optional_reads", "extension_uses", "failing"):
        assert getattr(known, name) == getattr(result, name)
        assert type(getattr(known, name)) is type(getattr(result, name))


def test_a_condition_is_found_by_its_text_types_extensions_and_tool(tmp_path: Path) -> None:
    store, other = CacheStore(str(tmp_path)), build_schema({}, {"order": "dyn"})
    first = ConditionCache(store, lambda: "tool")
    first.check("order.total > 1", DEFAULT_SCHEMA, NO_EXTENSIONS)
    rows = first.take_new_rows()
    assert len(rows) == 1
    assert first.take_new_rows() == []
    store.write(rows)
    questions = [
        ("tool", "order.total > 1", DEFAULT_SCHEMA, NO_EXTENSIONS, 0),
        ("tool", "order.total > 2", DEFAULT_SCHEMA, NO_EXTENSIONS, 1),
        ("tool", "order.total > 1", other, NO_EXTENSIONS, 1),
        ("tool", "order.total > 1", DEFAULT_SCHEMA, ALL_EXTENSIONS, 1),
        ("another version", "order.total > 1", DEFAULT_SCHEMA, NO_EXTENSIONS, 1),
    ]
    for tool, text, schema, extensions, new in questions:
        later = ConditionCache(store, lambda tool=tool: tool)  # type: ignore[misc]
        assert later.check(text, schema, extensions).problems == (
            check_expression(text, schema=schema, extensions=extensions).problems
        )
        assert len(later.take_new_rows()) == new
    store.close()


def test_a_very_long_row_is_not_kept(cache: ConditionCache) -> None:
    text = " && ".join(f"order.field{number} > 1" for number in range(1000))
    assert cache.check(text, DEFAULT_SCHEMA, NO_EXTENSIONS).problems
    assert len(json.dumps(text)) > MAX_ROW_LENGTH
    assert cache.take_new_rows() == []


@pytest.mark.parametrize(
    "row",
    ["", "[]", "{}", "7", "[1, 2, 3, 4, 5, 6, 7, 8]", '[[["type"]], [], [], [], 0, 0, 0, 0]', "[" * 9, "[" * 9000],
)
def test_a_row_that_says_something_else_is_no_result(cache: ConditionCache, tmp_path: Path, row: str) -> None:
    expected = cache.check("order.total > 1", DEFAULT_SCHEMA, NO_EXTENSIONS)
    ((key, _),) = cache.take_new_rows()
    store = CacheStore(str(tmp_path))
    store.write([(key, row)])
    later = ConditionCache(store, lambda: "tool")
    later.load(DEFAULT_SCHEMA)
    assert later.check("order.total > 1", DEFAULT_SCHEMA, NO_EXTENSIONS) == expected
    assert [kept for kept, _ in later.take_new_rows()] == [key]
    store.close()


@pytest.mark.exhaustive
def test_a_known_condition_of_a_changed_file_needs_no_engine(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    environment = {**os.environ, "PYTHONPATH": SOURCE, "TRIALRUN_CACHE_DIR": str(tmp_path / "cache")}
    imported = []
    for changed in ("", "# changed\n", "# changed twice\n"):
        file.write_text(changed + CONDITION.replace("order.total", "session.turn < 3 && order.subtotal"))
        words = [sys.executable, "-c", ENGINE, str(file)]
        done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        imported.append(done.stdout.splitlines()[-1])
    assert imported == ["True True", "False False", "False False"]


def test_a_known_condition_is_really_found_again(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(CONDITION)
    expected = messages(checked(run))
    planted = json.dumps([[["type", 0, 5, "planted", None, None, None]], [], [], [], None, None, None, None])
    plant(tmp_path, planted)
    assert messages(checked(run)) == expected
    file.write_text(f"# changed\n{CONDITION}")
    assert messages(checked(run, "--select", "cel-type")) == ["planted"]
    assert messages(checked(run, "--select", "cel-type", "--no-cache")) != ["planted"]


def test_workers_find_known_conditions_and_return_new_ones(run: Run, tmp_path: Path) -> None:
    comment = "# much to read, so that it is shared out\n" * 6000
    for number in range(4):
        (tmp_path / f"{number}.yaml").write_text(comment + CONDITION.replace("10.0", f"{number}.0"))
    words = ("--jobs", "2", "--select", "cel-type")
    checked(run, *words)
    with closing(sqlite3.connect(store_of(tmp_path))) as database:
        assert len(conditions_of(database)) == 4
    plant(tmp_path, json.dumps([[["type", 0, 5, "planted", None, None, None]], [], [], [], None, None, None, None]))
    for number in range(4):
        (tmp_path / f"{number}.yaml").write_text(f"# changed\n{comment}{CONDITION.replace('10.0', f'{number}.0')}")
    assert messages(checked(run, *words)) == ["planted"] * 4


@pytest.mark.parametrize("option", [["cel-duplicate-condition"], ["cel-type"], ["skip-without-effect"], []])
def test_a_new_condition_beside_known_ones(run: Run, tmp_path: Path, option: list[str]) -> None:
    """The rules compare what is known with what is not."""
    file, words = tmp_path / "config.yaml", [word for rule in option for word in ("--select", rule)]
    file.write_text(CONDITION)
    checked(run, *words)
    for text in (CONDITION + DUPLICATES, CONDITION + DUPLICATES + SKIPS, "# again\n" + CONDITION + DUPLICATES + SKIPS):
        file.write_text(text)
        assert checked(run, *words) == checked(run, "--no-cache", *words)


def test_as_many_conditions_are_loaded_as_memory_is_meant_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CacheStore(str(tmp_path))
    first = ConditionCache(store, lambda: "tool")
    for number in range(10):
        first.check(f"session.turn > {number}", DEFAULT_SCHEMA, NO_EXTENSIONS)
    rows = first.take_new_rows()
    store.write(rows)
    monkeypatch.setattr(condition_cache, "MAX_LOADED_LENGTH", 3 * len(rows[0][1]))
    later = ConditionCache(store, lambda: "tool")
    assert later.load(DEFAULT_SCHEMA)
    assert len(later._loaded) in (2, 3)
    for number in range(10):
        later.check(f"session.turn > {number}", DEFAULT_SCHEMA, NO_EXTENSIONS)
    assert later.take_new_rows() == []
    store.close()


FOLDERS = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())


@pytest.mark.exhaustive
@pytest.mark.parametrize("folder", first_of(sorted(FOLDERS, key=lambda name: name != "invalid")))
def test_what_is_printed_is_the_same_with_known_conditions(run: Run, tmp_path: Path, folder: str) -> None:
    shutil.copytree(FIXTURES / folder, tmp_path / folder)
    checked(run, folder)
    changed = [file for file in (tmp_path / folder).rglob("*") if file.suffix in (".yaml", ".json")]
    assert changed
    for file in changed:
        file.write_bytes(file.read_bytes() + b"\n")
    expected = checked(run, folder, "--no-cache")
    assert checked(run, folder, TRIALRUN_CACHE_DIR=str(tmp_path / "empty")) == expected
    assert checked(run, folder) == expected


def test_no_cache_neither_reads_nor_keeps_conditions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONDITION)
    checked(run, "--no-cache")
    assert not store_of(tmp_path).exists()
