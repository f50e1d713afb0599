"""The documents of one file of Terraform: views, online stores, feature groups with their features, and table schemas.

A file without such resources has no documents and no errors, whatever else is in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from trialrun.parser.decode import decode
from trialrun.parser.document import Document
from trialrun.parser.hcl_syntax import Attribute, Block, Body, Call, HclFile
from trialrun.parser.nodes import MAX_DOCUMENTS, Node, NodeRef
from trialrun.parser.parse_error import ParseError, SourceSlice
from trialrun.parser.terraform import schema
from trialrun.parser.terraform.documents import PROJECT, ResourceReader, TerraformDocument, reference_of, scopes
from trialrun.parser.terraform.evaluate import Assigned, Module, Planned
from trialrun.parser.terraform.schema import Argument
from trialrun.parser.terraform.values import Evaluated
from trialrun.terraform import FOLDER, PLAN, Siblings, Unknown, has_unknown, is_terraform_path, is_variables_path
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
        spans = [(document.index, document.full_span) for document in documents]
        around = [index for index, span in spans if span.start <= error.start < span.end]
        for index in around or ([] if error.is_accepted else [len(documents)]):
            yield ParseError(error.rule, error.message, Span(error.start, error.end), index, None, related=related)


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
    """The fields of a schema that is written as JSON or in `jsonencode`; None where one of them is not known."""
    expression, is_encoded = written.expression, False
    if isinstance(expression, Call) and expression.name == "jsonencode" and len(expression.arguments) == 1:
        expression, is_encoded = expression.arguments[0], True
    found = reader.module.evaluate(expression, reader.scope)
    value = found.value
    if found.default_of or has_unknown(value):
        value, is_encoded = reader.planned.get("schema"), False
    try:
        fields = value if is_encoded else json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, list) else None


_READERS: Final[dict[str, Callable[[ResourceReader], Content | None]]] = {
    "FeatureView": _view,
    "FeatureOnlineStore": _store,
    "FeatureGroupTable": _group,
    "Source": _table,
}


MAX_KEPT: Final = 2 << 20
"""Bytes of files whose trees are kept; a tree takes ten times the memory of its text, or more."""


def read_tree(text: str, *, is_json: bool) -> HclFile:
    """The blocks of a text in either syntax."""
    if is_json:
        from trialrun.parser.hcl_json import read_hcl_json

        return read_hcl_json(text)
    from trialrun.parser.hcl import read_hcl

    return read_hcl(text)


def siblings(sibling_files: Siblings) -> tuple[list[Module], Assigned, Planned]:
    """The modules of the other files of a folder, the values of variables, of which the last counts, and of a plan."""
    own = [(path, data) for path, data in sibling_files if "/" not in path]
    modules = [Module(*_trees.read(path, data)) for path, data in own if is_terraform_path(path)]
    files = [(path, data) for path, data in own if is_variables_path(path)]
    files.sort(key=lambda file: (not file[0].startswith("terraform.tfvars"), file[0]))
    assigned = {name: (value, path) for path, data in files for name, value in _values(path, data)}
    calls = [*_calls(sibling_files)]
    return modules, _in_common(calls) if calls else assigned, json.loads(dict(sibling_files).get(PLAN, b"{}"))


def _calls(sibling_files: Siblings) -> Iterator[Assigned]:
    """The arguments of each call of the module in the folders above, with the file of the call."""
    folder = [data.decode("utf-8", "surrogateescape") for path, data in sibling_files if path == FOLDER]
    names = folder[0].split("/") if folder else []
    for level in range(1, len(names) + 1):
        prefix = "../" * level
        files = tuple((path.removeprefix(prefix), data) for path, data in sibling_files if path.startswith(prefix))
        modules, assigned, _ = siblings(files)
        for module in modules:
            module.main, modules[0].others, modules[0].assigned = modules[0], modules[1:], assigned
        for module in modules:
            for body in module.called("/".join(names[-level:])):
                arguments = {name: module.evaluate(item.expression) for name, item in body.attributes.items()}
                yield {
                    name: (Unknown("", "") if found.default_of else found.value, prefix + module.source.path)
                    for name, found in arguments.items()
                }


def _in_common(calls: Sequence[Assigned]) -> Assigned:
    """The arguments that are the same in all calls; others are unknown."""
    first = calls[0]
    assigned = dict.fromkeys((name for call in calls for name in call), (Unknown("", ""), ""))
    for name, (value, path) in first.items():
        if not has_unknown(value) and all(name in call and call[name][0] == value for call in calls):
            assigned[name] = value, path
    return assigned


class _Trees:
    """The trees of the last files, as every file of a folder needs those of the others; `most` bounds their texts."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._trees: dict[tuple[str, bytes], tuple[Source, str, Body]] = {}

    def read(self, path: str, data: bytes) -> tuple[Source, str, Body]:
        """A file with its text for the parser and its tree."""
        tree = self._trees.pop((path, data), None)
        if tree is None:
            decoded = decode(data, path)
            is_json = path.lower().endswith(".json")
            tree = decoded.source, decoded.clean, read_tree(decoded.clean, is_json=is_json).body
        self._trees[path, data] = tree
        while len(self._trees) > 1 and sum(len(text) for _, text in self._trees) > self.most:
            del self._trees[next(iter(self._trees))]
        return tree


_trees = _Trees(MAX_KEPT)


def _values(path: str, data: bytes) -> Iterator[tuple[str, Any]]:
    """The values that a file gives to variables; in JSON they are without templates."""
    if path.endswith(".json"):
        from trialrun.parser.json import parse_json

        for document in parse_json(decode(data, path).clean)[0][:1]:
            yield from document.value.items() if isinstance(document.value, dict) else ()
        return
    source, text, body = _trees.read(path, data)
    module = Module(source, text, body)
    for name, attribute in body.attributes.items():
        yield name, module.evaluate(attribute.expression).value
