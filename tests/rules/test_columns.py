"""Views and feature groups, and the columns of the tables that a workspace declares."""

from itertools import product

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import judged, told
from trialrun.diagnostic import Severity

VIEW = "projects/p/locations/l/featureOnlineStores/s/featureViews"
MENU = "bq://p.d.menu"
COLUMNS = (
    "[{name: id, type: STRING}, {name: kind, type: STRING}, {name: vector, type: FLOAT, mode: REPEATED}, "
    "{name: feature_timestamp, type: TIMESTAMP}]"
)


def source(columns: str | None = COLUMNS, uri: str = MENU, more: str = "files: menu.parquet") -> tuple[str, str]:
    declared = f", columns: {columns}" if columns is not None else ""
    return ("sources.yaml", f"{{kind: Source, uri: {uri!r}, {more}{declared}}}")


def view(fields: str, name: str = "v") -> tuple[str, str]:
    return (f"{name}.yaml", f"{{kind: FeatureView, name: {VIEW}/{name}, {fields}}}")


def warehouse(ids: str = "[id]", uri: str = MENU, more: str = "") -> tuple[str, str]:
    return view(f"warehouseSource: {{uri: {uri!r}, entityIdColumns: {ids}}}{more}")


def group(fields: str, ids: str = "[id]") -> tuple[str, str]:
    return (
        "groups.yaml",
        f"{{kind: FeatureGroupTable, featureGroupId: g, uri: {MENU!r}, entityIdColumns: {ids}, {fields}}}",
    )


@each_of(
    [
        (warehouse(), []),
        (warehouse("[id, ID, nr]"), ["/warehouseSource/entityIdColumns/1", "/warehouseSource/entityIdColumns/2"]),
        (warehouse("[7, nr]"), ["/warehouseSource/entityIdColumns/1"]),
        (warehouse(more=", indexConfig: {embeddingColumn: vectors}"), ["/indexConfig/embeddingColumn"]),
        (warehouse(more=", vectorSearchConfig: {crowdingColumn: c}"), ["/vectorSearchConfig/crowdingColumn"]),
        (warehouse(more=", index_config: {filter_columns: [kind, c]}"), ["/index_config/filter_columns/1"]),
        (view(f"ragSource: {{uri: {MENU!r}}}, indexConfig: {{embeddingColumn: e}}"), ["/indexConfig/embeddingColumn"]),
        (group("features: [{id: kind}, {id: a}, {id: b, column: c}]"), ["/features/1/id", "/features/2/column"]),
        (group("features: [{id: a, column: kind}], timestampColumn: at"), ["/timestampColumn"]),
        (group("features: [{id: a, column: 7}]"), []),
        (group("features: [{id: kind}]", "[id, nr]"), ["/entityIdColumns/1"]),
    ]
)
def test_every_field_that_names_a_column_is_compared(document: tuple[str, str], pointers: list[str]) -> None:
    assert [finding.pointer for finding in judged("unknown-column", [source(), document])] == pointers


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("Vector", 'did you mean "vector"?'),
        ("vectro", 'did you mean "vector"?'),
        ("price", 'it has "id", "kind", "vector", "feature_timestamp"'),
    ],
)
def test_the_column_that_was_meant_is_named(name: str, end: str) -> None:
    assert told("unknown-column", [source(), warehouse(f"[{name}]")]) == [
        f'v.yaml:1 there is no column "{name}" in "{MENU}"; {end}'
    ]


def test_of_many_columns_the_first_are_named() -> None:
    columns = ", ".join(f"{{name: c{at}, type: STRING}}" for at in range(9))
    found = told("unknown-column", [source(f"[{columns}]"), warehouse("[price]")])
    assert found[0].endswith('it has "c0", "c1", "c2", "c3", "c4", "c5" and 3 more')


def test_the_timestamp_column_of_a_source_is_one_of_its_own() -> None:
    found = judged("unknown-column", [source(more="files: menu.parquet, timestampColumn: at")])
    assert [finding.pointer for finding in found] == ["/timestampColumn"]


@pytest.mark.parametrize(
    ("index", "pointers"),
    [
        ("{embeddingColumn: vector, filterColumns: [kind, id]}", []),
        ("{embeddingColumn: vec, filterColumns: [kind, nr]}", ["/embeddingColumn", "/filterColumns/1"]),
    ],
)
def test_a_view_of_feature_groups_has_its_features_for_columns(index: str, pointers: list[str]) -> None:
    taken = "featureRegistrySource: {featureGroups: [{featureGroupId: g, featureIds: [vector, kind]}]}"
    files = [source(), group("features: [{id: vector}, {id: kind}]"), view(f"{taken}, indexConfig: {index}")]
    found = judged("unknown-column", files)
    assert [finding.pointer.removeprefix("/indexConfig") for finding in found] == pointers


