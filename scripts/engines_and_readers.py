"""Write the tables of docs/other-programs.md about engines of conditions, readers of files, and languages.

    python scripts/engines_and_readers.py

It installs the pinned versions with pip and npm into a temporary folder, runs each of them on each case, and writes
what it answers. `tests/test_other_programs.py` compares what the tables say about trialrun with trialrun.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "other-programs.md"
PYTHON_PACKAGES = {
    "cel-expr-python": "0.1.3",
    "cel-python": "0.5.0",
    "common-expression-language": "0.10.0",
    "PyYAML": "6.0.4",
    "ruamel.yaml": "0.19.1",
    "tomli": "2.5.0",
    "rtoml": "0.14.0",
    "tomlkit": "0.15.2",
    "jsonschema": "4.26.0",
    "jsonschema-rs": "0.61.2",
    "langcodes": "3.5.1",
}
NODE_PACKAGES = {
    "@marcbachmann/cel-js": "8.0.0",
    "@bufbuild/cel": "0.6.1",
    "js-yaml": "5.5.0",
    "yaml": "2.9.1",
    "smol-toml": "1.9.1",
    "@iarna/toml": "3.0.0",
    "ajv": "8.20.0",
}
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
TABLES: Mapping[str, tuple[str, list[Case], tuple[str, ...]]] = {
    "conditions": (
        "Engines of conditions",
        CONDITIONS,
        ("cel-expr-python", "cel-python", "common-expression-language", "@marcbachmann/cel-js", "@bufbuild/cel"),
    ),
    "yaml": ("Readers of YAML, TOML and JSON", YAML, ("PyYAML", "ruamel.yaml", "js-yaml", "yaml")),
    "toml": (
        "Readers of YAML, TOML and JSON",
        TOML,
        ("tomllib", "tomli", "rtoml", "tomlkit", "smol-toml", "@iarna/toml"),
    ),
    "json": ("Readers of YAML, TOML and JSON", JSON, ("json", "node")),
    "schemas": ("Readers of YAML, TOML and JSON", SCHEMAS, ("jsonschema", "jsonschema-rs", "ajv")),
    "languages": ("Languages and labels", LANGUAGES, ("langcodes", "node")),
    "labels": ("Languages and labels", LABELS, ("unicodedata", "node")),
}
"""By name, the heading of the page that a table is under, its cases and its programs."""
WORDS = {
    "conditions": "`x` is a double and `n` an int. Extensions are on where an engine has them.",
    "yaml": "What each reader makes of a document, with its defaults.",
    "toml": "The value of `a`. All but the last text are TOML 1.1, which newer readers take; settings are TOML 1.0.",
    "json": "What a number is once it is read, and as an int64 of a field.",
    "schemas": "Whether a value is valid. The exported schemas of settings avoid the first four.",
    "languages": "The canonical form. No shortening of `zh-CN` leads to `cmn-Hans`: the lookup of RFC 4647 finds no\n"
    "text for customers of `zh` where there is one for `cmn-Hans` alone.",
    "labels": "The normal form (NFC) of a value.",
}


def shown(value: object) -> str:
    """A value as the tables show it: JSON, with the kinds of numbers apart."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case bool() | int() | float() | str() | list() | dict():
            return json.dumps(value, ensure_ascii=False, default=str)
    return json.dumps(str(value), ensure_ascii=False)


def tried(answer: Callable[[Any], object], case: Sequence[Any]) -> str:
    """What a program answers, or that it refuses."""
    try:
        value = answer(case)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return REFUSED
    return REFUSED if value is REFUSED else shown(value)


# ---- the programs of Python, in an environment of their own


def python_answers(cases: Mapping[str, list[Sequence[Any]]]) -> dict[str, list[str]]:
    """The answers of the programs of Python by table and program."""
    return {
        f"{table}/{name}": [tried(answer, case) for case in cases[table]]
        for table, programs in _python_programs().items()
        for name, answer in programs.items()
    }


