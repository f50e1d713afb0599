"""What a model accepts is what the field-by-field reading finds nothing wrong with, and both make the same message."""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from benchmarks.corpus import corpus
from tests.cases import each_of, first_of, number_of_cases, share_of, some_of
from tests.model.shapes import ANYTHING, DOCUMENTS, MESSAGES, PARTS, message_of, value_of
from tests.program import SOURCE
from trialrun import diagnostic
from trialrun.model.feature_view import FeatureView, SyncConfig
from trialrun.model.kinds import model_of
from trialrun.model.lenient import validate_leniently
from trialrun.model.node import Node, field_spec, message_fields, value_type
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.model.scenario import ExpectedValue
from trialrun.model.validate import validate
from trialrun.model.validated import ValidatedModel
from trialrun.model.wrapper import Candidate, candidates
from trialrun.parser import parse

ROOT = Path(__file__).parent.parent.parent
OF_MESSAGES = 20
"""The share of cases of a message that are tried always: there are 89 messages, many as parts of others."""
SUFFIXES = {".yaml", ".yml", ".json"}


SOME_MESSAGES = pytest.mark.parametrize("model", some_of(MESSAGES, 4), ids=lambda model: model.__name__)


def description(value: Any) -> Any:
    """All that a check can see of a value: types, contents, order, and which fields are set."""
    if isinstance(value, Node):
        content = [(name, description(inner)) for name, inner in value.__dict__.items()]
        return type(value), content, sorted(value.model_fields_set)
    if isinstance(value, list):
        return list, [description(item) for item in value]
    if isinstance(value, dict):
        return dict, [(description(key), description(inner)) for key, inner in value.items()]
    return type(value), repr(value)


def assert_read_alike(value: Any, model: type[Node]) -> None:
    before = repr(value)
    accepted = model.accept(value)
    with mock.patch.object(Node, "accept", lambda _: None):
        read = validate_leniently(value, model)
    assert (accepted is None) == bool(read.misfits), (value, read.misfits)
    assert accepted is None or description(accepted) == description(read.node)
    assert repr(value) == before


@SOME_MESSAGES
@settings(max_examples=number_of_cases(100, OF_MESSAGES), deadline=None)
@given(data=st.data())
def test_messages_are_read_alike(model: type[Node], data: st.DataObject) -> None:
    assert_read_alike(data.draw(message_of(model)), model)


@SOME_MESSAGES
@settings(max_examples=number_of_cases(60, OF_MESSAGES), deadline=None)
@given(data=st.data())
def test_any_value_of_a_field_is_read_alike(model: type[Node], data: st.DataObject) -> None:
    value = data.draw(message_of(model))
    if model.model_fields:
        name = data.draw(st.sampled_from(sorted(model.model_fields)))
        right = value_of(field_type(model, name))
        value = value | {name: data.draw(st.one_of(ANYTHING, right, st.lists(right, max_size=2)))}
    assert_read_alike(value, model)


@SOME_MESSAGES
@settings(max_examples=number_of_cases(20), deadline=None)
@given(value=ANYTHING)
def test_anything_is_read_alike(model: type[Node], value: Any) -> None:
    assert_read_alike(value, model)


def test_null_is_unset_also_where_any_value_is_taken() -> None:
    assert_read_alike({"field": "a", "value": None}, ExpectedValue)


STRANGE_TEXTS = (
    "\x00",
    "é" * 64,
    "😀" * 100,
    *("x" * length for length in (63, 64, 65)),
    "1\n",
    "١",
    "+1",
    "01",
    "0",
    "-1",
    str(2**63),
)
STRANGE_VALUES = (None, True, False, 0, 1, -1, 1.0, 0.5, 1e400, float("nan"), 2**63 - 1, 2**63, 10**400, [], {}, [None])


def right_value(shape: FieldType) -> Any:
    """A value that a field takes."""
    if shape.is_list:
        return [right_value(item_type(shape))]
    if shape.model is not None:
        return required_fields(shape.model)
    if shape.values is not None:
        return {"a": right_value(shape.values)}
    if shape.enum:
        return shape.enum[-1]
    return "1" if shape.int64 or shape.entity_id else {str: "a", bool: True, int: 1, float: 0.5}.get(shape.scalar, "a")


def required_fields(model: type[Node]) -> dict[str, Any]:
    """The least that a message takes."""
    names = [name for name in model.model_fields if field_spec(model, name).mode == "required"]
    return {name: right_value(field_type(model, name)) for name in names}


