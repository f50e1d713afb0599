"""Values made from the models' own shapes: right ones, nearly right ones, and anything at all."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from trialrun.model import proto_json, unknown_field
from trialrun.model.channel_config import CelUpsell, DisambiguationMapping, OfferMessage
from trialrun.model.feature_view import AutomaticResources, FeatureRegistrySource, IndexConfig
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import Node, field_spec, messages_in

DOCUMENTS = tuple(map(model_of, KINDS))
MESSAGES = tuple(dict.fromkeys(message for model in DOCUMENTS for message in messages_in(model)))
PARTS = (AutomaticResources, FeatureRegistrySource, IndexConfig, CelUpsell, DisambiguationMapping, OfferMessage)
TEXTS = st.sampled_from(["", " ", "en", "a", "1", "007", "1e3", "-0", "9223372036854775807", "x" * 64, "x" * 101])
NUMBERS = st.sampled_from([-1, 0, 1, 2, 1000, 1001, 2**31, 2**63 - 1, 2**63, 10**400, 0.5, 1.0, -0.0, 1.5, 1e400])
SCALARS = st.one_of(st.none(), st.booleans(), TEXTS, NUMBERS, st.floats(), st.text(max_size=3))
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.sampled_from(["uri", "cron"]), inner),
    max_leaves=6,
)

SCALARS_BY_TYPE: dict[type | None, st.SearchStrategy[Any]] = {
    str: st.sampled_from(["a", "en"]),
    bool: st.booleans(),
    int: st.sampled_from([1, 2]),
    float: st.sampled_from([0.25, 1, 0.0]),
}


def value_of(shape: proto_json.FieldType) -> st.SearchStrategy[Any]:
    """Mostly right values of a field, and wrong ones often enough."""
    if shape.is_list:
        return rarely(
            st.lists(value_of(proto_json.item_type(shape)), max_size=2), value_of(proto_json.item_type(shape))
        )
    if shape.model is not None:
        return rarely(st.deferred(lambda: message_of(shape.model)), ANYTHING)
    if shape.values is not None:
        return rarely(st.dictionaries(TEXTS, value_of(shape.values), max_size=2), ANYTHING)
    return st.one_of(scalar_of(shape), scalar_of(shape), scalar_of(shape), rarely(NUMBERS | TEXTS, SCALARS))


def scalar_of(shape: proto_json.FieldType) -> st.SearchStrategy[Any]:
    if shape.enum:
        return st.sampled_from(shape.enum)
    if shape.int64:
        return st.sampled_from(["1", "1000", "9223372036854775807"])
    return SCALARS_BY_TYPE.get(shape.scalar, ANYTHING)


def rarely(often: st.SearchStrategy[Any], seldom: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 19).flatmap(lambda number: seldom if number == 19 else often)


@cache
def message_of(model: type[Node] | None) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping with the required fields of a message, some of the others, and now and then another key."""
    assert model is not None
    names = [name for name in model.model_fields if name != "kind"]
    required = {
        name: value_of(proto_json.field_type(model, name))
        for name in names
        if field_spec(model, name).mode == "required"
    }
    others = {name: value_of(proto_json.field_type(model, name)) for name in names if name not in required}
    right = st.fixed_dictionaries(required, optional=others)
    other_keys = st.sampled_from([*unknown_field.spellings(model), "nmae", "greetings"])
    more = st.dictionaries(other_keys, SCALARS, max_size=2)
    return rarely(right, st.tuples(right, more).map(lambda pair: pair[0] | pair[1]))
