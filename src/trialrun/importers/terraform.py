"""Terraform: views, feature groups with their features, and online stores, in plans, states and configuration files.

A configuration file gives the values that it says; every other expression is a hole with a line. Locals and a
`for_each` that is written out are followed, as `check` does it; a variable may be set elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.input_file import InputError, InputFile
from trialrun.importers.interface import (
    GroupFeature,
    Imported,
    ImportedDocument,
    ImportOptions,
    InputPlace,
    Note,
    complete,
    join_features,
    repeated_key_notes,
)
from trialrun.importers.terraform_resource import (
    DATA_SOURCE,
    DEFAULT_LABELS,
    EXPRESSION,
    META_ARGUMENTS,
    REPEATING_ARGUMENTS,
    SENSITIVE,
    SEVERAL_RESOURCES,
    ResourceReader,
    TerraformResource,
    feature,
    feature_group,
    feature_view,
    leaves,
    online_store,
)
from trialrun.parser.hcl import read_hcl
from trialrun.parser.hcl_syntax import Body, Expression, ListExpression, Literal, ObjectExpression, Template
from trialrun.parser.terraform.evaluate import Module
from trialrun.parser.terraform.values import NO_EACH, Scope, instances
from trialrun.terraform import has_unknown
from trialrun.text import MAX_BYTES, Source
from trialrun.workspace.terraform_plan import list_at, part_at

UNKNOWN = "known only after apply"
DEPOSED = "a deposed object, which the next apply deletes"
TAINTED = "a resource that is tainted, which the next apply replaces"
DELETED = "a resource that the plan deletes or forgets"
FORMAT_VERSIONS = ("0", "1")
STATE_FILE_VERSION = 4


def json_resources(file: InputFile, types: Sequence[str], notes: list[Note]) -> Iterator[TerraformResource]:
    """The managed resources of some types in a plan, a state or a configuration.

    Raises InputError for another version of the format.
    """
    for number, value in enumerate(file.documents):
        place = InputPlace(file.name, document=number)
        if is_state_file(value):
            yield from _state_file_resources(value, place, types, notes)
        elif is_json_configuration(value, types):
            yield from _configuration_resources(value, place, types, notes)
        elif is_show_output(value):
            if str(value["format_version"]).partition(".")[0] not in FORMAT_VERSIONS:
                raise InputError(f"{file.name} has a format version of Terraform's JSON that is not 1")
            yield from _show_output_resources(value, place, types, notes)


def is_show_output(value: Any) -> bool:
    """Whether a value is what `terraform show -json` prints."""
    if not isinstance(value, Mapping) or not isinstance(value.get("format_version"), str):
        return False
    return any(key in value for key in ("terraform_version", "values", "planned_values"))


def is_state_file(value: Any) -> bool:
    """Whether a value is the file of a state."""
    is_version = isinstance(value, Mapping) and value.get("version") == STATE_FILE_VERSION
    return is_version and isinstance(value.get("terraform_version"), str)


def _show_output_resources(
    value: Mapping[str, Any], place: InputPlace, types: Sequence[str], notes: list[Note]
) -> Iterator[TerraformResource]:
    """The resources of a state, or those that a plan leads to."""
    key = "planned_values" if "planned_values" in value else "values"
    # what a plan knows only after apply, by the address of the resource
    unknown = {
        str(change.get("address")): part_at(change, "change", "after_unknown")
        for change in list_at(value, "resource_changes")
        if isinstance(change, Mapping) and change.get("type") in types
    }
    for path, resource in _module_resources(part_at(value, key, "root_module"), (key, "root_module")):
        here = place.below(*path)
        if not (_is_managed(resource, types, here, notes) and _is_current(resource, here, notes)):
            continue
        attributes = part_at(resource, "values")
        holes = {
            **dict.fromkeys(leaves(resource.get("sensitive_values")), SENSITIVE),
            **dict.fromkeys(leaves(unknown.get(str(resource.get("address")))), UNKNOWN),
        }
        yield _resource(resource["type"], attributes, holes, place, (*path, "values"))
    _note_plan(value, place, types, notes)


def _note_plan(plan: Mapping[str, Any], place: InputPlace, types: Sequence[str], notes: list[Note]) -> None:
    """Note the resources that a plan deletes or puts off, and that it has errors."""
    for index, change in enumerate(list_at(plan, "resource_changes")):
        if part_at(change, "type") in types and part_at(change, "mode") in ("managed", None):
            actions = part_at(change, "change", "actions")
            if part_at(change, "deposed") is not None:
                notes.append(Note("dropped", DEPOSED, place.below("resource_changes", index)))
            elif actions in (["delete"], ["forget"]):
                notes.append(Note("dropped", DELETED, place.below("resource_changes", index)))
    for index, deferred in enumerate(list_at(plan, "deferred_changes")):
        if part_at(deferred, "resource_change", "type") in types:
            message = "a resource whose change the plan puts off; import a later plan"
            notes.append(Note("unresolved", message, place.below("deferred_changes", index)))
    if plan.get("errored") is True:
        notes.append(Note("unresolved", "the rest of a plan that ended with errors", place.below("errored")))


def _module_resources(module: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The resources of a module and of the modules in it."""
    for index, resource in enumerate(list_at(module, "resources")):
        if isinstance(resource, Mapping):
            yield (*path, "resources", index), resource
    for index, child in enumerate(list_at(module, "child_modules")):
        yield from _module_resources(child, (*path, "child_modules", index))


