"""The words in which clients write requests and read responses: those of the specifications, or the vendor's.

The services speak the words of the specifications. For the vendor's clients, fields have the vendor's names wherever a
FeatureView stands in a request, a response or a mask. The vendor's values have neither timestamps nor lists of bytes:
those are whole numbers of microseconds, and texts in base64. Responses have only the members that the vendor's have.
Both dialects may write enums as their numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field

from trialrun.importers.vendor_spelling import VENDOR_FIELDS
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.feature_view import DistanceMeasureType, FeatureView, ServiceAgentType
from trialrun.model.node import Node
from trialrun.runtime.feature_view.index.interface import Operator
from trialrun.server.json_body import Json
from trialrun.service.error import (
    MAX_VIOLATIONS,
    BadRequest,
    Detail,
    FieldViolation,
    ServiceError,
    field_path,
    invalid_argument,
)
from trialrun.service.feature_view import messages
from trialrun.service.feature_view.values import FeatureValue
from trialrun.service.lint_request import LintWarning
from trialrun.service.message import Message, Timestamp
from trialrun.service.resource_json import to_json
from trialrun.service.rpc import Rpc
from trialrun.values.suggest import snake_case

Model = type[BaseModel] | type[Node]
Steps = tuple[str | int, ...]
PATH_STEP = re.compile(r"\.?([^.\[\]]+)|\[([0-9]+)\]")
MASK_HEAD = re.compile(r"\s*(`?)([^`.]+)\1")
RESOURCES: Mapping[str, Model] = {
    "featureView": FeatureView,
    "channelConfig": ChannelConfig,
}
"""The resources that requests bring as JSON objects, which the linter checks, by the fields that they are in."""


@cache
def message_in(model: Model, name: str) -> Model | None:
    """The message that a field holds, alone or in a list; None for a scalar or a map."""
    if name not in model.model_fields:
        return None
    annotation = model.model_fields[name].annotation
    if get_origin(annotation) is dict:
        return RESOURCES.get(name)
    messages = _messages(annotation)
    return messages[0] if len(messages) == 1 else None


def _messages(annotation: Any) -> list[Model]:
    """The messages that a type mentions, except those inside of maps."""
    if isinstance(annotation, type) and issubclass(annotation, (BaseModel, Node)):
        return [annotation]
    if get_origin(annotation) is dict:
        return []
    return [message for part in get_args(annotation) for message in _messages(part)]


class FieldNames:
    """The names of one family of clients.

    `renamed` are the fields that have other names there, by message, and `own` those that only this service has, each
    with what clients write instead: they neither send nor get them.
    """

    def __init__(
        self,
        renamed: Mapping[Model, Mapping[str, str]] | None = None,
        own: Mapping[Model, Mapping[str, str]] | None = None,
    ) -> None:
        self._renamed = renamed or {}
        self._own = own or {}
        self._fields = cache(self._fields_of)

    def name_of(self, model: Model, field: str) -> str:
        """The name that clients know a field by."""
        return self._renamed.get(model, {}).get(field, field)

    def fields(self, model: Model) -> list[str]:
        """The fields of a message that clients know, by their names here."""
        own = self._own.get(model, {})
        return [name for name in model.model_fields if name not in own]

    def read(self, value: Any, model: Model, steps: Steps = ()) -> Any:
        """A message with the fields of the services; null is unset, and unknown fields are left to be refused.

        Raises INVALID_ARGUMENT for a field in two spellings, and for the name that others have for a field.
        """
        if isinstance(value, list):
            return [self.read(item, model, (*steps, at)) for at, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        fields = self._fields(model)
        message: Json = {}
        spellings: dict[str, str] = {}
        unknown = 0
        for key, item in value.items():
            field = fields.get(key)
            if field is None:
                self._require_not_foreign(key, model, steps)
                unknown += 1
                if unknown > MAX_VIOLATIONS:
                    raise invalid_argument(
                        field_path((*steps, key)), "unknown-field", f"unknown field, after {unknown - 1} others"
                    )
                message[key] = item
                continue
            if field in spellings:
                twice = f'"{key}" is another spelling of "{spellings[field]}"; remove one of the two'
                raise invalid_argument(field_path((*steps, key)), "duplicate-key", twice)
            spellings[field] = key
            if item is not None:
                inner = message_in(model, field)
                message[field] = self.read(item, inner, (*steps, key)) if inner else item
        return message

    def write(self, value: Any, model: Model) -> Any:
        """A message with the names that clients know, without the fields that they do not."""
        if isinstance(value, list):
            return [self.write(item, model) for item in value]
        if not isinstance(value, dict):
            return value
        own, renamed = self._own.get(model, {}), self._renamed.get(model, {})
        message: Json = {}
        for field, item in value.items():
            if field not in own:
                inner = message_in(model, field)
                message[renamed.get(field, field)] = self.write(item, inner) if inner else item
        return message

    def read_mask(self, mask: Any, model: Model, field: str) -> Any:
        """A field mask with the fields of the services. Raises INVALID_ARGUMENT."""
        if not isinstance(mask, str) or model not in self._renamed:
            return mask
        return ",".join(self._read_mask_path(path, model, field) for path in mask.split(","))

    def write_path(self, path: str, model: Model) -> str:
        """The path of a field with the names that clients know."""
        inner: Model | None = model

        def write_step(step: re.Match[str]) -> str:
            nonlocal inner
            if inner is None or step[1] is None:
                return step[0]
            name = self.name_of(inner, step[1])
            inner = message_in(inner, step[1])
            return step[0].removesuffix(step[1]) + name

        return PATH_STEP.sub(write_step, path)

    def _fields_of(self, model: Model) -> Mapping[str, str]:
        """The fields of a message by each spelling that clients may use."""
        names = {self.name_of(model, field): field for field in self.fields(model)}
        return {snake_case(name): field for name, field in names.items()} | names

    def _read_mask_path(self, path: str, model: Model, field: str) -> str:
        head = MASK_HEAD.match(path)
        if head is None:
            return path
        name = self._fields(model).get(head[2])
        if name is not None:
            return name + path[head.end() :]
        if other := self._foreign_name(head[2], model):
            message = f'"{path.strip()}": {model.__name__} has no field "{head[2]}"; did you mean "{other}"?'
            raise invalid_argument(field, "invalid-field-mask", message)
        return path

    def _require_not_foreign(self, key: str, model: Model, steps: Steps) -> None:
        """Refuse the name that a field has elsewhere, which the services would take."""
        other = self._foreign_name(key, model)
        if other is not None:
            hint = f'; did you mean "{other}"?' if other else ""
            raise invalid_argument(field_path((*steps, key)), "unknown-field", f"unknown field{hint}")

    def _foreign_name(self, key: str, model: Model) -> str | None:
        """The name that clients know a field by, where this is a spelling of the name that they do not know."""
        names = {**self._renamed.get(model, {}), **self._own.get(model, {})}
        return next((name for field, name in names.items() if key in (field, snake_case(field))), None)


DialectName = Literal["specification", "vendor"]
Response = BaseModel | Node
"""What a service answers: a message of its own, or a resource."""
DATA_FORMATS = ("FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED", "KEY_VALUE", "PROTO_STRUCT")
ENUMS: Mapping[tuple[str, ...], Sequence[str]] = {
    ("featureView", "serviceAgentType"): get_args(ServiceAgentType),
    ("featureView", "indexConfig", "distanceMeasureType"): get_args(DistanceMeasureType),
    ("query", "numericFilters", "op"): ("OPERATOR_UNSPECIFIED", *get_args(Operator)),
    ("dataFormat",): DATA_FORMATS,
    ("format",): DATA_FORMATS,
}
"""The names by number of every enum, by where it is in a request; lists are passed through."""


class GenericMetadata(Message):
    """What the metadata of all long-running operations have."""

    createTime: Timestamp
    updateTime: Timestamp
    partialFailures: list[messages.RpcStatus] | None = None


class OperationMetadata(Message):
    """The metadata of a long-running operation; `warnings` are remarks of the linter, which are no failures."""

    genericMetadata: GenericMetadata
    warnings: list[LintWarning] | None = Field(default=None)
    featureViewSync: str | None = None


class Dialect:
    """The words of the specifications, which the services speak themselves."""

    names = FieldNames()

    def read_request(self, rpc: Rpc, request: Json) -> Json:
        """A request in the words of the specifications, with names of enums. Raises INVALID_ARGUMENT."""
        read: Json = self.names.read(request, rpc.request)
        for path, names in ENUMS.items():
            if path[0] in read:
                read = _named(read, path, names)
        return read

    def write_response(self, response: Response) -> Json:
        """A response in the words of the clients: a resource with all that is set, a message with what is not null."""
        if isinstance(response, Node):
            return to_json(response)
        message: Json = response.model_dump(mode="json", exclude_none=True)
        return message

    def write_error(self, rpc: Rpc, request: Json, error: ServiceError) -> ServiceError:
        """Why a request, as the client sent it, is refused, in the words of the client."""
        return error


def _named(value: Any, path: Sequence[str], names: Sequence[str]) -> Any:
    """A value with names in place of the numbers of an enum; a number that has no name stays, and is refused."""
    if isinstance(value, list):
        return [_named(item, path, names) for item in value]
    if not path:
        is_number = type(value) is int and 0 <= value < len(names)
        return names[value] if is_number else value
    if not isinstance(value, dict) or path[0] not in value:
        return value
    return {**value, path[0]: _named(value[path[0]], path[1:], names)}


PLAIN_VALUES = "plainValues"
OWN_FIELDS: Mapping[Model, Mapping[str, str]] = {
    messages.FetchFeatureValuesRequest: {PLAIN_VALUES: ""},
    messages.StreamingFetchFeatureValuesRequest: {PLAIN_VALUES: ""},
    messages.DirectWriteRequest: {PLAIN_VALUES: ""},
    messages.SearchNearestEntitiesRequest: {PLAIN_VALUES: ""},
    messages.FeatureViewSync: dict.fromkeys(("findings", "skippedChecks", "assumptions"), ""),
    messages.SyncSummary: dict.fromkeys(("rowsRead", "new", "changed", "unchanged", "vanished"), ""),
    OperationMetadata: {"warnings": "", "featureViewSync": ""},
    messages.SearchNearestEntitiesResponse: {"assumptions": ""},
    messages.WriteResponse: {"superseded": ""},
    FeatureValue: {
        "timestampValue": "int64Value",
        "timestampArrayValue": "int64ArrayValue",
        "bytesArrayValue": "stringArrayValue",
    },
}
"""Fields of our requests and responses that the vendor's do not have, and what its clients write instead."""