def _python_programs() -> dict[str, dict[str, Callable[[Any], object]]]:
    import tomllib

    import jsonschema
    import jsonschema_rs
    import langcodes
    import rtoml
    import ruamel.yaml
    import tomli
    import tomlkit
    import yaml

    return {
        "conditions": {
            "cel-expr-python": cel_expr_python,
            "cel-python": _cel_python,
            "common-expression-language": lambda case: __import__("cel").evaluate(*case),
        },
        "yaml": {
            "PyYAML": lambda case: yaml.safe_load(case[0]),
            "ruamel.yaml": lambda case: ruamel.yaml.YAML(typ="safe", pure=True).load(case[0]),
        },
        "toml": {
            "tomllib": lambda case: tomllib.loads(case[0])["a"],
            "tomli": lambda case: tomli.loads(case[0])["a"],
            "rtoml": lambda case: rtoml.loads(case[0])["a"],
            "tomlkit": lambda case: tomlkit.parse(case[0]).unwrap()["a"],
        },
        "json": {"json": lambda case: json.loads(case[0])},
        "schemas": {
            "jsonschema": lambda case: jsonschema.Draft202012Validator(case[0]).is_valid(case[1]),
            "jsonschema-rs": lambda case: jsonschema_rs.Draft202012Validator(case[0]).is_valid(case[1]),
        },
        "languages": {"langcodes": lambda case: langcodes.standardize_tag(case[0])},
        "labels": {"unicodedata": lambda case: unicodedata.normalize("NFC", case[0])},
    }


def cel_expr_python(case: Sequence[Any]) -> object:
    """The value of a condition to the reference engine, as it comes but for the extension of texts."""
    from cel_expr_python import cel  # type: ignore[import-untyped]

    text, variables = case
    types = {name: cel.Type.DOUBLE if name == "x" else cel.Type.INT for name in variables}
    environment = cel.NewEnv(config=cel.NewEnvConfigFromYaml("name: x\nextensions: [{name: strings}]"), variables=types)
    value = environment.compile(text).eval(data=variables)
    return REFUSED if value.type().name() == "ERROR" else value.value()


def _cel_python(case: Sequence[Any]) -> object:
    import celpy
    from celpy.adapter import CELJSONEncoder, json_to_cel

    environment = celpy.Environment()
    values = {name: json_to_cel(value) for name, value in case[1].items()}
    return json.loads(CELJSONEncoder().encode(environment.program(environment.compile(case[0])).evaluate(values)))


# ---- trialrun


def own_answer(table: str, case: Sequence[Any]) -> str:
    """What trialrun makes of a case: the value that it reads, and the rule that speaks of it."""
    match table:
        case "conditions":
            return _own_condition(*case)
        case "yaml":
            return _own_yaml(case[0])
        case "toml":
            return _own_toml(case[0])
        case "json":
            return _own_number(case[0])
        case "schemas":
            return "not used" if "pattern" in case[0] else "`true`"
        case "labels":
            return _own_label(case[0])
    return _own_language(case[0])


def _own_condition(text: str, variables: Mapping[str, Any]) -> str:
    from trialrun.values.cel import CelError, build_schema, check_expression, compile

    schema = build_schema({}, {"x": "double", "n": "int"})
    checked = check_expression(text, schema=schema, result="dyn", extensions=frozenset())
    if checked.problems:
        return "error `cel-type`"
    rule = "note `cel-portability`" if checked.portability else "warning `cel-extension`" * bool(checked.extension_uses)
    try:
        value = shown(compile(text, schema=schema, result="dyn").evaluate(variables))
    except CelError:
        value = REFUSED
    return f"{_code(value)}, {rule}" if rule else _code(value)


def _own_yaml(text: str) -> str:
    from trialrun.parser import parse

    tree = parse(text.encode(), "a.yaml")
    rules = sorted({f"`{error.rule}`" for error in tree.errors})
    return ", ".join([_code(shown(tree.documents[0].value)), *rules])


def _own_toml(text: str) -> str:
    import tomllib

    try:
        return _code(shown(tomllib.loads(text)["a"]))
    except tomllib.TOMLDecodeError:
        return "an error that names TOML 1.0"


def _own_number(text: str) -> str:
    from trialrun.parser import parse
    from trialrun.values import int64

    tree = parse(text.encode(), "a.json")
    read = int64.check(tree.documents[0].value) if tree.documents and not tree.errors else None
    if not isinstance(read, int64.Integer):
        return "error"
    fix = "no safe fix" if read.may_lack_digits else "safe fix"
    return f"`{read.value}`, `non-canonical-form` with {fix}"


