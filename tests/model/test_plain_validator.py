"""The plain validator and pydantic's compiled one read every value alike."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from benchmarks.corpus import corpus
from tests.cases import each_of, first_of, number_of_cases, some_of
from tests.model.shapes import ANYTHING, DOCUMENTS, message_of, value_of
from trialrun.model.feature_view import FeatureView, SyncConfig, WarehouseSource
from trialrun.model.kinds import model_of
from trialrun.model.node import Node, field_spec, message_fields
from trialrun.model.plain_validator import validate_plainly
from trialrun.model.proto_json import FieldType, field_type, item_type
from trialrun.model.pydantic_models import compiled_validator, pydantic_model, serializer
from trialrun.model.unions import conflicting_members
from trialrun.model.validate import validate
from trialrun.model.wrapper import Candidate, candidates
from trialrun.parser import parse

ROOT = Path(__file__).parent.parent.parent
OF_MESSAGES = 20
"""The share of cases of a message that are tried always: there are 89 messages, many as parts of others."""
SUFFIXES = {".yaml", ".yml", ".json"}


@cache
def messages() -> tuple[type[Node], ...]:
    """All messages of all kinds of documents."""
    pending: list[type[Node]] = [*DOCUMENTS]
    seen = dict.fromkeys(pending)
    while pending:
        inner = [model for _, _, model in message_fields(pending.pop()) if model not in seen]
        seen.update(dict.fromkeys(inner))
        pending += inner
    return tuple(seen)


SOME_MESSAGES = pytest.mark.parametrize("model", some_of(messages(), 4), ids=lambda model: model.__name__)


def has_union_conflict(node: Node) -> bool:
    if any(conflicting_members(type(node), [*node.model_fields_set])):
        return True
    parts = [(is_list, getattr(node, name)) for name, is_list, _ in message_fields(type(node))]
    inner = [item for is_list, part in parts if part is not None for item in (part if is_list else [part])]
    return any(map(has_union_conflict, inner))


def read_by_pydantic(value: Any, model: type[Node]) -> Node | None:
    try:
        node: Node = compiled_validator(model)(value)
    except ValidationError:
        return None
    return None if has_union_conflict(node) else node


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
    plain, compiled = validate_plainly(value, model), read_by_pydantic(value, model)
    assert description(plain) == description(compiled)
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


STRANGE_TEXTS = (
    "\ud800",
    "a\udfff",
    "\x00",
    "é" * 64,
    "😀" * 100,
    "x" * 63,
    "x" * 64,
    "x" * 65,
    "1\n",
    "١",
    "+1",
    "01",
    "0",
    "-1",
    "9223372036854775808",
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


@each_of(messages())
def test_strange_values_are_read_alike(model: type[Node]) -> None:
    base = required_fields(model)
    assert validate_plainly(base, model) is not None
    for name in model.model_fields:
        right = right_value(field_type(model, name))
        assert validate_plainly({**base, name: right}, model) is not None
        for strange in (*STRANGE_TEXTS, *STRANGE_VALUES):
            key = "a" if isinstance(strange, (list, dict)) else strange
            wrapped = (
                [strange],
                {key: right},
                {key: "a"},
                {"a": strange},
                [{key: 1}],
                {"a": {key: strange}},
                [right, strange],
            )
            for value in (strange, *wrapped):
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
            is_accepted = validate_plainly(value, model) is not None
            accepted, refused = accepted + is_accepted, refused + (not is_accepted)
    assert accepted > 200
    assert refused > 50


@pytest.mark.generated
@pytest.mark.parametrize("seed", first_of(range(1, 5)))
def test_files_of_the_corpus_are_read_alike(seed: int) -> None:
    for file in corpus(100, seed=seed):
        for model, value in resources_in(file.content, file.path):
            assert_read_alike(value, model)


@SOME_MESSAGES
@settings(max_examples=number_of_cases(40, OF_MESSAGES), deadline=None)
@given(data=st.data())
def test_messages_are_written_as_pydantic_writes_them(model: type[Node], data: st.DataObject) -> None:
    node = validate(data.draw(message_of(model)), model).node
    options = {name: data.draw(st.booleans()) for name in ("exclude_unset", "exclude_none")}
    exclude = set(data.draw(st.sets(st.sampled_from([*model.model_fields, "kind"]), max_size=2)))
    compiled = serializer(model).to_python(node, exclude=exclude or None, warnings=False, **options)
    ours = node.model_dump(exclude=exclude, warnings=False, **options)
    assert repr(ours) == repr(compiled)


def test_a_message_is_a_value_as_pydantic_makes_them() -> None:
    node, same = (FeatureView(name="v", syncConfig=SyncConfig(cron="0 0 * * *")) for _ in range(2))
    assert node == same
    assert node != FeatureView(name="w")
    assert hash(SyncConfig(cron="a")) == hash(SyncConfig(cron="a"))
    assert repr(SyncConfig(cron="a")) == "SyncConfig(cron='a', continuous=None)"
    for other in (copy.copy(node), copy.deepcopy(node), pickle.loads(pickle.dumps(node)), node.model_copy()):
        assert (other, other.model_fields_set) == (node, {"name", "syncConfig"})
    changed = node.model_copy(update={"etag": "e"})
    assert (changed.etag, changed.name, changed.model_fields_set) == ("e", "v", {"name", "syncConfig", "etag"})
    with pytest.raises(AttributeError, match="FeatureView is frozen"):
        node.name = "other"


def test_a_copy_has_its_own_fields() -> None:
    node = FeatureView(name="v", syncConfig=SyncConfig(cron="0 0 * * *"))
    other = copy.copy(node)
    assert other.__dict__ is not node.__dict__
    assert other.model_fields_set is not node.model_fields_set
    assert other.syncConfig is node.syncConfig
    assert node.model_copy(deep=True).syncConfig is not node.syncConfig


def test_what_equals_anything_equals_a_message() -> None:
    assert FeatureView(name="v") == mock.ANY
    assert FeatureView(name="v") != "v"


OPTIONS_OF_PYDANTIC: tuple[dict[str, Any], ...] = (
    {"exclude": {"syncConfig": {"cron"}}},
    {"exclude": {"name": True}},
    {"exclude": None},
    {"include": {"name"}},
    {"include": {"syncConfig": {"cron"}}},
    {"exclude_defaults": True},
    {"by_alias": True, "exclude_none": True},
    {"round_trip": True, "exclude_unset": True},
)


@each_of(OPTIONS_OF_PYDANTIC)
def test_a_message_is_written_with_the_options_of_pydantic(options: dict[str, Any]) -> None:
    content = {"name": "v", "labels": {"a": "b"}, "syncConfig": {"cron": "0 0 * * *", "continuous": False}}
    node = FeatureView.model_validate(content)
    model: BaseModel = pydantic_model(FeatureView).model_validate(content)
    assert node.model_dump(**options) == model.model_dump(**options)
    assert node.model_dump(mode="json", **options) == model.model_dump(mode="json", **options)
    assert node.model_dump_json(indent=2, **options) == model.model_dump_json(indent=2, **options)


def test_a_message_has_the_common_methods_of_pydantic() -> None:
    node = FeatureView(name="v")
    assert FeatureView.model_validate_json('{"name": "v"}') == node
    assert FeatureView.model_validate({"name": "v"}, strict=True) == node
    with pytest.raises(ValidationError, match="Extra inputs"):
        FeatureView.model_validate_json('{"nam": "v"}')
    assert dict(node) == node.__dict__
    assert node.model_extra is None
    schema = FeatureView.model_json_schema()
    assert schema["properties"]["name"]["description"].startswith("Resource name")


def test_pydantic_says_what_is_wrong() -> None:
    with pytest.raises(ValidationError, match="cron\n  Input should be a valid string"):
        SyncConfig.model_validate({"cron": 1})
    with pytest.raises(ValueError, match="extra_forbidden"):
        SyncConfig(corn="0 0 * * *")  # type: ignore[call-arg]


class Answer(BaseModel):
    """A model of a user of the library."""

    view: FeatureView


def test_models_of_others_take_messages() -> None:
    answer = Answer.model_validate({"view": {"name": "v"}})
    assert isinstance(answer.view, FeatureView)
    assert answer.model_dump(exclude_unset=True) == {"view": {"name": "v"}}
    assert answer == Answer(view=answer.view)
    source = WarehouseSource(uri="u", entityIdColumns=["id"])
    assert Answer(view=FeatureView(warehouseSource=source)).model_dump_json(exclude_none=True) == (
        '{"view":{"warehouseSource":{"uri":"u","entityIdColumns":["id"]}}}'
    )
    assert Answer.model_json_schema()["$defs"]["SyncConfig"]["properties"]["cron"]["type"] == "string"