def _state_file_resources(
    value: Mapping[str, Any], place: InputPlace, types: Sequence[str], notes: list[Note]
) -> Iterator[TerraformResource]:
    for index, resource in enumerate(list_at(value, "resources")):
        if not _is_managed(resource, types, place.below("resources", index), notes):
            continue
        for number, instance in enumerate(list_at(resource, "instances")):
            path: Path = ("resources", index, "instances", number)
            if _is_current(instance, place.below(*path), notes):
                holes = dict.fromkeys(_sensitive_paths(list_at(instance, "sensitive_attributes")), SENSITIVE)
                yield _resource(resource["type"], part_at(instance, "attributes"), holes, place, (*path, "attributes"))


def is_json_configuration(value: Any, types: Sequence[str]) -> bool:
    """Whether a value is a configuration in JSON syntax that has resources of some types."""
    return any(part_at(value, "resource", type_) for type_ in types)


def _configuration_resources(
    value: Mapping[str, Any], place: InputPlace, types: Sequence[str], notes: list[Note]
) -> Iterator[TerraformResource]:
    """The resources of a configuration in JSON syntax, in which texts with templates are expressions."""
    providers = part_at(value, "provider")
    for provider in providers if isinstance(providers, Mapping) else ():
        blocks = providers[provider] if isinstance(providers[provider], list) else [providers[provider]]
        if any(part_at(block, "default_labels") for block in blocks):
            notes.append(Note("unresolved", DEFAULT_LABELS, place.below("provider", provider)))
    for type_ in types:
        data = part_at(value, "data", type_)
        for name in data if isinstance(data, Mapping) else ():
            notes.append(Note("dropped", DATA_SOURCE, place.below("data", type_, name)))
        resources = part_at(value, "resource", type_)
        for name in resources if isinstance(resources, Mapping) else ():
            body = resources[name]
            path: Path = ("resource", type_, name)
            if isinstance(body, list) and len(body) == 1:
                body, path = body[0], (*path, 0)
            if not isinstance(body, Mapping) or any(key in body for key in REPEATING_ARGUMENTS):
                notes.append(Note("unresolved", SEVERAL_RESOURCES, place.below(*path)))
                continue
            values = {key: part for key, part in body.items() if key not in META_ARGUMENTS}
            yield _resource(type_, values, dict.fromkeys(_templates(values), EXPRESSION), place, path)


