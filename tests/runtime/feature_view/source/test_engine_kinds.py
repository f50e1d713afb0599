"""What a plan needs to know of an engine, its kind says; nothing outside of the engines asks which one it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import trialrun
from trialrun.runtime.feature_view.source.engine import engine_kind
from trialrun.runtime.feature_view.source.interface import DUCKDB, STANDARD
from trialrun.runtime.feature_view.source.location import Unreadable
from trialrun.runtime.options import EngineAddress, Options

ROOT = Path(trialrun.__file__).parent
ENGINES = ROOT / "runtime" / "feature_view" / "source"
CONCRETE = re.compile(r"source\.(duckdb_engine|sqlite_reader|spark\w*|iceberg|column_types)\b")
PLACES = {"is_sqlite", "size_of", "files_of", "database_of"}


def imported_names(path: Path) -> set[str]:
    """What a module imports, as dotted names."""
    text = path.read_text()
    if ".source." not in text:
        return set()
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    return {f"{node.module}.{alias.name}" for node in imports for alias in node.names}


def test_nothing_outside_asks_which_engine_it_is() -> None:
    outside = [path for path in ROOT.rglob("*.py") if not path.is_relative_to(ENGINES)]
    assert len(outside) > 400
    asking = {
        path.name: names
        for path in outside
        if (
            names := [
                name
                for name in imported_names(path)
                if CONCRETE.search(name) or ("source.location" in name and name.rpartition(".")[2] in PLACES)
            ]
        )
    }
    assert asking == {}


def test_everything_of_this_machine_is_read_by_one_engine() -> None:
    assert engine_kind(Options()) == DUCKDB


def test_an_address_of_no_engine_is_refused() -> None:
    with pytest.raises(Unreadable, match='there is no engine for addresses that begin with "gopher://"'):
        engine_kind(Options(engine=EngineAddress("gopher://user:secret@host")))


def test_what_nobody_vouched_for_is_read_on_this_machine() -> None:
    assert engine_kind(Options(engine=EngineAddress("spark://host:7077"), confined=True)) == DUCKDB


def test_a_text_with_the_character_0_does_not_end_a_statement() -> None:
    assert STANDARD.literal("it's\0") == "'it''s\0'"