@each_of(
    [
        (group("features: [{id: kind}]"), "[vector, kind]", True),
        (group("features: [{id: kind}]"), "[vector, 7]", False),
        (group("features: [{id: kind}]", "[id, 7]"), "[vector, kind]", False),
        (("none.yaml", "[]"), "[vector, kind]", False),
    ]
)
def test_what_is_not_clear_of_a_group_may_be_the_column(
    declared: tuple[str, str], features: str, is_told: bool
) -> None:
    taken = f"featureRegistrySource: {{featureGroups: [{{featureGroupId: g, featureIds: {features}}}]}}"
    files = [source(), declared, view(f"{taken}, indexConfig: {{embeddingColumn: vec}}")]
    assert bool(told("unknown-column", files)) == is_told


def test_of_a_view_with_two_sources_the_table_of_the_index_is_not_clear() -> None:
    both = f"warehouseSource: {{uri: {MENU!r}, entityIdColumns: [id]}}, ragSource: {{uri: {MENU!r}}}"
    assert told("unknown-column", [source(), view(f"{both}, indexConfig: {{embeddingColumn: e}}")]) == []


def test_a_half_read_source_may_have_the_column() -> None:
    half_read = (
        "sources.yaml",
        f"kind: Source\nuri: {MENU}\ncolumns:\n- {{name: id, type: STRING}}\n- {{name: [nr}}\n",
    )
    assert told("unknown-column", [half_read, warehouse("[nr]")]) == []


def test_a_group_without_a_timestamp_column_needs_the_usual_one() -> None:
    files = [source("[{name: id, type: STRING}, {name: at, type: TIMESTAMP}]"), group("features: [{id: at}]")]
    assert told("unknown-column", files) == [
        f'groups.yaml:1 there is no column "feature_timestamp" in "{MENU}", '
        "which holds the timestamp where no timestampColumn is set; set it"
    ]
    assert told("unknown-column", [files[0], group("features: [{id: at}], timestampColumn: at")]) == []


@pytest.mark.parametrize(("type_", "is_told"), [("TIMESTAMP", False), ("TIMESTAMPTZ", False), ("INT64", True)])
def test_a_timestamp_column_is_a_timestamp(type_: str, is_told: bool) -> None:
    declared = f"[{{name: id, type: STRING}}, {{name: at, type: {type_}}}, {{name: feature_timestamp, type: {type_}}}]"
    files = [
        source(declared, more="files: menu.parquet, timestampColumn: at"),
        group("features: [{id: id}], timestampColumn: at"),
        ("usual.yaml", group("features: [{id: id}]")[1]),
    ]
    found = [(finding.path, finding.pointer) for finding in judged("column-type", files)]
    told_at = [("groups.yaml", "/timestampColumn"), ("sources.yaml", "/timestampColumn"), ("usual.yaml", "/uri")]
    assert found == (told_at if is_told else [])


@each_of(
    product(
        ["unknown-column", "rag-columns"],
        ["7", "[{name: id, type: STRING}, 7]", "[{name: id, type: STRING}, {name: 7, type: STRING}]"],
    )
)
def test_a_table_whose_columns_are_not_clear_may_have_the_column(rule: str, columns: str) -> None:
    assert told(rule, [source(columns), warehouse("[nr]"), view(f"ragSource: {{uri: {MENU!r}}}")]) == []


def test_without_any_source_nothing_is_told() -> None:
    assert told("unknown-column", [warehouse("[nr]"), group("features: [{id: a}]")]) == []


def test_a_uri_that_no_source_declares_is_noted_once_where_it_is_first_named() -> None:
    other = "bq://p.d.guests"
    files = [source(), warehouse(uri=other), view(f"ragSource: {{uri: {other!r}}}", "w")]
    found = judged("unknown-column", files)
    assert [(finding.path, finding.pointer, finding.severity) for finding in found] == [
        ("v.yaml", "/warehouseSource/uri", Severity.NOTE)
    ]
    assert (
        found[0].message
        == f'no Source declares "{other}", so its columns are not checked; declare it to have them checked'
    )


def test_a_uri_that_is_nearly_declared_is_named() -> None:
    found = told("unknown-column", [source(), warehouse(uri="bq://p.d.Menu")])
    assert found[0].endswith(f'did you mean "{MENU}"?')


def test_a_source_whose_uri_is_not_clear_may_be_the_one() -> None:
    files = [source(), ("other.yaml", "{kind: Source, uri: 7, files: a.csv}"), warehouse(uri="bq://p.d.guests")]
    assert told("unknown-column", files) == []