def _templates(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of texts with templates, of which `$${` is none."""
    if isinstance(value, str) and any(sign in value for sign in ("${", "%{")):
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _templates(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _templates(inner, (*path, index))


def _sensitive_paths(paths: Sequence[Any]) -> Iterator[Path]:
    """The paths of the sensitive attributes of an instance, whose steps a state writes as mappings."""
    for path in paths:
        steps = [part_at(step, "value") for step in (path if isinstance(path, list) else ())]
        keys = [part_at(step, "value") if isinstance(step, Mapping) else step for step in steps]
        yield tuple(key for key in keys if isinstance(key, str | int))


def _is_managed(resource: Any, types: Sequence[str], place: InputPlace, notes: list[Note]) -> bool:
    """Whether a resource is one of some types that Terraform manages; a note on one that it only reads."""
    if not isinstance(resource, Mapping) or resource.get("type") not in types:
        return False
    if resource.get("mode", "managed") != "managed":
        notes.append(Note("dropped", DATA_SOURCE, place))
        return False
    return True


def _is_current(instance: Any, place: InputPlace, notes: list[Note]) -> bool:
    """Whether an instance is not deposed; a note on one that is, and on one that is tainted."""
    if any(part_at(instance, key) is not None for key in ("deposed", "deposed_key")):
        notes.append(Note("dropped", DEPOSED, place))
        return False
    if part_at(instance, "status") == "tainted" or part_at(instance, "tainted") is True:
        notes.append(Note("guessed", TAINTED, place))
    return True


def _resource(type_: str, values: Any, holes: Mapping[Path, str], place: InputPlace, path: Path) -> TerraformResource:
    own_place = place.below(*path)
    attributes = values if isinstance(values, Mapping) else {}
    return TerraformResource(type_, attributes, holes, lambda inner: own_place.below(*inner))


VIEW = "google_vertex_ai_feature_online_store_featureview"
GROUP = "google_vertex_ai_feature_group"
FEATURE = "google_vertex_ai_feature_group_feature"
STORE = "google_vertex_ai_feature_online_store"
TYPES = (VIEW, GROUP, FEATURE, STORE)


def import_terraform(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The documents of plans, states and configuration files. Raises InputError."""
    notes: list[Note] = []
    drafts, groups = list[ImportedDocument](), list[ImportedDocument]()
    features: list[GroupFeature] = []
    for resource in _resources(files, notes):
        reader = ResourceReader(resource, notes)
        if resource.type == GROUP:
            groups.append(feature_group(reader, options))
        elif resource.type == FEATURE:
            features.append(feature(reader, options))
        else:
            drafts.append((feature_view if resource.type == VIEW else online_store)(reader, options))
    return complete((*drafts, *join_features(groups, features, notes)), notes)


def is_terraform(file: InputFile) -> bool:
    """Whether a file is a plan, a state or a configuration file of Terraform."""
    return is_configuration(file) or any(
        is_show_output(value) or is_state_file(value) or is_json_configuration(value, TYPES) for value in file.documents
    )


def is_configuration(file: InputFile) -> bool:
    """Whether a file is one that people write for Terraform, by its name."""
    return file.name.endswith((".tf", ".tofu"))


def _resources(files: Sequence[InputFile], notes: list[Note]) -> Iterator[TerraformResource]:
    for file in files:
        start = file.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        is_json = start == b"{" or file.data[:2] in (b"\xff\xfe", b"\xfe\xff")
        if is_configuration(file) or not is_json:
            yield from hcl_resources(file, TYPES, notes)
        else:
            notes += repeated_key_notes(file)
            yield from json_resources(file, TYPES, notes)


MODULE = "the resources of a module; import a plan or a state instead"
MAX_INSTANCES = 100
"""Resources of one `for_each`."""
NO_VALUE = "(expression)"
"""Stands for a value that is not literal, in values that are noted by name alone."""


def hcl_resources(file: InputFile, types: Sequence[str], notes: list[Note]) -> Iterator[TerraformResource]:
    """The resources of some types in a configuration file. Raises InputError."""
    source, content = _read(file)
    module = Module(source, source.text, content)
    for block in content.blocks:
        labels = [label.text for label in block.labels]
        place = InputPlace(file.name, line=source.position(block.start).line)
        if block.type == "module":
            notes.append(Note("unresolved", MODULE, place))
        if block.type == "data" and labels[:1] and labels[0] in types:
            notes.append(Note("dropped", DATA_SOURCE, place))
        if block.type == "provider" and (default_labels := block.body.attributes.get("default_labels")):
            line = source.position(default_labels.start).line
            notes.append(Note("unresolved", DEFAULT_LABELS, InputPlace(file.name, line=line)))
        if block.type != "resource" or len(labels) != 2 or labels[0] not in types:
            continue
        scopes = _scopes(block.body, module)
        if scopes is None:
            notes.append(Note("unresolved", SEVERAL_RESOURCES, place))
        for scope in scopes or ():
            reader = _ValueReader(module, scope)
            values = reader.values(block.body, ())
            values = {name: value for name, value in values.items() if name not in META_ARGUMENTS}
            values = {**_of_provider(block.body, module), **values}
            yield TerraformResource(labels[0], values, reader.holes, reader.place_of(block.start))


def _of_provider(body: Body, module: Module) -> dict[str, Any]:
    """The project and the region that the provider of a resource says, if the file has it and they are written out."""
    provider = body.attributes.get("provider")
    said = module.providers.get(module.source_of(provider.expression) if provider else "google")
    found = {
        name: module.evaluate(said.attributes[name].expression)
        for name in ("project", "region")
        if said is not None and name in said.attributes
    }
    return {name: part.value for name, part in found.items() if isinstance(part.value, str) and not part.default_of}


def _scopes(body: Body, module: Module) -> list[Scope] | None:
    """What `each` is in the resources of a block; None where only Terraform knows how many there are."""
    for_each = body.attributes.get("for_each")
    if "count" in body.attributes or for_each is None:
        return None if "count" in body.attributes else [NO_EACH]
    found = module.evaluate(for_each.expression)
    return None if found.default_of else instances(found, MAX_INSTANCES)


def _read(file: InputFile) -> tuple[Source, Body]:
    if len(file.data) > MAX_BYTES:
        raise InputError(f"{file.name} has more than {MAX_BYTES // 2**20} MiB; import it in parts")
    try:
        source = Source(file.name, file.data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name} is not text in UTF-8") from error
    content = read_hcl(source.text)
    refused = (fault for fault in content.errors if not fault.is_accepted)
    for fault in refused:  # a file that Terraform refuses has no values; the message may quote it
        line = source.position(fault.start).line
        message = fault.message if fault.rule == "resource-limit" else "is not valid HCL; trialrun check says why"
        raise InputError(f"{file.name}:{line}: {message}")
    return source, content.body


class _ValueReader:
    """Reads the values of a block, with its holes and the offsets of its parts."""

    def __init__(self, module: Module, scope: Scope) -> None:
        self.module = module
        self.scope = scope
        self.source = module.source
        self.holes: dict[Path, str] = {}
        self.offsets: dict[Path, int] = {}

    def place_of(self, start: int) -> Callable[[Path], InputPlace]:
        """Where a part of the block is, which starts at an offset."""

        def place(path: Path) -> InputPlace:
            known = (self.offsets[path[:length]] for length in range(len(path), 0, -1) if path[:length] in self.offsets)
            return InputPlace(self.source.path, line=self.source.position(next(known, start)).line)

        return place

    def values(self, body: Body, path: Path) -> dict[str, Any]:
        """The values of a body; the blocks of a name are a list."""
        values: dict[str, Any] = {}
        for attribute in body.attributes.values():
            values[attribute.name] = self._value(attribute.expression, (*path, attribute.name), attribute.start)
        for block in body.blocks:
            if block.type == "dynamic" and block.labels:
                name = block.labels[0].text
                values[name] = self._hole((*path, name), block.start)
            elif isinstance(blocks := values.setdefault(block.type, []), list):
                inner = (*path, block.type, len(blocks))
                self.offsets[inner] = block.start
                blocks.append(self.values(block.body, inner))
        return values

    def _value(self, expression: Expression, path: Path, start: int) -> Any:
        """The value of an expression that the file says; otherwise a hole."""
        self.offsets[path] = start
        match expression:
            case Literal(value=value) | Template(text=str() as value):
                return value
            case ListExpression(items=items):
                return [self._value(item, (*path, index), item.start) for index, item in enumerate(items)]
            case ObjectExpression(items=pairs):
                return dict(self._pair(key, value, path) for key, value in pairs)
        found = self.module.evaluate(expression, self.scope)
        return found.value if not has_unknown(found.value) and not found.default_of else self._hole(path, start)

    def _pair(self, key: Expression, value: Expression, path: Path) -> tuple[str, Any]:
        """A key and a value of an object; a key that is not literal is a hole of its own."""
        match key:
            case Literal() | Template(text=str()):
                name = key.text if isinstance(key, Template) else self.source.text[key.start : key.end]
                return str(name), self._value(value, (*path, str(name)), key.start)
        return NO_VALUE, self._hole((*path, NO_VALUE), key.start)

    def _hole(self, path: Path, start: int) -> str:
        self.holes[path] = EXPRESSION
        self.offsets[path] = start
        return NO_VALUE
