"""The page about other programs says of trialrun, and of the engine that trialrun runs, what they do."""

import json
import math
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from trialrun.parser import parse
from trialrun.values import int64, label, language_tag
from trialrun.values.cel import CelError, build_schema, check_expression, compile

PAGE = Path(__file__).parent.parent / "docs/other-programs.md"
CELLS = [
    [cell.strip() for cell in line.replace("\\|", "¦").strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ")
]
ROWS = {cells[0]: cells for cells in CELLS}
REFUSED = "refused"
Case = tuple[str, Sequence[Any]]
"""What a row is about, in words, and what programs are given."""

LATER = " > timestamp('2016-01-01T00:00:00Z')"
CONDITIONS: list[Case] = [
    ("a double above an int", ("x > 20", {"x": 21.5})),
    ("a double equal to an int", ("x == 20", {"x": 20.0})),
    ("an int above a double", ("n > 2.5", {"n": 3})),
    ("a double above a double", ("x > 20.0", {"x": 21.5})),
    ("a large double as text", ("string(1000000.0)", {})),
    ("a very large double as text", ("string(1e21)", {})),
    ("a whole double as text", ("string(5.0)", {})),
    ("a small double as text", ("string(1e-7)", {})),
    ("negative zero as text", ("string(-0.0)", {})),
    ("a duration as text", ("string(duration('90s'))", {})),
    ("a duration with a fraction", ("string(duration('1h30m0.5s'))", {})),
    ("a timestamp as text", ("string(timestamp('2026-12-01T02:00:00+02:00'))", {})),
    ("a digit of another script", (r"'٣'.matches(r'^\d$')", {})),
    ("a letter of another script", (r"'é'.matches(r'^\w$')", {})),
    ("another blank", ("'\u00a0'.matches(r'^\\s$')", {})),
    ("a word boundary", (r"'éa'.matches(r'\ba')", {})),
    ("a pattern that ignores case", ("'A'.matches('(?i)a')", {})),
    ("a rounded double", ("'%.2f'.format([2.345])", {})),
    ("an extension", ("'A'.lowerAscii()", {})),
    ("a lower-case timestamp", (f"timestamp('2026-12-01t00:00:00z'){LATER}", {})),
    ("a leap second", (f"timestamp('2016-12-31T23:59:60Z'){LATER}", {})),
    ("ten digits of a second", (f"timestamp('2026-12-01T00:00:00.1234567890Z'){LATER}", {})),
    ("an offset without a colon", (f"timestamp('2026-12-01T00:00:00+0100'){LATER}", {})),
    ("a timestamp with a blank", (f"timestamp('2026-12-01 00:00:00Z'){LATER}", {})),
    ("the hour in a zone", ("timestamp('2026-12-01T00:00:00Z').getHours('America/New_York')", {})),
    ("the length of a text", ("size('é')", {})),
    ("a text as bool", ("bool('1')", {})),
    ("a duration in days", ("duration('1d') > duration('1h')", {})),
]
YAML: list[Case] = [
    ("U+0085 in a plain text", ["a: x\u0085y\n"]),
    ("U+0085 in quotes", ["a: 'x\u0085y'\n"]),
    ("U+0085 in a literal text", ["a: |\n  x\u0085y\n"]),
    ("U+0085 in a key", ["x\u0085y: 1\n"]),
    ("U+0085 in a comment", ["a: 1 # x\u0085y\n"]),
    ("U+2028 in a plain text", ["a: x\u2028y\n"]),
    ("U+2028 in quotes", ["a: 'x\u2028y'\n"]),
    ("U+2028 in a comment", ["a: 1 # x\u2028y\n"]),
    ("U+2029 before a key", ["a: 1\u2029b: 2\n"]),
    ("a tab in a plain text", ["a: x\ty\n"]),
    ("an equals sign", ["a: =\n"]),
    ("the sign of a merge", ["a: <<\n"]),
    ("a float without a dot", ["a: 5e-05\n"]),
    ("a float with one", ["a: 5.0e-05\n"]),
    ("the word no", ["a: no\n"]),
    ("a number with a leading zero", ["a: 012\n"]),
    ("a number with an underscore", ["a: 1_000\n"]),
    ("a time of day", ["a: 12:30\n"]),
    ("a date", ["a: 2026-01-02\n"]),
]
TOML: list[Case] = [
    ("a time without seconds", ["a = 10:00\n"]),
    ("an instant without seconds", ["a = 2026-11-28T10:00Z\n"]),
    ("the escape of a terminal", ['a = "\\e"\n']),
    ("a line break in an inline table", ["a = {b = 1,\n c = 2}\n"]),
    ("a trailing comma in one", ["a = {b = 1,}\n"]),
    ("seven digits of a second", ["a = 07:32:00.9999999\n"]),
]
JSON: list[Case] = [
    ("an id above 2^53", ["9007199254740993"]),
    ("an id that was a float", ["1.234567890123457e+18"]),
    ("an exponent", ["1e3"]),
    ("NaN", ["NaN"]),
]
SCHEMAS: list[Case] = [
    ("`\\s` and U+0085", [{"pattern": r"^\s$"}, "\u0085"]),
    ("`\\s` and U+FEFF", [{"pattern": r"^\s$"}, "\ufeff"]),
    ("`\\s` and U+001C", [{"pattern": r"^\s$"}, "\u001c"]),
    ("`$` before a line break", [{"pattern": "^a$"}, "a\n"]),
    ("a whole float as an integer", [{"type": "integer"}, 5.0]),
]
LANGUAGES: list[Case] = [
    ("an extended language", ["zh-cmn-Hans"]),
    ("another extended language", ["ar-arb"]),
    ("a grandfathered tag", ["zh-min-nan"]),
    ("a deprecated language", ["iw"]),
    ("a region of the registry", ["en-CQ"]),
    ("two variants that became one", ["ja-Latn-hepburn-heploc"]),
    ("an underscore", ["pt_BR"]),
]
LABELS: list[Case] = [
    ("a letter and its accent", ["e\u0301"]),
    ("a letter that is excluded from composition", ["\ufb33"]),
    ("a letter of another script that is excluded", ["\u0958"]),
    ("a second code point of an ideograph", ["\uf900"]),
]
TABLES = {
    "conditions": CONDITIONS,
    "yaml": YAML,
    "toml": TOML,
    "json": JSON,
    "schemas": SCHEMAS,
    "languages": LANGUAGES,
    "labels": LABELS,
}


@pytest.mark.parametrize("table", TABLES)
def test_where_trialrun_stands(table: str) -> None:
    expected = {words: own_answer(table, case) for words, case in TABLES[table]}
    assert {words: ROWS[words][-1] for words in expected} == expected


def test_what_the_reference_engine_answers() -> None:
    answers = {words: by_reference_engine(*case) for words, case in CONDITIONS}
    assert {words: ROWS[words][2].strip("`") for words in answers} == answers


def by_reference_engine(text: str, variables: Mapping[str, Any]) -> str:
    """The value of a condition to the reference engine, as it comes but for the extension of texts."""
    from cel_expr_python import cel  # type: ignore[import-untyped]

    types = {name: cel.Type.DOUBLE if name == "x" else cel.Type.INT for name in variables}
    environment = cel.NewEnv(config=cel.NewEnvConfigFromYaml("name: x\nextensions: [{name: strings}]"), variables=types)
    try:
        value = environment.compile(text).eval(data=variables)
    except Exception:  # noqa: BLE001 - whatever it says, it refuses
        return REFUSED
    return REFUSED if value.type().name() == "ERROR" else shown(value.value())


def shown(value: object) -> str:
    """A value as the tables show it: JSON, with the kinds of numbers apart."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case bool() | int() | float() | str() | list() | dict():
            return json.dumps(value, ensure_ascii=False, default=str)
    return json.dumps(str(value), ensure_ascii=False)


def own_answer(table: str, case: Sequence[Any]) -> str:
    """What trialrun makes of a case: the value that it reads, and the rule that speaks of it."""
    if table == "schemas":
        return "not used" if "pattern" in case[0] else "`true`"
    answers: dict[str, Callable[..., str]] = {
        "conditions": _own_condition,
        "yaml": _own_yaml,
        "toml": _own_toml,
        "json": _own_number,
        "labels": _own_label,
        "languages": _own_language,
    }
    return answers[table](*case)


def _own_condition(text: str, variables: Mapping[str, Any]) -> str:
    schema = build_schema({}, {"x": "double", "n": "int"})
    checked = check_expression(text, schema=schema, result="dyn", extensions=frozenset())
    if checked.problems:
        return "error `cel-type`"
    rule = "note `cel-portability`" if checked.portability else "warning `cel-extension`" * bool(checked.extension_uses)
    try:
        value = shown(compile(text, schema=schema, result="dyn").evaluate(variables))
    except CelError:
        value = REFUSED
    return f"{code(value)}, {rule}" if rule else code(value)


def _own_yaml(text: str) -> str:
    tree = parse(text.encode(), "a.yaml")
    rules = sorted({f"`{error.rule}`" for error in tree.errors})
    return ", ".join([code(shown(tree.documents[0].value)), *rules])


def _own_toml(text: str) -> str:
    try:
        return code(shown(tomllib.loads(text)["a"]))
    except tomllib.TOMLDecodeError:
        return "an error that names TOML 1.0"


def _own_number(text: str) -> str:
    tree = parse(text.encode(), "a.json")
    read = int64.check(tree.documents[0].value) if tree.documents and not tree.errors else None
    if not isinstance(read, int64.Integer):
        return "error"
    fix = "no safe fix" if read.may_lack_digits else "safe fix"
    return f"`{read.value}`, `non-canonical-form` with {fix}"


def _own_language(tag: str) -> str:
    names = {"non-canonical": "`non-canonical-language-tag`", "invalid": "`invalid-language-tag`"}
    rules = sorted({names.get(problem.code, "`suspicious-language-tag`") for problem in language_tag.check(tag)})
    canonical = language_tag.canonicalize(tag)
    return ", ".join([code(shown(canonical)) if canonical else REFUSED, *rules])


def _own_label(text: str) -> str:
    replaced = [problem.replacement for problem in label.check(text, what="value") if problem.replacement]
    return f"{code(shown(replaced[0]))}, `unportable-label`" if replaced else code(shown(text))


def code(text: str) -> str:
    escaped = "".join(char if char.isprintable() and not _is_marked(char) else f"\\u{ord(char):04x}" for char in text)
    return f"`{escaped}`" if text != REFUSED else text


def _is_marked(char: str) -> bool:
    """Whether a character is shown by its code point: a blank, a mark, or one that normalization replaces."""
    return char == "\u00a0" or unicodedata.category(char) == "Mn" or unicodedata.normalize("NFC", char) != char
