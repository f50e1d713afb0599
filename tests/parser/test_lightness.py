"""Reading stays light: few imports, no cycles that only the garbage collector could free."""

import gc
import subprocess
import sys

import pytest

from trialrun.parser import ParseError, SourceSlice, parse, spans
from trialrun.parser.nodes import NodeRef

PROGRAM = """
import sys
from trialrun.parser import parse
assert "yaml" not in sys.modules
assert parse(b'{"a": 1, "a": 2}', "a.json").documents[0].span(("a",)).start == 14
assert "yaml" not in sys.modules
"""


def test_json_is_read_without_the_yaml_parser() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)


@pytest.fixture(scope="module")
def few_objects() -> None:
    """Leave what other tests have made out of the garbage collections, which would each look at all of it."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a: &x {b: no}\nc: [*x, {<<: *x}]\n", "a.yaml"),
        ("a: @x\n---\nb: {{ x }}\n---\n}\n", "a.yaml"),
        ("[" * 200, "a.yaml"),
        ('{"a": 1,}', "a.json"),
        ('{"a": @,\n"b": [1 2 3],}', "a.json"),
    ],
)
def test_no_cycles(text: str, name: str, few_objects: None) -> None:
    tree = parse(text.encode(), name)
    gc.collect()
    gc.disable()
    try:
        tree = parse(text.encode(), name)
        for document in tree.documents:
            document.scalar_span((), 0, 1)
        del tree
        assert [thing for thing in unreachable() if type(thing).__module__.startswith(("trialrun", "yaml"))] == []
    finally:
        gc.enable()


def unreachable() -> list[object]:
    """What only the collector can free."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return list(gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


def test_the_parser_of_pure_python_leaves_no_surrogates(monkeypatch: pytest.MonkeyPatch) -> None:
    from yaml import SafeLoader

    from trialrun.parser import events

    monkeypatch.setattr(events, "_parser", SafeLoader)
    assert parse(b'a: "\\ud83c\\udf54 \\ud83c"\n', "a.yaml").documents[0].value == {"a": "🍔 \ufffd"}


def test_the_parser_of_pure_python_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from yaml import SafeLoader

    from trialrun.parser import events

    text = "a: &x 'é🍔'\nb: [*x, \"\\x41\"]  # note\nc: |\n  d\n\ne: no\n---\ncron: @daily\n---\n{{ x }}: 1\n"
    fast = parse(text.encode(), "a.yaml")
    monkeypatch.setattr(events, "_parser", SafeLoader)
    slow = parse(text.encode(), "a.yaml")
    assert [document.value for document in slow.documents] == [document.value for document in fast.documents]
    assert slow.errors == fast.errors
    assert slow.documents[0].scalar_span(("b", 1), 0, 1) == fast.documents[0].scalar_span(("b", 1), 0, 1)


SHARED = "x: &x {a: 1}\ny: &y {b: 2}\n"


@pytest.mark.parametrize(
    ("merge", "message"),
    [
        ("<<: *x", ""),
        ("<<: [*x, *y]", ""),
        (
            "<<: {c: 3}\n  <<: *y",
            "two merge keys in one mapping, of which other readers take one or none; write <<: [{c: 3}, *y]",
        ),
        ("<<: []", ""),
        ("<<: 3", "a merge key must be a mapping or a list of mappings; name one by its anchor"),
        ("<<: [*x, 3]", "a merge key must be a mapping or a list of mappings; name one by its anchor"),
        ("c: 3\n  c: 4", 'duplicate key "c"; remove one of the two'),
    ],
)
def test_places_are_worked_out_only_where_a_merge_is_wrong(
    merge: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed: list[object] = []
    index_yaml = spans.index_yaml

    def counted(part: SourceSlice, document: int = 0) -> tuple[NodeRef, list[ParseError]]:
        indexed.append(part)
        return index_yaml(part, document)

    monkeypatch.setattr(spans, "index_yaml", counted)
    tree = parse(f"{SHARED}z:\n  {merge}\n".encode(), "a.yaml")
    assert [error.message for error in tree.errors] == ([message] if message else [])
    assert bool(indexed) == bool(message)
