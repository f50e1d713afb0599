"""Each refusal of a plan has a rule that finds its reason, unless only rows or the machine can show it.

And each assumption that the runtime cites is a row of docs/assumptions.md.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import trialrun.runtime.feature_view as package
from tests.runtime.feature_view.catalog_fixture import NAME, NOW, STORE, catalog
from trialrun.lint import registry, workspace_rules
from trialrun.lint.engine import Linter
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.lint.workspace_rules import FactLocations
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import build_plan

REFUSALS = ("CannotSync", "Unreadable", "NotSearchable")

DATA, MACHINE, TERRAFORM = "data", "machine", "terraform"
"""What shows a refusal that no rule finds: rows and files, this machine, or Terraform, whose values are not checked."""


def source(uri: str, *columns: str, **fields: Any) -> dict[str, Any]:
    """A Source with columns, written as `name TYPE`; one without its own place is of an empty file."""
    declared = [dict(zip(("name", "type"), column.split(" ", 1), strict=True)) for column in columns]
    return {"uri": uri, **(fields or {"files": "rows.jsonl"}), **({"columns": declared} if columns else {})}


def group(id_: str, uri: str, *features: str, ids: str = "id", **fields: Any) -> dict[str, Any]:
    """A feature group of a table."""
    registered = [{"id": feature} for feature in features]
    return {"featureGroupId": id_, "uri": uri, "entityIdColumns": [ids], "features": registered, **fields}


def warehouse(*ids: str, uri: str = "bq://t", **index: Any) -> dict[str, Any]:
    """A view of a table."""
    view = {"warehouseSource": {"uri": uri, "entityIdColumns": [*ids]}}
    return view | ({"indexConfig": index} if index else {})


def feature_registry(*asked: tuple[str, str], **index: Any) -> dict[str, Any]:
    """A view of a feature of each of some groups."""
    groups = [{"featureGroupId": id_, "featureIds": [feature]} for id_, feature in asked]
    return {"featureRegistrySource": {"featureGroups": groups}} | ({"indexConfig": index} if index else {})


TABLE = source("bq://t", "id STRING", "day DATE", "visits INT64", "seen TIMESTAMP", "feature_timestamp TIMESTAMP")
OTHER = source("bq://o", "id INT64", "orders INT64", "feature_timestamp TIMESTAMP")
PAGES = source("bq://t", "corpusId STRING", "file_id STRING", "chunkId STRING")
GUESTS, ORDERS = group("guests", "bq://t", "visits"), group("orders", "bq://o", "orders")
RAG = {"ragSource": {"uri": "bq://t"}}
VISITS = feature_registry(("guests", "visits"))
VECTORS = source("bq://t", "id STRING", "v ARRAY<FLOAT>")
RAG_COLUMNS = [f"{name} STRING" for name in ("corpusId", "fileId", "chunk_data_type", "chunk_data")]
RAG_COLUMNS.append("embeddings ARRAY<FLOAT>")
SOUND_PAGES = source("bq://t", *RAG_COLUMNS, "chunkId STRING", "file_original_uri STRING")
WRONG_PAGES = source("bq://t", *RAG_COLUMNS, "chunkId INT64", "file_original_uri STRING")
WRONG_URIS = source("bq://t", *RAG_COLUMNS, "chunkId STRING", "file_original_uri INT64")


@dataclass(frozen=True)
class Case:
    """Documents that are refused: the view, its groups and the sources, and the rule that finds the reason.

    `at` is the place in the view that the refusal names, and `says` a part of its message, where a case tells them.
    """

    rule: str
    view: Mapping[str, Any]
    groups: tuple[Mapping[str, Any], ...] = ()
    sources: tuple[Mapping[str, Any], ...] = (TABLE,)
    at: str | None = None
    says: str = ""


TOLD: dict[str, str | tuple[Case, ...]] = {
    'plan: "{}" has nothing to serve besides {}; {}': (
        Case("column-type", warehouse("id"), sources=(source("bq://t", "id STRING", "day DATE"),)),
        Case("column-type", warehouse("id"), sources=(source("bq://t", "id STRING"),)),
    ),
    "plan: the features of the view have types that cannot be served: {}; take one of another type": (
        Case(
            "column-type",
            feature_registry(("days", "day")),
            (group("days", "bq://t", "day"),),
            at="featureRegistrySource/featureGroups/0/featureGroupId",
            says='"day" is DATE',
        ),
    ),
    "extraction: the view has no source, so there is nothing to sync; write values directly, or set warehouseSource, "
    "featureRegistrySource or ragSource": (Case("no-source", {}, at=""),),
    'extraction: the table has no column "{}" for {}{}': (
        Case("unknown-column", warehouse("idd"), at="warehouseSource/entityIdColumns/0", says='did you mean "id"?'),
        Case("unknown-column", warehouse("id", embeddingColumn="visit"), at="indexConfig/embeddingColumn"),
        Case(
            "unknown-column",
            warehouse("id", embeddingColumn="v", filterColumns=["colour"]),
            sources=(VECTORS,),
            at="indexConfig/filterColumns/0",
            says='"colour" for a filter',
        ),
        Case(
            "unknown-column",
            warehouse("id", embeddingColumn="v", crowdingColumn="colour"),
            sources=(VECTORS,),
            at="indexConfig/crowdingColumn",
            says='"colour" for crowding',
        ),
        Case(
            "unknown-column",
            VISITS,
            ({**GUESTS, "features": [{"id": "visits", "column": "vists"}]},),
            at="featureRegistrySource/featureGroups/0/featureIds/0",
            says='"vists" for feature "visits"; did you mean "visits"?',
        ),
        Case("unknown-column", {**RAG, "indexConfig": {"embeddingColumn": "vector"}}, sources=(SOUND_PAGES,)),
        Case("unknown-column", VISITS, (group("guests", "bq://t", "visits", timestampColumn="when"),)),
        Case("unknown-column", VISITS, (group("guests", "bq://t", "visits", ids="guest"),)),
        Case("unknown-column", warehouse("id"), sources=({**TABLE, "timestampColumn": "when"},)),
        Case("rag-columns", RAG, sources=(PAGES,)),
    ),
    'extraction: column "{}" of a RAG source must be {}, not {}; convert it': (
        Case("rag-columns", RAG, sources=(WRONG_PAGES,)),
        Case("rag-columns", RAG, sources=(WRONG_URIS,)),
    ),
    'extraction: feature "{}" is taken from the groups "{}" and "{}"; feature names of a view must be unique': (
        Case(
            "duplicate-item",
            feature_registry(("guests", "visits"), ("again", "visits")),
            (GUESTS, group("again", "bq://t", "visits")),
        ),
        Case("duplicate-item", feature_registry(("guests", "visits"), ("guests", "visits")), (GUESTS,)),
    ),
    "extraction: featureRegistrySource names no feature groups; list them": (
        Case("missing-field", {"featureRegistrySource": {}}),
        Case("missing-field", feature_registry()),
    ),
    'extraction: no feature group "{}" is declared{}': (
        Case(
            "unknown-feature",
            feature_registry(("guest", "visits")),
            (GUESTS,),
            at="featureRegistrySource/featureGroups/0/featureGroupId",
            says='did you mean "guests"?',
        ),
    ),
    'extraction: {} has no feature "{}"{}': (
        Case(
            "unknown-feature",
            feature_registry(("guests", "visit")),
            (GUESTS,),
            at="featureRegistrySource/featureGroups/0/featureIds/0",
            says='has no feature "visit"; did you mean "visits"?',
        ),
    ),
    "extraction: the groups of a view must have the same entity id, but ({}) is not ({}); remove one group": (
        Case(
            "column-type",
            feature_registry(("guests", "visits"), ("orders", "orders")),
            (GUESTS, ORDERS),
            (TABLE, OTHER),
        ),
    ),
    'extraction: the tables "{}" and "{}" differ only in case; change one of them': (
        Case(
            "duplicate-resource-name",
            feature_registry(("guests", "visits"), ("big", "orders")),
            (GUESTS, group("big", "bq://T", "orders")),
            (TABLE, source("bq://T", "id STRING", "orders INT64", "feature_timestamp TIMESTAMP")),
        ),
    ),
    "extraction: the source names no table; set its uri": (
        Case("missing-field", {"warehouseSource": {"entityIdColumns": ["id"]}}),
        Case("missing-field", {"ragSource": {}}),
        Case("missing-field", VISITS, ({**GUESTS, "uri": ""},)),
    ),
    'extraction: no Source says where the rows of "{}" are{}': (
        Case(
            "unknown-column",
            warehouse("id", uri="bq://other"),
            at="warehouseSource/uri",
            says='the rows of "bq://other" are; did you mean "bq://t"?',
        ),
    ),
    'extraction: "{}" cannot be read: {}': DATA,  # the reasons are the refusals of sources, below
    "extraction: no entity id columns are named; list at least one in entityIdColumns": (
        Case("missing-field", warehouse()),
        Case("missing-field", VISITS, ({**GUESTS, "entityIdColumns": []},)),
    ),
    'extraction: the entity id column "{}" is {}; it must be text or an integer': (
        Case("column-type", warehouse("day"), at="warehouseSource/entityIdColumns/0", says='"day" is DATE'),
        Case("column-type", warehouse("v"), sources=(VECTORS,)),
        Case("column-type", VISITS, (group("guests", "bq://t", "visits", ids="day"),)),
    ),
    'extraction: column "{}" is listed twice in the entity id; remove one': (
        Case("duplicate-item", warehouse("id", "id"), at="warehouseSource/entityIdColumns/1"),
        Case("duplicate-item", VISITS, ({**GUESTS, "entityIdColumns": ["id", "id"]},)),
    ),
    'extraction: the timestamp column "{}" is {}; it must be TIMESTAMP': (
        Case("column-type", VISITS, (group("guests", "bq://t", "visits", timestampColumn="day"),)),
        Case("column-type", warehouse("id"), sources=({**TABLE, "timestampColumn": "day"},)),
        Case("column-type", warehouse("id"), sources=(source("bq://t", "id STRING", "feature_timestamp DATE"),)),
    ),
    'plan: the embedding column "{}" is {}; it must be a list of floats': (
        Case("column-type", warehouse("id", embeddingColumn="visits"), at="indexConfig/embeddingColumn"),
        Case("column-type", feature_registry(("guests", "visits"), embeddingColumn="visits"), (GUESTS,)),
        Case("column-type", feature_registry(("guests", "visits"), embeddingColumn="id"), (GUESTS,)),
        Case(
            "column-type",
            warehouse("id", embeddingColumn="vector"),
            sources=(source("bq://t", "id STRING", "vector ARRAY<INT64>"),),
        ),
        Case("column-type", warehouse("id", embeddingColumn="day")),
        Case(
            "column-type",
            feature_registry(("guests", "visits"), ("days", "day"), embeddingColumn="day"),
            (GUESTS, group("days", "bq://t", "day")),
        ),
    ),
    'plan: the column "{}" is {}, which is not a feature type; convert it in the table': (
        Case(
            "column-type",
            warehouse("id", embeddingColumn="v", filterColumns=["day"]),
            sources=(source("bq://t", "id STRING", "v ARRAY<FLOAT>", "day DATE"),),
        ),
    ),
    'plan: the column "{}" holds the timestamp, which is not served; take another': (
        Case(
            "column-type",
            warehouse("id", embeddingColumn="v", crowdingColumn="feature_timestamp"),
            sources=(source("bq://t", "id STRING", "v ARRAY<FLOAT>", "feature_timestamp TIMESTAMP"),),
        ),
        Case(
            "column-type",
            feature_registry(("vectors", "v"), embeddingColumn="v", filterColumns=["feature_timestamp"]),
            (group("vectors", "bq://t", "v"),),
            (source("bq://t", "id STRING", "v ARRAY<FLOAT>", "feature_timestamp TIMESTAMP"),),
        ),
    ),
    "extraction: {}its {}; import a plan of it": TERRAFORM,
    "plan: the rows cannot be read: {}": DATA,
    'location: no file matches "{}" relative to the file of the Source; create the data, or fix `files`': DATA,
    'location: cannot tell the format from the extension of "{}"; set `format` to PARQUET, CSV or JSON': (
        Case("invalid-source-place", warehouse("id"), sources=(source("bq://t", "id STRING", files="rows.txt"),)),
    ),
    'location: "{}" is a folder; name its files, or set `format` to ICEBERG where it is a table of Iceberg': DATA,
    'location: there is no file "{}" relative to the file of the Source; create it, or fix `database`': DATA,
    'location: the Source names the database "{}" and no table; set `table`': (
        Case("invalid-source-place", warehouse("id"), sources=(source("bq://t", "id STRING", database="rows.txt"),)),
    ),
    'location: "{}" cannot be read: {}': DATA,
    'location: "{}": {}': MACHINE,  # a path that may not be read is told by the note of unknown-column
    'location: "{}" {}; name a folder nearer to the files': MACHINE,
    "location: NO_DUCKDB": MACHINE,
    "location: ICEBERG_ELSEWHERE": MACHINE,  # of an engine; the rule about the Source says it as well
    "location: the Source names neither files nor a database; set `files`, or `database` and `table`": (
        Case("invalid-source-place", warehouse("id"), sources=(source("bq://t", "id STRING", name="t"),)),
    ),
    "location: {}": (
        Case(
            "invalid-source-place", warehouse("id"), sources=(source("bq://t", "id STRING", files="https://b/t.csv"),)
        ),
        Case(
            "invalid-source-place", warehouse("id"), sources=(source("bq://t", "id STRING", files="gs://b/../t.csv"),)
        ),
    ),
    'location: "{}" is not on this machine; choose an engine with --engine, or copy the rows into a file': MACHINE,
    'location: "{}" is below no root of the engine; add "{}" to `roots` of the engine in your own settings, or to TRIALRUN_ENGINE_ROOTS': MACHINE,  # noqa: E501
    "location: the URL of a database has parameters; only a root of the engine may have them": MACHINE,  # as is said of
    "location: a database elsewhere is named by its jdbc: URL and a table; set `database` and `table`": MACHINE,  # URLs
    "location: a database is no file; name it in `database`, and its table in `table`": MACHINE,  # by the rule as well
    'location: "{}" is an absolute path; write it relative to the file of the Source': (
        Case("invalid-source-place", warehouse("id"), sources=(source("bq://t", "id STRING", files="/b/t.csv"),)),
    ),
}


def refusals() -> Iterator[str]:
    """The text of each refusal in the code, as `module: message`, with {} for what it names."""
    for path in Path(next(iter(package.__path__))).rglob("*.py"):
        text = path.read_text()
        if not any(name in text for name in REFUSALS):
            continue
        for raised in ast.walk(ast.parse(text)):
            error = raised.exc if isinstance(raised, ast.Raise) else None
            if isinstance(error, ast.Call) and ast.unparse(error.func) in REFUSALS and error.args:
                yield f"{path.stem}: {text_of(error.args[0])}"


def text_of(node: ast.expr) -> str:
    """A message as it is written, with {} for each value in it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def reported_rules(folder: Path, case: Case) -> list[tuple[str, str]]:
    """The rules that find something in the documents of a case, with what they say."""
    documents = [
        {"kind": "FeatureOnlineStore", "name": STORE, "type": "OPTIMIZED"},
        {"kind": "FeatureView", "name": NAME, **case.view},
        *({"kind": "FeatureGroupTable", **fields} for fields in case.groups),
        *({"kind": "Source", **fields} for fields in case.sources),
    ]
    text = json.dumps(documents).encode()
    selection = Selection(frozenset(registry.ids()))
    report = Linter(selection, now=datetime(2026, 11, 20, tzinfo=UTC), session_types=lambda: session_types(())).lint(
        text, str(folder / "documents.json")
    )
    judged = workspace_rules.run_workspace_rules(report.facts, selection, FactLocations(lambda path: text))
    return [(diagnostic.rule, diagnostic.message) for diagnostic in (*report.diagnostics, *judged)]