class VendorDialect(Dialect):
    """The words of the vendor's clients."""

    names = FieldNames({FeatureView: VENDOR_FIELDS}, OWN_FIELDS)

    def read_request(self, rpc: Rpc, request: Json) -> Json:
        """The request with the names of the specifications, and what the vendor's values mean."""
        read = super().read_request(rpc, request)
        if PLAIN_VALUES in rpc.request.model_fields:
            read[PLAIN_VALUES] = True
        resource = next((RESOURCES[field] for field in RESOURCES if isinstance(read.get(field), dict)), None)
        if resource is not None and "updateMask" in read:
            read["updateMask"] = self.names.read_mask(read["updateMask"], resource, "updateMask")
        return read

    def write_response(self, response: Response) -> Json:
        """The response with the names and the members that the vendor's have, and statuses in the vendor's words."""
        written: Json = self.names.write(super().write_response(response), type(response))
        for message in (written, *written.get("featureViewSyncs", ())):
            for name in ("status", "finalStatus"):
                status = message.get(name)
                if isinstance(status, dict):
                    for detail in status.get("details", ()):
                        for violation in detail.get("fieldViolations", ()):
                            violation["description"] = vendor_text(violation["description"])
                    if "message" in status:
                        status["message"] = vendor_text(status["message"])
        return written

    def write_error(self, rpc: Rpc, request: Json, error: ServiceError) -> ServiceError:
        """The refusal with the paths and words of the client; texts may quote what it wrote itself, such as a label."""
        texts = [error.message, *(violation.description for violation in error.field_violations)]
        words = {word for text in texts for word in WORD.findall(text)}
        sent = json.dumps(request, default=str) if words else ""
        kept = frozenset(word for word in words if re.search(rf"\b{word}\b", sent))

        def written(detail: Detail) -> Detail:
            if not isinstance(detail, BadRequest):
                return detail
            violations = [
                FieldViolation(
                    field=self.names.write_path(violation.field, rpc.request),
                    description=vendor_text(violation.description, kept=kept),
                    reason=violation.reason,
                )
                for violation in detail.fieldViolations
            ]
            return BadRequest(fieldViolations=violations)

        message = vendor_text(error.message, kept=kept)
        return ServiceError(error.status, message, [written(detail) for detail in error.details])


DIALECTS: Mapping[DialectName, Dialect] = {"specification": Dialect(), "vendor": VendorDialect()}


def _capitalized(name: str) -> str:
    return name[:1].upper() + name[1:]


WORDS: Mapping[str, str] = {
    form(name): form(vendor) for name, vendor in VENDOR_FIELDS.items() for form in (str, snake_case, _capitalized)
}
"""The vendor's words by those of the specifications: names of fields in both spellings, and of messages."""
WORD = re.compile(rf"\b({'|'.join(WORDS)})\b")


def vendor_text(text: str, *, kept: Iterable[str] = ()) -> str:
    """A message in the vendor's words, but for those that are to be kept: its clients read the names that they sent."""
    return WORD.sub(lambda word: word[0] if word[0] in kept else WORDS[word[0]], text)


__all__ = ["DIALECTS", "Dialect", "DialectName", "FieldNames", "GenericMetadata", "OperationMetadata", "VendorDialect"]
