"""Any operation on any document: the file reads as meant and stays the same elsewhere, or the fix is refused."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from tests.fix.fix_text import mended
from tests.parser.emitter import Emitter
from tests.parser.test_comments import KEYS, SCALARS, VALUES
from trialrun.diagnostic import Operation, Path, Remove, Rename, Replace, SymbolicLocation, WrapInList
from trialrun.fix import Unfixable
from trialrun.parser import Document, parse

ROOTS = st.one_of(
    st.lists(VALUES, min_size=1, max_size=4),
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=4),
    st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=3), min_size=1, max_size=3),
    VALUES,
)
NEW_VALUES = st.one_of(SCALARS, st.floats(allow_nan=False), st.just({}), st.just([]))
NEW_TEXTS = st.one_of(
    KEYS, st.sampled_from(["no", "1e3", "a: b", "x #y", "- z", "it's", '"', "*/5 * * * *", "<<", "~"])
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, int, Operation, Path]:
    """A file, a document of it, an operation and its place."""
    values = draw(st.lists(ROOTS, min_size=1, max_size=3))
    emitter = Emitter(random.Random(draw(st.integers(0, 2**32))), draw(st.sampled_from(["\n", "\r\n", "\r"])))
    for number, value in enumerate(values):
        emitter.document(value, first=number == 0)
    index = draw(st.integers(0, len(values) - 1))
    path = draw(st.sampled_from(sorted(emitter.written.spans[index], key=lambda span: (-len(span), repr(span)))))
    return emitter.written.text, index, draw(operations(path, plain(values[index], path))), path


@st.composite
def json_cases(draw: st.DrawFn) -> tuple[str, Operation, Path]:
    """A JSON file, an operation and its place."""
    value = draw(ROOTS)
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]))
    text = json.dumps(value, indent=draw(st.sampled_from([None, 0, 2, "\t"])), separators=separators)
    path = draw(st.sampled_from(list(paths(value, ()))))
    return text, draw(operations(path, plain(value, path))), path


def paths(value: Any, path: Path) -> Iterator[Path]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in children:
        yield from paths(child, (*path, step))
    yield path


def operations(path: Path, value: Any) -> st.SearchStrategy[Operation]:
    place = SymbolicLocation(None, path)
    chosen: list[st.SearchStrategy[Operation]] = [st.just(Remove(place))] if path else []
    if path and isinstance(path[-1], str):
        chosen.append(st.builds(lambda key: Rename(place, key), NEW_TEXTS))
        chosen.append(st.builds(lambda key, chars: Rename(place, key, chars), NEW_TEXTS, characters(path[-1])))
    if not isinstance(value, dict | list):
        chosen.append(st.builds(lambda new: Replace(place, new), st.one_of(NEW_VALUES, NEW_TEXTS)))
    if isinstance(value, str):
        chosen.append(st.builds(lambda new, chars: Replace(place, new, chars), NEW_TEXTS, characters(value)))
    return st.one_of([*chosen, st.just(WrapInList(place))])


def characters(text: str) -> st.SearchStrategy[tuple[int, int]]:
    at = st.integers(0, len(text))
    return st.builds(lambda one, other: (min(one, other), max(one, other)), at, at)


def plain(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def carried_out(value: Any, operation: Operation, path: Path) -> Any:
    """The operation on plain values."""
    root = [copy.deepcopy(value)]
    whole = (0, *path)
    parent = plain(root, whole[:-1])
    match operation:
        case Remove():
            del parent[whole[-1]]
        case WrapInList():
            parent[whole[-1]] = [parent[whole[-1]]]
        case Replace(value=new, chars=None):
            parent[whole[-1]] = new
        case Replace(value=new, chars=(start, end)):
            text = parent[whole[-1]]
            parent[whole[-1]] = text[:start] + new + text[end:]
        case Rename(key=key, chars=chars):
            old = str(whole[-1])
            parent[key if chars is None else old[: chars[0]] + key + old[chars[1] :]] = parent.pop(old)
    return root[0]


def lines_around(text: str, document: Document, path: Path) -> tuple[str, str]:
    """What stands before the line of the collection's key and after the line where the collection ends."""
    above = path[:-1]
    key = document.key_span(above)
    start = key.start if key else document.span(above).start
    while start and text[start - 1] in " -\r\n":
        start -= 1
    end = document.span(above).end
    before = text[: max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1]
    ends = [at for at in (text.find("\n", end), text.find("\r", end)) if at >= 0]
    return before, text[min(ends) + 1 :].lstrip("\n") if ends else ""


@settings(max_examples=number_of_cases(600, 24), deadline=None)
@given(cases())
def test_a_fix_does_what_it_means_and_nothing_else(case: tuple[str, int, Operation, Path]) -> None:
    text, index, operation, path = case
    after = mended(text, operation, document=index)
    assume(not isinstance(after, Unfixable))
    assert isinstance(after, str)
    before = parse(text.encode(), "a.yaml")
    wanted = [document.value for document in before.documents]
    wanted[index] = carried_out(wanted[index], operation, path)
    found = parse(after.encode(), "a.yaml")
    assert [document.value for document in found.documents] == wanted
    assert found.errors == []
    head, tail = lines_around(text, before.documents[index], path)
    assert after.startswith(head)
    assert after.endswith(tail)


@settings(max_examples=number_of_cases(300, 16), deadline=None)
@given(json_cases())
def test_a_fix_of_json_does_what_it_means(case: tuple[str, Operation, Path]) -> None:
    text, operation, path = case
    after = mended(text, operation, path="a.json")
    assume(not isinstance(after, Unfixable))
    assert isinstance(after, str)
    assert json.loads(after) == carried_out(json.loads(text), operation, path)
    assert parse(after.encode(), "a.json").errors == []
