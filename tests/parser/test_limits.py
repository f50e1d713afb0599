"""Bombs and random bytes are refused or read in bounded time and memory."""

import random
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from trialrun.parser import ParsedFile, parse

resource = pytest.importorskip("resource")

PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1_200 * 2**20,) * 2)
from trialrun.parser import parse
M = 2**20
laughs = "a: &a [x,x,x,x,x,x,x,x,x]\\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\\n" for i in range(12)
)
data = (%s).encode()
tree = parse(data, sys.argv[1])
print(*sorted({trouble.rule for trouble in tree.errors}), "|", len(tree.documents))
"""
BOMBS = [
    ("'[' * 100_000", "a.yaml", "resource-limit | 0"),
    ("'[' * 100_000 + '\\n---\\na: 1\\n'", "a.yaml", "resource-limit | 1"),
    ("'a: @\\nb: ' + '[' * 5_000", "a.yaml", "resource-limit syntax-error | 0"),
    ("'a: 1\\n---\\nb: ' + '{a: [' * 5_000", "a.yaml", "resource-limit | 1"),
    ("'[' * 99", "a.yaml", "syntax-error | 0"),
    ("'- ' * 100_000", "a.yaml", "resource-limit | 0"),
    ("'{a: ' * 100_000", "a.yaml", "resource-limit | 0"),
    ("'[' * 100 + ']' * 100", "a.yaml", "| 1"),
    ("'[' * 101 + ']' * 101", "a.yaml", "resource-limit | 0"),
    ("laughs", "a.yaml", "resource-limit | 0"),
    ("laughs + '---\\nok: 1\\n'", "a.yaml", "resource-limit | 1"),
    ("'a: &a\\n  b: *a\\n'", "a.yaml", "resource-limit | 0"),
    ("'a: &a {<<: *a}\\n'", "a.yaml", "resource-limit | 0"),
    (
        "'a: &a {' + ','.join(f'k{i}: 1' for i in range(20_000)) + '}\\nl:\\n' + '- <<: *a\\n' * 20_000",
        "a.yaml",
        "resource-limit | 0",
    ),
    ("'x' * (100 * M)", "a.yaml", "resource-limit | 0"),
    ("'a: ' + 'x' * (15 * M)", "a.yaml", "| 1"),
    ("'- a\\n' * 1_100_000", "a.yaml", "resource-limit | 0"),
    ("'---\\n' * M", "a.yaml", "resource-limit | 10000"),
    ("'---\\n@\\n' * 100_000", "a.yaml", "resource-limit syntax-error | 50"),
    ("'a: @' + ' ' * M + 'x'", "a.yaml", "syntax-error | 1"),
    ("'a: \"' + '\\\\\\\\d' * M + '\"'", "a.yaml", "| 1"),
    ("'a: \"' + chr(92) + 'd' * M + '\"'", "a.yaml", "syntax-error | 1"),
    ("'a: ' + '[]' * M", "a.yaml", "syntax-error | 1"),
    ("'[' * 100_000", "a.json", "resource-limit | 0"),
    ("'[' * 101 + ']' * 101", "a.json", "resource-limit | 0"),
    ("'[' * 100 + ']' * 100", "a.json", "| 1"),
    ("'[' + '1,' * (2 * M) + '1]'", "a.json", "resource-limit | 0"),
    ("'{}\\n' * M", "a.json", "resource-limit syntax-error | 10000"),
    ("'[\"' + 'x' * (15 * M)", "a.json", "syntax-error | 1"),
]

TRIED_ALWAYS = {
    "'[' * 100_000",
    "'{a: ' * 100_000",
    "laughs + '---\\nok: 1\\n'",
    "'a: &a {<<: *a}\\n'",
    "'---\\n@\\n' * 100_000",
    "'a: @' + ' ' * M + 'x'",
}
"""One or two of each kind, none of which takes long."""


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        pytest.param(
            text, *rest, id=text[:40] + rest[0], marks=[] if text in TRIED_ALWAYS else [pytest.mark.exhaustive]
        )
        for text, *rest in BOMBS
    ],
)
def test_bombs(text: str, name: str, expected: str) -> None:
    command = [sys.executable, "-c", PROGRAM % text, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.strip(), done.stderr) == (expected, "")


def test_the_size_limit_is_a_keyword() -> None:
    from trialrun.parser import parse

    assert [trouble.rule for trouble in parse(b"a: 12", "a.yaml", max_bytes=4).errors] == ["resource-limit"]
    assert parse(b"a: 12", "a.yaml", max_bytes=5).errors == []


SEED = """\
# trialrun
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
base: &base {cron: "CRON_TZ=UTC 0 5 * * *", on: 012}
labels: {<<: *base, 'it''s': "\\u00e9\\x41"}
list:
- !tag x
- |
  literal

- >-
  folded
   text
---
[a, *base, {b: c}]
...
--- 'text'
"""
JSON = '{"a": [1, -2.5e3, true, null], "b": {"c": "\\u00e9\\ud83c\\udf54", "c": "x"}} '
PIECES = [
    "\t",
    "\0",
    "'",
    '"',
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "*a",
    "&a",
    "!",
    "|",
    ">",
    "#",
    "%",
    "@",
    "---\n",
    "<<: ",
    "\\",
    "\xff",
    "\ufeff",
]


def is_sound(tree: ParsedFile) -> bool:
    spans = [span for trouble in tree.errors for span in (trouble.span, *trouble.related)]
    for document in tree.documents:
        spans += [document.span(()), document.first_key_span(()), document.scalar_span((), 0, 3)]
        for key, span in document.key_spans(()):
            spans += [
                span,
                document.span((key,)),
                document.key_text_span((key,), 0, 1),
                document.scalar_span((key,), 1, 2),
            ]
    return all(0 <= span.start <= span.end <= len(tree.source.text) for span in spans)


@settings(max_examples=number_of_cases(300), deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.yaml", "a.json", "-"]))
@example(b"\xff\xfe\x00", "a.yaml")
@example(b"&a", "a.yaml")
@example(b"*a : &a\n", "a.yaml")
def test_any_bytes(data: bytes, name: str) -> None:
    assert is_sound(parse(data, name))


@settings(max_examples=number_of_cases(600), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([("a.yaml", SEED), ("a.json", JSON)]), st.integers(1, 6))
def test_mutated_files(seed: int, file: tuple[str, str], changes: int) -> None:
    name, text = file
    rnd = random.Random(seed)
    for _ in range(changes):
        start = rnd.randrange(len(text) + 1)
        text = text[:start] + rnd.choice([*PIECES, ""]) + text[start + rnd.choice([0, 1, 5]) :]
    assert is_sound(parse(text.encode("latin-1" if rnd.random() < 0.05 and text.isascii() else "utf-8"), name))