def test_every_refusal_stands_in_the_table() -> None:
    found = set(refusals())
    of_others = {refusal for refusal in found if refusal.split(":")[0] in (*OF_SEARCH, *OF_SPARK, *OF_ICEBERG)}
    assert found - of_others == {*TOLD, *OF_INDEXES, *OF_ENGINES}
    assert {refusal.split(":")[0] for refusal in of_others} == {*OF_SEARCH, *OF_SPARK, *OF_ICEBERG}


OF_SEARCH = ("search", "vector_index", "rows")
"""Modules that refuse a search, or say that an index was never made."""
OF_INDEXES = {
    "interface: message",
    "interface: the index config has treeAhConfig and bruteForceConfig; keep one of them",
    "interface: needs_libraries(what, 'runtime', name)",
}
"""What keeps an index from being made."""
OF_SPARK = ("spark_reading", "spark_session")
"""Modules of the Spark engine, which only the user can choose: what it refuses is due to the cluster or the files."""
OF_ICEBERG = ("iceberg_metadata", "iceberg_manifests", "iceberg_table")
"""Modules that read tables of Iceberg: what they refuse is due to the metadata, the files or the machine."""
OF_ENGINES = {
    'table_size: "{}" cannot be read: {}': DATA,
    "table_size: a gzip file cannot be read: {}": DATA,
    'engine: there is no engine for addresses that begin with "{}://"; check the address': MACHINE,
    "duckdb_engine: engine_reason(error, self._folders)": DATA,
    "duckdb_engine: the files have no rows to tell their columns; declare `columns`": DATA,
    "text_files: a row is no object: {}; write an object for each row": DATA,
    'text_files: "{}" ends within its array; it may be cut off, so write it again': DATA,
    "text_files: message.format(file=os.path.basename(file))": DATA,
    "duckdb_engine: {}; fix the settings under [runtime]": MACHINE,
    "duckdb_engine: NO_DUCKDB": MACHINE,
    "duckdb_engine: needs_libraries('a table of SQLite', 'runtime', 'numpy')": MACHINE,
    "duckdb_engine: {}; make the table smaller, or raise memory-limit": MACHINE,
    "resource_limits: OUT_OF_MEMORY": MACHINE,
    'duckdb_engine: the columns "{}" and "{}" differ in capitals alone; rename one': DATA,
    'duckdb_engine: two columns have the name "{}"; rename one': DATA,
    'location: "{}" and "{}" differ only in case; change one of them': DATA,  # by the plan
    "duckdb_engine: no_table(place, [name if schema == 'main' else f'{schema}.{name}' for schema, name in tables])": DATA,  # noqa: E501
    "sqlite_reader: a statement takes too long; make the table smaller, or fix its view": DATA,
    "sqlite_reader: SQLite: {}": DATA,
    "sqlite_reader: SQLite: the schema has a text that is not UTF-8": DATA,
    "sqlite_reader: no_table(place, names)": DATA,
    "confined: the process that read it was terminated; read it again": MACHINE,
    "confined: value": DATA,
    "confined: self._ended(timed_out=False)": MACHINE,
    "confined: self._ended(timed_out=True)": MACHINE,
}
"""What engines say of files and tables that are there or not, and of this machine."""

