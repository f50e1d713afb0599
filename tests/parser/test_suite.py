"""The YAML test suite: what is valid reads as it says, what is invalid is told; the exceptions are libyaml's."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from trialrun.parser import ParsedFile, parse

SUITE = Path(__file__).parents[3] / "shared" / "cases" / "yaml-test-suite.json"
if not SUITE.exists():
    pytest.skip(f"the YAML test suite is not at {SUITE}", allow_module_level=True)
CASES: list[dict[str, Any]] = json.loads(SUITE.read_text(encoding="utf-8"))["cases"]
VALID = [case for case in CASES if not case.get("error")]
INVALID = [case for case in CASES if case.get("error")]

TAGS_ARE_REFUSED = {"5TYM", "6CK3", "7FWL", "P76L"}
READ_DIFFERENTLY_BY_LIBYAML = {"652Z", "FP8R", "HM87/01", "JEF9/02", "L24T/01", "S4JQ", "Y2GN"}


def is_refused(tree: ParsedFile) -> bool:
    return any(trouble.rule in ("syntax-error", "encoding-error", "resource-limit") for trouble in tree.errors)


def documents_of(text: str) -> list[Any]:
    """The values of a JSON text of zero or more documents."""
    values, decoder, rest = [], json.JSONDecoder(), text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        values.append(value)
        rest = rest[end:].strip()
    return values


@each_of({case["id"]: case for case in VALID if "json" in case})
def test_what_is_read_has_the_right_value(case: dict[str, Any]) -> None:
    tree = parse(case["yaml"].encode(), "a.yaml")
    if not is_refused(tree) and case["id"] not in TAGS_ARE_REFUSED | READ_DIFFERENTLY_BY_LIBYAML:
        assert [document.value for document in tree.documents] == documents_of(case["json"])


def test_how_many_are_right() -> None:
    trees = [(case, parse(case["yaml"].encode(), "a.yaml")) for case in VALID if "json" in case]
    right = [
        case for case, tree in trees if [document.value for document in tree.documents] == documents_of(case["json"])
    ]
    assert len(right) >= 230


def test_how_many_invalid_ones_are_told() -> None:
    assert sum(is_refused(parse(case["yaml"].encode(), "a.yaml")) for case in INVALID) >= 75


@each_of({case["id"]: case for case in CASES})
def test_every_value_has_a_place(case: dict[str, Any]) -> None:
    tree = parse(case["yaml"].encode(), "a.yaml")
    for document in tree.documents:
        assert [path for path in paths(document.value) if not document.path_exists(path)] == []
        assert all(
            0 <= span.start <= span.end <= len(tree.source.text) for span in map(document.span, paths(document.value))
        )


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for step, child in children for deeper in paths(child, (*path, step)))]


@pytest.mark.filterwarnings("ignore::ruamel.yaml.error.ReusedAnchorWarning")
def test_ruamel_agrees() -> None:
    from ruamel.yaml import YAML, YAMLError

    known = {"2XXW", "565N", "FP8R", "J7PZ", "RZT7", "UKK6/02", "Y2GN"}
    differing = set()
    for case in CASES:
        tree = parse(case["yaml"].encode(), "a.yaml")
        if is_refused(tree) or case["id"] in known:
            continue
        try:
            other = with_text_keys(list(YAML(typ="safe", pure=True).load_all(case["yaml"])))
        except (YAMLError, ValueError, NotImplementedError, TypeError):
            continue
        if [document.value for document in tree.documents] != other:
            differing.add(case["id"])
    assert differing == set()


def with_text_keys(value: Any) -> Any:
    """The value with its keys as text, as they are here; an empty key is null to the other reader."""
    if isinstance(value, dict):
        return {"" if key is None else str(key): with_text_keys(child) for key, child in value.items()}
    return [with_text_keys(child) for child in value] if isinstance(value, list) else value
