"""Plain scalars by the core schema of YAML 1.2, and the remark where YAML 1.1 reads something else."""

import math
from typing import Any

from tests.cases import each_of
from trialrun.parser import parse

CORE = {
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "nUll": "nUll",
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "FALSE": False,
    "tRue": "tRue",
    "0": 0,
    "-0": 0,
    "12": 12,
    "+12": 12,
    "-12": -12,
    "00": 0,
    "07": 7,
    "12345678901234567890": 12345678901234567890,
    "0x1F": 31,
    "1.5": 1.5,
    ".5": 0.5,
    "5.": 5.0,
    "-.5": -0.5,
    "1.5e+3": 1500.0,
    ".inf": math.inf,
    "-.INF": -math.inf,
    "+.Inf": math.inf,
    ".": ".",
    "+": "+",
    "1.2.3": "1.2.3",
    "10.0.0.1": "10.0.0.1",
    "1e": "1e",
    "0x": "0x",
    "0xg": "0xg",
    "08:30": "08:30",
    "12:75": "12:75",
    "2026-1-2": "2026-1-2",
    "y": "y",
    "n": "n",
    "-foo": "-foo",
    "3d": "3d",
    "9" * 4001: "9" * 4001,
}
AMBIGUOUS = {
    "no": ("no", '"no"'),
    "No": ("No", '"No"'),
    "NO": ("NO", '"NO"'),
    "yes": ("yes", '"yes"'),
    "on": ("on", '"on"'),
    "Off": ("Off", '"Off"'),
    "=": ("=", '"="'),
    "012": (12, "12"),
    "-012": (-12, "-12"),
    "089": (89, "89"),
    "0o14": (12, "12"),
    "0b11": ("0b11", '"0b11"'),
    "1_000": ("1_000", '"1_000"'),
    "0x_1F": ("0x_1F", '"0x_1F"'),
    "+0x1F": ("+0x1F", '"+0x1F"'),
    "12:30": ("12:30", '"12:30"'),
    "12:30:45": ("12:30:45", '"12:30:45"'),
    "1:30.5": ("1:30.5", '"1:30.5"'),
    "2026-01-02": ("2026-01-02", '"2026-01-02"'),
    "2026-01-02T03:04:05Z": ("2026-01-02T03:04:05Z", '"2026-01-02T03:04:05Z"'),
    "2026-01-02 03:04:05 +1": ("2026-01-02 03:04:05 +1", '"2026-01-02 03:04:05 +1"'),
    "1e3": (1000.0, "1000.0"),
    "1.5e3": (1500.0, "1500.0"),
    "5e-05": (5e-05, "5.0e-05"),
    "1e22": (1e22, "1.0e+22"),
    "-1e-7": (-1e-07, "-1.0e-07"),
    "1_0.5": ("1_0.5", '"1_0.5"'),
}


@each_of(CORE.items())
def test_core_schema(text: str, value: Any) -> None:
    tree = parse(f"a: {text}\n".encode(), "a.yaml")
    assert (tree.documents[0].value, type(tree.documents[0].value["a"])) == ({"a": value}, type(value))
    assert tree.errors == []


@each_of(AMBIGUOUS.items())
def test_ambiguous_values(text: str, expected: tuple[Any, str]) -> None:
    tree = parse(f"a: {text}\n".encode(), "a.yaml")
    (trouble,) = tree.errors
    assert (tree.documents[0].value["a"], trouble.replacement) == expected
    assert (trouble.rule, trouble.path, trouble.at_key, trouble.safe) == ("ambiguous-scalar", ("a",), False, True)
    assert (trouble.span.start, trouble.span.end) == (3, 3 + len(text))


@each_of([*AMBIGUOUS])
def test_a_replacement_reads_as_the_same_value_and_is_not_ambiguous(text: str) -> None:
    tree = parse(f"- {text}\n".encode(), "a.yaml")
    again = parse(f"- {tree.errors[0].replacement}\n".encode(), "a.yaml")
    assert (again.documents[0].value, again.errors) == (tree.documents[0].value, [])


@each_of(["no", "012", "12:30", "2026-01-02"])
def test_ambiguous_keys_stay_text(text: str) -> None:
    tree = parse(f"{text}: 1\n".encode(), "a.yaml")
    (trouble,) = tree.errors
    assert tree.documents[0].value == {text: 1}
    assert (trouble.path, trouble.at_key, trouble.replacement) == ((text,), True, f'"{text}"')


@each_of(["'{}'", '"{}"', "|\n  {}", "!!str {}"])
def test_quoted_words_are_text(style: str) -> None:
    tree = parse(f"a: {style.format('no')}\nb: {style.format('012')}\n".encode(), "a.yaml")
    assert [text.strip() for text in tree.documents[0].value.values()] == ["no", "012"]
    assert tree.errors == []


def test_norwegian_is_named() -> None:
    (trouble,) = parse(b"languageCode: no\n", "a.yaml").errors
    assert trouble.message == 'no is false to YAML 1.1 readers, not the language Norwegian; write "no"'


@each_of(
    [
        ("!!int '5'", 5),
        ("!!float 5", 5.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("!!str 5", "5"),
        ("!!seq [1]", [1]),
    ]
)
def test_core_tags(text: str, value: Any) -> None:
    tree = parse(f"a: {text}\n".encode(), "a.yaml")
    assert (tree.documents[0].value["a"], tree.errors) == (value, [])


@each_of(
    [
        ("!order.closed", "!order.closed", '"!order.closed"'),
        ("!order.closed == true", "!order.closed == true", '"!order.closed == true"'),
        ("!x 'quoted'", "quoted", None),
        ("!!int five", "five", None),
        ("!!timestamp 2026-01-02", "2026-01-02", None),
        ("!!python/name:os.system", "", None),
        ("&a !order.closed", "", None),
    ]
)
def test_no_fix_throws_a_tag_away(text: str, value: str, replacement: str | None) -> None:
    tree = parse(f"a: {text}\n".encode(), "a.yaml")
    (trouble,) = tree.errors
    assert (tree.documents[0].value["a"], trouble.rule, trouble.replacement) == (value, "tagged-value", replacement)
    assert (trouble.span.start, trouble.span.end, trouble.safe) == (3, 3 + len(text), False)


def test_tagged_collections_keep_their_values() -> None:
    tree = parse(b"a: !x\n  b: 1\nc: !y [2]\n", "a.yaml")
    assert tree.documents[0].value == {"a": {"b": 1}, "c": [2]}
    assert [(trouble.rule, trouble.path, trouble.replacement) for trouble in tree.errors] == [
        ("tagged-value", ("a",), None),
        ("tagged-value", ("c",), None),
    ]