def test_of_two_sources_of_one_uri_the_first_counts_and_the_other_is_noted() -> None:
    later = ("third.yaml", source("[{name: nr, type: STRING}]")[1])
    found = judged("unknown-column", [source(), later, warehouse("[nr]")])
    assert [(finding.path, finding.severity) for finding in found] == [
        ("third.yaml", Severity.NOTE),
        ("v.yaml", Severity.ERROR),
    ]


@each_of(
    [
        ("STRING", False),
        ("text", False),
        ("INT64", False),
        ("VARCHAR(20)", False),
        ("DATE", True),
        ("FLOAT", True),
        ("BOOL", True),
        ("TIMESTAMP", True),
        ("NUMERIC(10, 2)", True),
        ("STRING[]", True),
        ("STRNIG", False),
    ]
)
def test_an_entity_id_is_text_or_an_integer(type_: str, is_told: bool) -> None:
    files = [source(f'[{{name: id, type: "{type_}"}}]'), warehouse(), group("features: [{id: id}]")]
    found = [finding.pointer for finding in judged("column-type", files) if "entity id" in finding.message]
    assert found == (["/entityIdColumns/0", "/warehouseSource/entityIdColumns/0"] if is_told else [])


@each_of(
    [
        ("type: FLOAT, mode: REPEATED", None),
        ('type: "FLOAT64[]"', None),
        ('type: "FLOAT[768]"', None),
        ('type: "FLOAT[512]"', 'the embedding column "e" has 512 dimensions, and embeddingDimension is 768'),
        ("type: INT64, mode: REPEATED", 'the embedding column "e" is INT64 REPEATED; it must be a list of floats'),
        ("type: FLOAT", 'the embedding column "e" is FLOAT; it must be a list of floats'),
        ('type: "FLOAT[][]"', 'the embedding column "e" is FLOAT[][]; it must be a list of floats'),
    ]
)
def test_an_embedding_is_a_list_of_floats_of_its_dimension(column: str, wrong: str | None) -> None:
    declared = f"[{{name: id, type: STRING}}, {{name: e, {column}}}]"
    index = ", indexConfig: {embeddingColumn: e, embeddingDimension: 768}"
    found = told("column-type", [source(declared), warehouse(more=index)])
    assert [finding.partition(" ")[2].partition("; correct")[0] for finding in found] == ([wrong] if wrong else [])


@each_of([("STRING", False), ("STRING[]", False), ("FLOAT", False), ("DATE", True), ("STRNIG", False)])
def test_a_column_that_is_filtered_by_can_be_a_feature(type_: str, is_told: bool) -> None:
    declared = f'[{{name: id, type: STRING}}, {{name: c, type: "{type_}"}}]'
    index = ", indexConfig: {filterColumns: [c], crowdingColumn: c}"
    found = judged("column-type", [source(declared), warehouse(more=index)])
    at = [(finding.pointer, finding.severity) for finding in found if finding.path == "v.yaml"]
    wrong = ["/indexConfig/filterColumns/0", "/indexConfig/crowdingColumn"]
    assert sorted(at) == sorted((pointer, Severity.ERROR) for pointer in wrong if is_told)


@pytest.mark.parametrize(
    ("written", "end"),
    [
        ("STRNG", 'did you mean "STRING"?'),
        ("flaot64", 'did you mean "FLOAT64"?'),
        ("words", "write a type such as STRING, INT64 or FLOAT"),
    ],
)
def test_a_type_that_no_table_has_is_a_warning(written: str, end: str) -> None:
    found = judged("column-type", [source(f"[{{name: id, type: {written}}}]")])
    assert [(finding.pointer, finding.severity, finding.message) for finding in found] == [
        ("/columns/0/type", Severity.WARNING, f'unknown type "{written}"; {end}')
    ]


@each_of(["DATE", "numeric(10, 2)", "STRUCT<a INT64>", "ARRAY<STRUCT<a INT64>>", "MAP(VARCHAR, DOUBLE)", "JSON"])
def test_a_type_that_no_feature_has_may_be_declared(written: str) -> None:
    assert told("column-type", [source(f'[{{name: id, type: "{written}"}}]')]) == []


CAMEL, SNAKE = ("corpusId", "fileId", "chunkId"), ("corpus_id", "file_id", "chunk_id")
OTHERS = ("chunk_data_type", "chunk_data", "file_original_uri")


