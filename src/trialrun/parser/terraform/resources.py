"""The documents of one file of Terraform: views, online stores, feature groups with their features, and table schemas.

A file without such resources has no documents and no errors, whatever else is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from trialrun.parser.document import Document
from trialrun.parser.hcl_syntax import Attribute, Block, Body, Call, HclFile
from trialrun.parser.nodes import MAX_DOCUMENTS, Node, NodeRef
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.parser.terraform import schema
from trialrun.parser.terraform.documents import PROJECT, ResourceReader, TerraformDocument, reference_of, scopes
from trialrun.parser.terraform.evaluate import Module
from trialrun.parser.terraform.schema import Argument
from trialrun.parser.terraform.siblings import read_tree, siblings
from trialrun.parser.terraform.values import Evaluated
from trialrun.terraform import Unknown
from trialrun.text import Source, Span

Content = tuple[dict[str, Any], Node]
MIN_TYPE_SIMILARITY: Final = 0.9
VIEW_NAME: Final = (*PROJECT, ("featureOnlineStores", "feature_online_store"), ("featureViews", "name"))
STORE_NAME: Final = (*PROJECT, ("featureOnlineStores", "name"))


def parse_terraform(source: Source, text: str) -> tuple[list[Document], list[ParseError]]:
    """The documents of a file, and what is wrong in it; both empty for a file without a resource of ours.

    `text` is that of the source, made fit for a parser.
    """
    if "google_vertex_ai_feature" not in text and schema.TABLE not in text:
        return [], []
    is_json = source.path.lower().endswith(".json")
    file = read_tree(text, is_json=is_json)
    module = Module(source, text, file.body, *siblings(source.siblings))
    part = SourceSlice(text, is_json=is_json)
    documents: list[Document] = []
    errors: list[ParseError] = []
    for block in file.body.blocks:
        if block.type != "resource" or len(block.labels) != 2:
            continue
        errors += _misspelt_type(block, len(documents))
        if block.labels[0].text not in schema.KINDS:
            continue
        for scope in scopes(module, block):
            reader = ResourceReader(module, block, scope)
            if len(documents) == MAX_DOCUMENTS:
                message = f"more than {MAX_DOCUMENTS:,} resources in one file; split it"
                span = Span(block.start, block.end)
                return documents, [*errors, ParseError("resource-limit", message, span, len(documents), None)]
            document = _document(reader, part, len(documents))
            if document is not None:
                errors += [error._replace(document=document.index) for error in reader.errors]
                documents.append(document)
    if documents or errors:
        errors += _syntax_errors(file, documents)
    return documents, errors


def _syntax_errors(file: HclFile, documents: list[Document]) -> Iterator[ParseError]:
    """What could not be read, in each document that it belongs to."""
    for error in file.errors:
        related = (Span(*error.related),) if error.related else ()
        around = [document.index for document in documents if _encloses(document.full_span, error.start)]
        for index in around or [len(documents)]:
            yield ParseError(error.rule, error.message, Span(error.start, error.end), index, None, related=related)


def _encloses(span: Span, offset: int) -> bool:
    return span.start <= offset < span.end


def _misspelt_type(block: Block, index: int) -> Iterator[ParseError]:
    """A type that the provider does not have, and that is close to one of ours: nothing of the resource is checked."""
    label = block.labels[0]
    known = (*schema.KINDS, schema.FEATURE)
    if label.text in known or label.text in schema.OTHER_TYPES or label.text.endswith(schema.IAM_SUFFIXES):
        return
    if not label.text.startswith("google_") or label.text.startswith("google_vertex_ai_featurestore"):
        return
    from trialrun.values.suggest import closest_name

    own = [type_ for type_ in known if type_ != schema.TABLE]
    if near := closest_name(label.text, own, min_similarity=MIN_TYPE_SIMILARITY):
        message = f'there is no resource type "{label.text}", so nothing in it is checked; did you mean "{near}"?'
        yield ParseError("unknown-kind", message, Span(label.start, label.end), index, None)


def _document(reader: ResourceReader, part: SourceSlice, index: int) -> TerraformDocument | None:
    """The document of an instance of a resource; None for a table without a schema, and for a part of a store."""
    block = reader.block
    kind = schema.KINDS[block.labels[0].text]
    if reader.is_override and kind != "FeatureView":
        return None
    made = _READERS[kind](reader)
    if made is None:
        return None
    values, node = made
    label = block.labels[0]
    kind_ref = NodeRef(Node(label.start, label.end, "hcl"), Node(block.start, block.end, "hcl"))
    keys = {**(node.keys or {}), "kind": kind_ref}
    node.keys, node.start, node.end = keys, block.start, block.stop
    node.first_key = Node(block.start, block.labels[1].end, "hcl")
    return TerraformDocument(index, {"kind": kind, **values}, part, NodeRef(node), reader)


def _view(reader: ResourceReader) -> Content:
    """A view; its store is named by the id, which `.id` of a store is not."""
    values, node = reader.content(reader.block.body, schema.FEATURE_VIEW)
    store = reader.block.body.attributes.get("feature_online_store")
    reference = reference_of(store.expression) if store is not None else None
    if reference is not None and reference.steps[0] == schema.STORE and reference.steps[-1] == "id":
        steps = reader.module.source_of(reference)
        message = f"{steps} is the full name of the store, which the provider puts where its id belongs; write "
        name = f"{steps.removesuffix('id')}name"
        span = Span(reference.start, reference.end)
        error = ParseError("invalid-resource-name", message + name, span, 0, ("name",), replacement=name)
        reader.errors.append(error)
    if reader.has_name():
        _set_name(reader, values, node, reader.name(VIEW_NAME))
    place = reader.module.place_of(reader.block.start)
    fields = {"name": "name", **{name: argument.field for name, argument in schema.FEATURE_VIEW.items()}}
    elsewhere = {field: Unknown("another file", place, name) for name, field in fields.items()}
    if reader.is_override:  # what it leaves out, the overridden resource may have
        values = {**elsewhere, **values}
    return {
        **values,
        **{fields[name]: elsewhere[fields[name]] for name in sorted(reader.overridden & fields.keys())},
    }, node


def _set_name(reader: ResourceReader, values: dict[str, Any], node: Node, name: Evaluated, field: str = "name") -> None:
    attribute = reader.attribute("name")
    assert attribute is not None
    values[field] = name.value
    node.keys = {**(node.keys or {}), field: name.ref(Node(attribute.start, attribute.end, "hcl", "name"))}


def _store(reader: ResourceReader) -> Content:
    """An online store, whose type is the block that it has."""
    node = Node(0, 0, "hcl", keys={})
    values: dict[str, Any] = {}
    if reader.has_name():
        _set_name(reader, values, node, reader.name(STORE_NAME))
    body = reader.block.body
    own = [block for block in body.blocks if block.type in schema.STORE_TYPES]
    if len(own) == 1 and reader.overridden.isdisjoint(schema.STORE_TYPES):
        values["type"] = schema.STORE_TYPES[own[0].type]
        key = Node(own[0].start, own[0].end, "hcl")
        node.keys = {**(node.keys or {}), "type": NodeRef(key, key)}
    else:
        values["type"] = Unknown("the type of the store", reader.module.place_of(reader.block.start), "type")
    return values, node


def _group(reader: ResourceReader) -> Content | None:
    """A feature group with the features of this file; there may be more of them elsewhere."""
    blocks = [block for block in reader.block.body.blocks if block.type == "big_query"]
    if not blocks or not reader.has_name():
        return None
    planned = next(iter(reader.planned.get("big_query") or ()), None) or {}
    table, holder = reader.content(blocks[0].body, schema.GROUP_TABLE, planned)
    source, places = table.pop("source", {}), (holder.keys or {}).pop("source", None)
    values = {**table, **(source if isinstance(source, dict) else {})}
    node = Node(0, 0, "hcl", keys={**(holder.keys or {}), **((places.node.keys or {}) if places else {})})
    own_place = reader.module.place_of(reader.block.start)
    for field, argument in (("uri", "input_uri"), ("entityIdColumns", "entity_id_columns")):
        if field not in values or "big_query" in reader.overridden:
            values[field] = Unknown(field, own_place, argument)
    text, place = reader.part("name")
    name = Unknown(text, own_place, "name") if "name" in reader.unknown else text
    _set_name(reader, values, node, Evaluated(name, place), "featureGroupId")
    own = Node(reader.block.start, reader.block.end, "hcl")
    features = [*_features(reader, text), (Unknown("features", own_place, "features"), NodeRef(own))]
    values["features"] = [value for value, _ in features]
    whole = Node(reader.block.start, reader.block.end, "hcl", items=[ref for _, ref in features])
    node.keys = {**(node.keys or {}), "features": NodeRef(whole)}
    return values, node


def _features(reader: ResourceReader, group: str) -> Iterator[tuple[Any, NodeRef]]:
    """The features of the folder that belong to a group; those of other files have the place of the group."""
    arguments = {"name": Argument("id"), "version_column_name": Argument("column")}
    module, by_group = reader.module, reader.module.features_by_group
    if not by_group:
        for owner in (module, *module.others):
            for block in owner.features:
                name = ResourceReader(owner, block).part("feature_group")[0]
                by_group.setdefault(name, []).append((owner, block))
    place = Node(reader.block.start, reader.block.end, "hcl")
    for owner, block in by_group.get(group, ()):
        for scope in scopes(owner, block):
            attributes = {name: item for name, item in block.body.attributes.items() if name in arguments}
            body = Body(attributes)
            value, node = ResourceReader(owner, block, scope).content(body, arguments)
            node.start, node.end = block.start, block.stop
            if value.get("id") is not None and owner is module:
                yield value, NodeRef(node)
            elif value.get("id") is not None:
                keys = {name: NodeRef(place, is_aliased=True) for name in value}
                yield value, NodeRef(Node(place.start, place.end, "hcl", keys=keys), is_aliased=True)


def _table(reader: ResourceReader) -> Content | None:
    """A table with a schema, as the Source of its uri; where its rows are is unknown."""
    attributes = reader.block.body.attributes
    if (written := attributes.get("schema")) is None or "schema" in reader.overridden:
        return None
    fields = _schema_fields(reader, written)
    parts = [reader.part(name) for name in ("project", "dataset_id", "table_id")]
    is_known = not reader.unknown
    reader.unknown.clear()
    if not is_known or fields is None:
        return None
    uri = f"bq://{'.'.join(text for text, _ in parts)}"
    columns = [
        {"name": field["name"], "type": schema.column_type(field), **_mode(field)}
        for field in fields
        if isinstance(field, dict) and isinstance(field.get("name"), str)
    ]
    place = Node(written.start, written.end, "hcl", "schema")
    whole = Node(written.expression.start, written.expression.end, "hcl", items=[])
    for column in columns:
        keys = {name: NodeRef(Node(whole.start, whole.end, "hcl")) for name in column}
        (whole.items or []).append(NodeRef(Node(whole.start, whole.end, "hcl", keys=keys)))
    table = attributes.get("table_id")
    key = Node(table.start, table.end, "hcl", "table_id") if table else place
    node = Node(0, 0, "hcl", keys={"uri": NodeRef(parts[-1][1], key), "columns": NodeRef(whole, place)})
    rows = Unknown("the rows of the table", reader.module.place_of(reader.block.start))
    return {"uri": uri, "files": rows, "columns": columns}, node


def _mode(field: dict[str, Any]) -> dict[str, str]:
    mode = str(field.get("mode", "NULLABLE")).upper()
    return {"mode": mode} if mode in ("REQUIRED", "REPEATED") else {}


def _schema_fields(reader: ResourceReader, written: Attribute) -> list[Any] | None:
    """The fields of a schema that is written as JSON or in `jsonencode`; None where they are not known."""
    import json

    expression = written.expression
    if isinstance(expression, Call) and expression.name == "jsonencode" and len(expression.arguments) == 1:
        value = reader.module.evaluate(expression.arguments[0], reader.scope).value
    else:
        text = reader.module.evaluate(expression, reader.scope).value
        text = text if isinstance(text, str) else reader.planned.get("schema")
        try:
            value = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, list) else None


_READERS: Final[dict[str, Callable[[ResourceReader], Content | None]]] = {
    "FeatureView": _view,
    "FeatureOnlineStore": _store,
    "FeatureGroupTable": _group,
    "Source": _table,
}
