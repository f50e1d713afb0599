"""Documents that their models accept as a whole, in canonical form, made from the models' own shapes."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from trialrun.model import proto_json
from trialrun.model.canonical import CanonicalForm
from trialrun.model.kinds import model_of
from trialrun.model.node import Node, field_spec, unions
from trialrun.model.validate import validate

TEXTS = st.one_of(st.text(min_size=1, max_size=8), st.sampled_from(["en", "a b", "no", "1", "a\nb\n", "x: y", "🍔"]))
NAMES = {
    "FeatureView": "projects/acme/locations/us/featureOnlineStores/s/featureViews/",
    "ChannelConfig": "projects/acme/locations/us/brands/b/channelConfigs/",
    "FeatureOnlineStore": "projects/acme/locations/us/featureOnlineStores/",
}


def sound_documents(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Documents of a kind, without what the service sets."""
    model = model_of(kind)

    def document(value: dict[str, Any], id: str) -> dict[str, Any]:
        named = value | {"name": NAMES[kind] + id}
        assert validate(named, model).misfits == []
        return {"kind": kind, **CanonicalForm(named, model).value}

    return st.builds(document, message_of(model), st.sampled_from(["a", "b", "A", "..", "ünïcode", "x y"]))


@cache
def message_of(model: type[Node]) -> st.SearchStrategy[dict[str, Any]]:
    """Values of a message: its required fields, some of the others, and one member of each union at most."""
    specs = {name: field_spec(model, name) for name in model.model_fields if name not in ("kind", "name")}
    if "name" in model.model_fields and field_spec(model, "name").mode != "identifier":
        specs["name"] = field_spec(model, "name")
    members = {name for names in unions(model).values() for name in names}
    values = {
        name: value_of(proto_json.field_type(model, name)) for name, spec in specs.items() if spec.mode != "output only"
    }
    required = {name: value for name, value in values.items() if specs[name].mode == "required"}
    optional = {name: value for name, value in values.items() if name not in required and name not in members}
    parts = [st.fixed_dictionaries(required, optional=optional)]
    for union, names in unions(model).items():
        choices = [st.fixed_dictionaries({name: values[name]}) for name in names if name in values]
        parts.append(st.one_of(*choices, *([] if union in model.required_unions else [st.just({})])))
    return st.tuples(*parts).map(lambda drawn: {name: value for part in drawn for name, value in part.items()})


def value_of(type_: proto_json.FieldType) -> st.SearchStrategy[Any]:
    """Values that a field takes."""
    if type_.is_list:
        return st.lists(value_of(proto_json.item_type(type_)), min_size=1, max_size=2)
    if type_.model is not None:
        model = type_.model
        return st.deferred(lambda: message_of(model))
    if type_.values is not None:
        return st.dictionaries(TEXTS, value_of(type_.values), max_size=2)
    return scalar_of(type_)


def scalar_of(type_: proto_json.FieldType) -> st.SearchStrategy[Any]:
    if type_.enum:
        return st.sampled_from([name for name in type_.enum if not name.endswith("_UNSPECIFIED")])
    if type_.int64:
        return st.integers(1, 2**63 - 1).map(str)
    least, most = int(type_.minimum or 0), int(type_.maximum or 1000)
    if type_.scalar is int:
        return st.integers(least, most)
    if type_.scalar is float:
        return st.floats(least, most, allow_nan=False)
    return st.booleans() if type_.scalar is bool else TEXTS
