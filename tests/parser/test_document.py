"""Duplicates, merge keys, aliases, streams of documents, and the places that they have."""

from typing import Any

from tests.cases import each_of
from trialrun.parser import ParsedFile, parse
from trialrun.text import Span


def yaml(text: str) -> ParsedFile:
    return parse(text.encode(), "a.yaml")


def text_at(tree: ParsedFile, span: Span | None) -> str | None:
    return None if span is None else tree.source.text[span.start : span.end]


VALUES = {
    "a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}\n": {"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}},
    "a: &x {b: 1}\nd: {b: 3, <<: *x}\n": {"a": {"b": 1}, "d": {"b": 3}},
    "a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne: {<<: [*x, *y]}\n": {
        "a": {"b": 1},
        "c": {"b": 2, "d": 3},
        "e": {"b": 1, "d": 3},
    },
    "a: &x {b: 1}\nc: &y {b: 2}\ne:\n  <<: *x\n  <<: *y\n": {"a": {"b": 1}, "c": {"b": 2}, "e": {"b": 1}},
    "a: {<<: {b: 1}}\n": {"a": {"b": 1}},
    "a: {'<<': {b: 1}}\n": {"a": {"<<": {"b": 1}}},
    "a: &x 5\nb: *x\n": {"a": 5, "b": 5},
    "&x k: 1\nb: *x\n": {"k": 1, "b": "k"},
    "1: a\n": {"1": "a"},
    "&x 012: 1\nb: *x\n*x : 2\n": {"012": 2, "b": 12},
    "? a\n: b\n": {"a": "b"},
    "? \n: b\n": {"": "b"},
    "a:\n- b\n": {"a": ["b"]},
}


@each_of(VALUES.items())
def test_values(text: str, value: Any) -> None:
    tree = yaml(text)
    assert [document.value for document in tree.documents] == [value]
    assert {trouble.rule for trouble in tree.errors} <= {"ambiguous-scalar", "duplicate-key"}


def test_a_duplicate_points_at_the_later_key_and_keeps_the_last_value() -> None:
    tree = yaml("a: 1\nb:\n  c: 1\n  'c': 2\n")
    (trouble,) = tree.errors
    assert (trouble.rule, trouble.path, trouble.at_key) == ("duplicate-key", ("b", "c"), True)
    assert (text_at(tree, trouble.span), [text_at(tree, span) for span in trouble.related]) == ("'c'", ["c"])
    assert tree.documents[0].value["b"] == {"c": 2}
    assert text_at(tree, tree.documents[0].span(("b", "c"))) == "2"


def test_an_explicit_key_over_a_merged_one_is_no_duplicate() -> None:
    assert yaml("a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n").errors == []


MERGED_TWICE = {
    "z:\n  <<: *x\n  <<: *y\n  n: 1\n": "z:\n  <<: [*x, *y]\n  n: 1\n",
    "z:\n  - <<: *x # one\n    n: 1\n    # two\n    <<: *y\n": "z:\n  - <<: [*x, *y] # one\n    n: 1\n    # two\n",
    "z: {<<: *x, <<: *y, n: 1}\n": "z: {<<: [*x, *y], n: 1}\n",
    "z: {<<: *x, n: 1, <<: *y}\n": "z: {<<: [*x, *y], n: 1}\n",
    "z:\n  <<: [*x]\n  <<: [{m: 1}, *y]\n": "z:\n  <<: [*x, {m: 1}, *y]\n",
    "z:\n  <<: *x\n  <<: *y\n  cron: */5\n": "z:\n  <<: [*x, *y]\n  cron: */5\n",
    "z:\n  <<:\n    b: 1\n  <<: *y\n": None,
}


@each_of([*MERGED_TWICE])
def test_a_second_merge_key_is_a_duplicate_and_one_with_both_values_means_the_same(text: str) -> None:
    tree, fixed = yaml(SHARED + text), MERGED_TWICE[text]
    trouble = next(error for error in tree.errors if error.rule == "duplicate-key")
    assert (text_at(tree, trouble.span), [text_at(tree, span) for span in trouble.related]) == ("<<", ["<<"])
    assert trouble.message.endswith("write <<: [*a, *b]" if fixed is None else text_of_list(fixed))
    assert (trouble.replacement is None) == (fixed is None)
    if trouble.replaced and fixed is not None:
        old = tree.source.text
        new = old[: trouble.replaced.start] + (trouble.replacement or "") + old[trouble.replaced.end :]
        assert new == SHARED + fixed
        assert yaml(new).documents[0].value == tree.documents[0].value


def text_of_list(fixed: str) -> str:
    """What is written behind the merge key."""
    return "<<: " + fixed[fixed.index("[") : fixed.index("]") + 1]


SHARED = "x: &x {b: 1, c: 1}\ny: &y {b: 2, d: 2}\n"


def test_two_explicit_keys_beside_a_merge_are_duplicates() -> None:
    assert [trouble.rule for trouble in yaml("a: &x {b: 1}\nc:\n  b: 2\n  <<: *x\n  b: 3\n").errors] == [
        "duplicate-key"
    ]


def test_a_merge_of_no_mapping_is_told() -> None:
    tree = yaml("a: {<<: 5, b: 1}\nc: {<<: [1]}\n")
    assert [(trouble.rule, text_at(tree, trouble.span)) for trouble in tree.errors] == [
        ("syntax-error", "5"),
        ("syntax-error", "1"),
    ]
    assert tree.documents[0].value == {"a": {"b": 1}, "c": {}}


def test_aliases_and_merges_point_at_the_anchor() -> None:
    tree = yaml("a: &x {b: one}\nc:\n  <<: *x\nd: *x\ne: [*x]\n")
    document = tree.documents[0]
    for path in (("c", "b"), ("d", "b"), ("e", 0, "b")):
        assert (text_at(tree, document.span(path)), text_at(tree, document.key_span(path))) == ("one", "b")
        assert document.is_aliased(path)
    assert text_at(tree, document.span(("d",))) == "{b: one}"
    assert text_at(tree, document.key_span(("d",))) == "d"
    assert not document.is_aliased(("a", "b"))
    assert not document.is_aliased(("c",))


def test_first_keys() -> None:
    tree = yaml("# note\nfirst: 1\nlist:\n- x: 1\n  y: 2\n- {}\n- z\n---\n--- []\n")
    document, empty, items = tree.documents
    assert text_at(tree, document.first_key_span(())) == "first"
    assert text_at(tree, document.first_key_span(("list", 0))) == "x"
    assert text_at(tree, document.first_key_span(("list", 1))) == "{}"
    assert text_at(tree, document.first_key_span(("list", 2))) == "z"
    assert text_at(tree, empty.first_key_span(())) == "-"
    assert text_at(tree, items.first_key_span(())) == "[]"


def test_block_collections_end_at_their_last_child() -> None:
    tree = yaml("a:\n  b: 1\n\n# far\nc:\n- 1\n-\n\n\nd:\n")
    document = tree.documents[0]
    assert text_at(tree, document.span(("a",))) == "b: 1"
    assert text_at(tree, document.span(("c",))) == "- 1\n-"
    assert text_at(tree, document.span(("c", 1))) == ""
    assert text_at(tree, document.span(())) == tree.source.text[:-1]


def test_anchors_and_tags_are_no_part_of_a_span() -> None:
    tree = yaml("a: &x !!str 5\nb: &y\n  c: 1\nd: !!seq &z [1]\ne: &w\nf: ! g\n")
    document = tree.documents[0]
    assert [text_at(tree, document.span((key,))) for key in "abdef"] == ["5", "c: 1", "[1]", "", "g"]


def test_block_scalars_end_at_their_last_line() -> None:
    tree = yaml("a: |+\n  x\n   y  \n\n\nb: >-\n  z\n")
    assert text_at(tree, tree.documents[0].span(("a",))) == "|+\n  x\n   y  "
    assert text_at(tree, tree.documents[0].span(("b",))) == ">-\n  z"


def test_an_index_past_the_end_of_a_list_is_no_path() -> None:
    tree = yaml("- a\n- b\n")
    document = tree.documents[0]
    assert [document.path_exists((index,)) for index in (-1, 0, 1, 2)] == [False, True, True, False]
    assert text_at(tree, document.span((2,))) == "- a\n- b"


def test_paths_that_do_not_exist_give_the_deepest_part_that_does() -> None:
    tree = yaml("a:\n  b: 1\n")
    document = tree.documents[0]
    assert (document.path_exists(("a", "b")), document.path_exists(("a", "x"))) == (True, False)
    assert text_at(tree, document.key_span(("a", "x", 3))) == "a"


def test_styles() -> None:
    document = yaml("a: b\nc: 'd'\ne: \"f\"\ng: |\n  h\ni: >\n  j\nk: {}\nl:\n- m\n").documents[0]
    styles = [document.style((key,)) for key in "acegikl"]
    assert styles == ["plain", "single", "double", "literal", "folded", "flow", "block"]


STREAMS = {
    "": [],
    "# nothing\n": [],
    "---\n": [None],
    "a\n---\n---\nb\n": ["a", None, "b"],
    "%YAML 1.2\n---\na\n...\n%YAML 1.1\n---\nno\n": ["a", "no"],
    "a\n...\n---\nb\n...\n": ["a", "b"],
    "--- a\n--- b": ["a", "b"],
}


@each_of(STREAMS.items())
def test_streams(text: str, values: list[Any]) -> None:
    documents = yaml(text).documents
    assert [document.value for document in documents] == values
    assert [document.index for document in documents] == list(range(len(values)))


def test_an_indented_root_has_its_places() -> None:
    tree = yaml("  a: 1\n  b:\n    c: x\n---\n  d: e\n")
    assert text_at(tree, tree.documents[0].span(("b", "c"))) == "x"
    assert text_at(tree, tree.documents[1].key_span(("d",))) == "d"