def pages(*names: str, embeddings: str = "{name: embeddings, type: FLOAT, mode: REPEATED}") -> list[tuple[str, str]]:
    texts = ", ".join(f"{{name: {name}, type: STRING}}" for name in names)
    return [source(f"[{texts}, {embeddings}]"), view(f"ragSource: {{uri: {MENU!r}}}")]


@pytest.mark.parametrize("names", [CAMEL, SNAKE, (*CAMEL, "edition"), (*CAMEL, *SNAKE)])
def test_the_seven_columns_of_a_corpus_in_either_spelling_are_right(names: tuple[str, ...]) -> None:
    assert told("rag-columns", pages(*names, *OTHERS)) == []


@each_of(
    [
        (
            ("corpusId", "file_id", "chunkId", *OTHERS),
            "{name: embeddings, type: FLOAT, mode: REPEATED}",
            'it has no "fileId" (but "file_id"); add or rename columns',
        ),
        (
            ("corpusId", "file_id", "chunk_id", *OTHERS),
            "{name: embeddings, type: FLOAT, mode: REPEATED}",
            'it has no "corpus_id" (but "corpusId"); add or rename columns',
        ),
        (
            ("corpusId", "chunkId", "chunkDataType", "chunk_data", "uri"),
            "{name: Embeddings, type: FLOAT, mode: REPEATED}",
            'it has no "fileId", no "chunk_data_type" (but "chunkDataType"), no "embeddings" (but "Embeddings"), '
            'no "file_original_uri"; add or rename columns',
        ),
        (
            (*CAMEL, *OTHERS),
            "{name: embeddings, type: FLOAT}",
            '"embeddings" is FLOAT and must be FLOAT REPEATED; correct the types',
        ),
        (
            (*CAMEL, *OTHERS),
            "{name: embeddings, type: INT64, mode: REPEATED}",
            '"embeddings" is INT64 REPEATED and must be FLOAT REPEATED; correct the types',
        ),
    ]
)
def test_what_a_table_of_a_corpus_lacks_is_told_at_its_uri(names: tuple[str, ...], embeddings: str, wrong: str) -> None:
    found = judged("rag-columns", pages(*names, embeddings=embeddings))
    assert [(finding.pointer, finding.message) for finding in found] == [
        ("/ragSource/uri", f'"{MENU}" is not a table of a corpus: {wrong}')
    ]


def test_the_columns_of_a_corpus_are_no_lists_but_for_the_embeddings() -> None:
    listed = "{name: file_original_uri, type: STRING, mode: REPEATED}, {name: embeddings, type: FLOAT, mode: REPEATED}"
    found = told("rag-columns", pages(*CAMEL, "chunk_data_type", "chunk_data", embeddings=listed))
    assert [finding.partition("corpus: ")[2] for finding in found] == [
        '"file_original_uri" is STRING REPEATED and must be STRING; correct the types'
    ]


def taken(*features: str, project: str = "") -> tuple[str, str]:
    ids = ", ".join(features)
    return view(f"featureRegistrySource: {{{project} featureGroups: [{{featureGroupId: g, featureIds: [{ids}]}}]}}")


@each_of(
    [
        ("[{id: kind}]", []),
        ("[{id: id}, {id: kind}]", ["1/featureIds/0"]),
        ("[{id: guest, column: id}]", ["1/featureIds/1"]),
        ("[{id: id, column: kind}]", []),
    ]
)
def test_a_feature_that_is_the_entity_id_is_told_where_a_view_takes_it(features: str, pointers: list[str]) -> None:
    view_ = ("w.yaml", taken("id", "guest")[1].replace("[{f", "[7, {f"))
    found = judged("entity-id-as-feature", [group(f"features: {features}"), view_])
    assert [finding.pointer.rpartition("Groups/")[2] for finding in found] == pointers


def test_a_feature_that_no_view_takes_is_reported_where_it_is_registered() -> None:
    files = [group("features: [{id: id}, {id: guest, column: id}]"), taken("kind")]
    assert [finding.pointer for finding in judged("entity-id-as-feature", files)] == [
        "/features/0/id",
        "/features/1/column",
    ]


def test_each_view_that_takes_the_entity_id_is_told() -> None:
    other = ("w.yaml", taken("id")[1])
    found = judged("entity-id-as-feature", [group("features: [{id: id}]"), taken("id"), other])
    assert [(finding.path, [near.path for near in finding.related]) for finding in found] == [
        ("v.yaml", ["groups.yaml"]),
        ("w.yaml", ["groups.yaml"]),
    ]


def test_the_group_of_another_project_is_another() -> None:
    files = [group('features: [{id: id}], projectNumber: "7"'), taken("id", project='projectNumber: "8",')]
    assert [finding.path for finding in judged("entity-id-as-feature", files)] == ["groups.yaml"]