def _own_language(tag: str) -> str:
    from trialrun.values.language_tag import canonicalize, check

    names = {"non-canonical": "`non-canonical-language-tag`", "invalid": "`invalid-language-tag`"}
    rules = sorted({names.get(problem.code, "`suspicious-language-tag`") for problem in check(tag)})
    return ", ".join([_code(shown(canonicalize(tag))) if canonicalize(tag) else REFUSED, *rules])


def _own_label(text: str) -> str:
    from trialrun.values.label import check

    replaced = [problem.replacement for problem in check(text, what="value") if problem.replacement]
    return f"{_code(shown(replaced[0]))}, `unportable-label`" if replaced else _code(shown(text))


# ---- the page


def _code(text: str) -> str:
    escaped = "".join(char if char.isprintable() and not _is_marked(char) else f"\\u{ord(char):04x}" for char in text)
    return f"`{escaped}`" if text != REFUSED else text


def _is_marked(char: str) -> bool:
    """Whether a character is shown by its code point: a blank, a mark, or one that normalization replaces."""
    return char == "\u00a0" or unicodedata.category(char) == "Mn" or unicodedata.normalize("NFC", char) != char


def _given(case: Sequence[Any]) -> str:
    first = case[0] if isinstance(case[0], str) else json.dumps([case[0], case[1]])
    return _code(first.rstrip("\n").replace("\n", "⏎")).replace("|", "\\|")


def versions() -> dict[str, str]:
    """The programs with their versions, as in the heads of the tables."""
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip().lstrip("v")
    python = f"of Python {sys.version_info[0]}.{sys.version_info[1]}"
    return {**PYTHON_PACKAGES, **NODE_PACKAGES, "node": node, "tomllib": python, "json": python, "unicodedata": python}


def table_lines(table: str, answers: Mapping[str, list[str]], named: Mapping[str, str]) -> Iterator[str]:
    """One table of the page."""
    _, cases, programs = TABLES[table]
    yield from (WORDS[table], "")
    yield f"| what | text | {' | '.join(f'{name} {named[name]}' for name in programs)} | trialrun |"
    yield "|" + "---|" * (len(programs) + 3)
    for row, (words, case) in enumerate(cases):
        cells = [_code(answers[f"{table}/{name}"][row]).replace("|", "\\|") for name in programs]
        yield f"| {words} | {_given(case)} | {' | '.join(cells)} | {own_answer(table, case)} |"
    yield ""


def page(old: str, answers: Mapping[str, list[str]], named: Mapping[str, str]) -> str:
    """The page with its sections of this script written anew, and the others as they are."""
    head, *sections = re.split(r"^(?=## )", old, flags=re.MULTILINE)
    written = {}
    for table, (heading, _, _) in TABLES.items():
        written.setdefault(heading, [f"## {heading}", ""]).extend(table_lines(table, answers, named))
    kept = [section.partition("\n")[0].removeprefix("## ") for section in sections]
    texts = [
        "\n".join(written[name]) + "\n" if name in written else own for name, own in zip(kept, sections, strict=True)
    ]
    return head + "".join(texts).rstrip("\n") + "\n"


def main() -> None:
    """Install the programs, ask them, and write the page."""
    cases = {table: [case for _, case in cases] for table, (_, cases, _) in TABLES.items()}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", home / "venv"], check=True)
        python = home / "venv" / "bin" / "python"
        pinned = [f"{name}=={version}" for name, version in PYTHON_PACKAGES.items()]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *pinned], check=True)
        (home / "package.json").write_text(json.dumps({"private": True, "dependencies": NODE_PACKAGES}))
        shutil.copy(ROOT / "scripts" / "engines_and_readers.mjs", home)
        subprocess.run(["npm", "install", "--silent", "--ignore-scripts"], cwd=home, check=True)
        answers: dict[str, list[str]] = {}
        for command in ([python, __file__, "--answer"], ["node", "engines_and_readers.mjs"]):
            done = subprocess.run(
                command, cwd=home, input=json.dumps(cases), capture_output=True, text=True, check=True
            )
            answers |= json.loads(done.stdout)
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), answers, versions()), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        print(json.dumps(python_answers(json.load(sys.stdin))))
    else:
        sys.path.insert(0, str(ROOT / "src"))
        main()