VALUES = {
    "STRING": "a",
    "INT64": 1,
    "DATE": "2026-11-01",
    "TIMESTAMP": "2026-11-01T00:00:00Z",
    "ARRAY<FLOAT>": [1.5],
    "ARRAY<INT64>": [1],
}
NAMED_COLUMN = re.compile(r'column ("\w+")')
CASES = [
    pytest.param(text, case, id=f"{case.rule}-{at}")
    for text, cases in TOLD.items()
    if not isinstance(cases, str)
    for at, case in enumerate(cases)
]


@pytest.mark.parametrize(("text", "case"), CASES)
def test_what_a_plan_refuses_is_found_by_its_rule(tmp_path: Path, text: str, case: Case) -> None:
    pytest.importorskip("duckdb")
    declared = catalog(tmp_path, case.view, sources=case.sources, groups=case.groups)
    row = {column["name"]: VALUES[column["type"]] for one in case.sources for column in one.get("columns", ())}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "rows.txt").touch()
    with pytest.raises(CannotSync) as refused:
        build_plan(declared.view(NAME), declared, cutoff=NOW)
    words = text.split(": ", 1)[1].split("{}")
    assert all(word in str(refused.value) for word in (*words, case.says))
    assert case.at is None or "/".join(map(str, refused.value.steps)) == case.at
    column = NAMED_COLUMN.search(str(refused.value))
    messages = [message for rule, message in reported_rules(tmp_path, case) if rule == case.rule]
    assert messages
    assert not column or any(column[1] in message for message in messages), (column, messages)


ROOT = Path(__file__).parents[3]
CITED = re.compile(r"(sync|serve|search|schedule|as-of|precedence)(-[a-z]+)+$")
OTHERS = {"sync-herd", "sync-herd-size", "sync-running"}
"""Ids of rules, settings and errors, which look alike."""


def cited(path: Path) -> set[str]:
    """The ids of assumptions that a module has as texts of their own."""
    text = path.read_text(encoding="utf-8")
    if not re.search(CITED.pattern.removesuffix("$"), text):
        return set()
    nodes = ast.walk(ast.parse(text))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in texts if CITED.match(text)} - OTHERS


def test_every_assumption_that_is_cited_has_a_row() -> None:
    page = (ROOT / "docs" / "assumptions.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| ([a-z-]+) \|", page, re.MULTILINE))
    modules = sorted((ROOT / "src" / "trialrun" / "runtime").rglob("*.py"))
    found = {id for path in modules for id in cited(path)}
    assert len(found) > 10
    assert found - rows == set()