@pytest.mark.generated
@each_of(MESSAGES)
def test_strange_values_are_read_alike(model: type[Node]) -> None:
    base = required_fields(model)
    assert model.accept(base) is not None
    for turn, name in enumerate(model.model_fields, len(model.__name__)):
        right = right_value(field_type(model, name))
        assert model.accept({**base, name: right}) is not None
        for strange in share_of((*STRANGE_TEXTS, *STRANGE_VALUES), turn=turn):
            key = strange if isinstance(strange, str) else "a"
            wrapped = (
                [strange],
                {key: right},
                {key: "a"},
                {"a": strange},
                [{key: 1}],
                {"a": {key: strange}},
                [right, strange],
            )
            for value in wrapped if value_type(model, name) is Any and strange is None else (strange, *wrapped):
                assert_read_alike({**base, name: value}, model)


def resources_in(data: bytes, path: str) -> Iterator[tuple[type[Node], Any]]:
    for document in parse(data, path).documents:
        for candidate in candidates(document.value):
            if isinstance(candidate, Candidate) and candidate.kind is not None:
                yield model_of(candidate.kind), candidate.value


def files() -> list[Path]:
    return sorted(path for path in (ROOT / "fixtures").rglob("*") if path.suffix in SUFFIXES and path.is_file())


def test_fixtures_are_read_alike() -> None:
    accepted = refused = 0
    for path in files():
        for model, value in resources_in(path.read_bytes(), path.name):
            assert_read_alike(value, model)
            is_accepted = model.accept(value) is not None
            accepted, refused = accepted + is_accepted, refused + (not is_accepted)
    assert accepted > 200
    assert refused > 50


@pytest.mark.generated
@pytest.mark.parametrize("seed", first_of(range(1, 5)))
def test_files_of_the_corpus_are_read_alike(seed: int) -> None:
    for file in corpus(100, seed=seed):
        for model, value in resources_in(file.content, file.path):
            assert_read_alike(value, model)


def test_a_message_is_a_frozen_model() -> None:
    node = FeatureView(name="v", syncConfig=SyncConfig(cron="0 0 * * *"))
    with pytest.raises(ValidationError, match="Instance is frozen"):
        node.name = "other"
    with pytest.raises(ValidationError, match="only one of continuous, cron is set"):
        SyncConfig(cron="a", continuous=True)
    assert pickle.loads(pickle.dumps(node)).model_fields_set == {"name", "syncConfig"}


EACH_MESSAGE = pytest.mark.parametrize("model", DOCUMENTS + PARTS, ids=lambda model: model.__name__)


@EACH_MESSAGE
@settings(max_examples=number_of_cases(40), deadline=None)
@given(value=ANYTHING)
def test_no_value_is_too_strange(model: type[Node], value: Any) -> None:
    fitted = validate(value, model)
    assert isinstance(fitted.node, model)
    assert fitted.misfits or model.accept(value)


@EACH_MESSAGE
@settings(max_examples=number_of_cases(150, 30), deadline=None)
@given(data=st.data())
def test_taking_sound_parts_whole_changes_nothing(model: type[Node], data: st.DataObject) -> None:
    value = data.draw(message_of(model))
    quick = validate(value, model, correct_typos=True)
    with mock.patch.object(Node, "accept", lambda _: None):
        slow = validate_leniently(value, model, correct_typos=True)
    assert repr((quick.misfits, quick.node)) == repr((slow.misfits, slow.node))  # by their text: no nan is another
    assert list(paths_of_fields(quick)) == list(paths_of_fields(slow))


def paths_of_fields(fitted: ValidatedModel) -> Iterator[diagnostic.Path]:
    """The path in the file of every field that stands in a message of a model."""
    nodes = [fitted.node, *(node for node, _ in fitted.detached)]
    while nodes:
        node = nodes.pop()
        yield from sorted((fitted.path(node.location(name)) for name in node.model_fields_set), key=repr)
        for name, listed, _ in message_fields(type(node)):
            inner = getattr(node, name)
            nodes += (inner or []) if listed else [inner] if inner else []


def test_there_are_no_plugins() -> None:
    code = "import trialrun.model.node; from pydantic.plugin._loader import get_plugins; print(list(get_plugins()))"
    kept = {key: value for key, value in os.environ.items() if key != "PYDANTIC_DISABLE_PLUGINS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=kept | {"PYTHONPATH": SOURCE}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
