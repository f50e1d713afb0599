"""The words in which clients write requests and read responses: those of the specifications, or the vendor's.

The services speak the words of the specifications, and clients may write fields in camelCase or in snake_case. For the
vendor's clients, fields have the vendor's names wherever a FeatureView stands in a request, a response or a mask. The
vendor's values have neither timestamps nor lists of bytes: those are whole numbers of microseconds, and texts in
base64. Responses have only the members that the vendor's have. Both dialects may write enums as their numbers. Only
fields of messages have other names: keys of maps, such as labels, are what clients made them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field

from trialrun.importers.api import VENDOR_FIELDS
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.feature_view import DistanceMeasureType, FeatureView, ServiceAgentType
from trialrun.model.node import Node
from trialrun.runtime.feature_view.index.interface import Operator
from trialrun.server.json_body import Json
from trialrun.service.error import (
    MAX_VIOLATIONS,
    BadRequest,
    FieldViolation,
    ServiceError,
    field_path,
    invalid_argument,
)
from trialrun.service.feature_view import messages
from trialrun.service.feature_view.feature_value import DataKey, FeatureValue
from trialrun.service.lint_request import LintWarning
from trialrun.service.message import Message
from trialrun.service.resource import to_json
from trialrun.service.rpc import Rpc
from trialrun.values.suggest import snake_case

DialectName = Literal["specification", "vendor"]
Model = type[BaseModel] | type[Node]
Steps = tuple[str | int, ...]
PATH_STEP = re.compile(r"\.?([^.\[\]]+)|\[([0-9]+)\]")
MASK_HEAD = re.compile(r"\s*(`?)([^`.]+)\1")
JSON_FIELDS: Mapping[str, Model] = {
    "featureView": FeatureView,
    "channelConfig": ChannelConfig,
    "dataKey": DataKey,
    "keyValues": messages.KeyValues,
}
"""What fields hold that are JSON objects: resources of requests, which the linter checks, and values of responses."""
DATA_FORMATS = ("FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED", "KEY_VALUE", "PROTO_STRUCT")
ENUMS: Mapping[tuple[str, ...], Sequence[str]] = {
    ("featureView", "serviceAgentType"): get_args(ServiceAgentType),
    ("featureView", "indexConfig", "distanceMeasureType"): get_args(DistanceMeasureType),
    ("query", "numericFilters", "op"): ("OPERATOR_UNSPECIFIED", *get_args(Operator)),
    ("dataFormat",): DATA_FORMATS,
    ("format",): DATA_FORMATS,
}
"""The names by number of every enum, by where it is in a request; lists are passed through."""


class OperationMetadata(Message):
    """The metadata of a long-running operation; `warnings` are remarks of the linter, which are no failures."""

    genericMetadata: Json
    warnings: list[LintWarning] | None = Field(default=None)
    featureViewSync: str | None = None


@cache
def message_in(model: Model, name: str) -> Model | None:
    """The message that a field holds, alone or in a list; None for a scalar or a map."""
    if name not in model.model_fields:
        return None
    annotation = model.model_fields[name].annotation
    if any(get_origin(part) is dict for part in (annotation, *get_args(annotation))):
        return JSON_FIELDS.get(name)
    found = _messages(annotation)
    return found[0] if len(found) == 1 else None


def _messages(annotation: Any) -> list[Model]:
    if isinstance(annotation, type) and issubclass(annotation, (BaseModel, Node)):
        return [annotation]
    parts = () if get_origin(annotation) is dict else get_args(annotation)
    return [message for part in parts for message in _messages(part)]


class Dialect:
    """The words of a family of clients; these are those of the specifications, which the services speak themselves.

    `renamed` are the fields that have other names there, by message, and `own` those that only this service has, each
    with what clients write instead: they neither send nor get them.
    """

    renamed: Mapping[Model, Mapping[str, str]] = {}
    own: Mapping[Model, Mapping[str, str]] = {}

    def __init__(self) -> None:
        self._fields = cache(self._fields_of)

    def name_of(self, model: Model, field: str) -> str:
        """The name that clients know a field by."""
        return self.renamed.get(model, {}).get(field, field)

    def fields(self, model: Model) -> list[str]:
        """The fields of a message that clients know, by their names here."""
        own = self.own.get(model, {})
        return [name for name in model.model_fields if name not in own]

    def read_request(self, rpc: Rpc, request: Json) -> Json:
        """A request in the words of the specifications, with names of enums. Raises INVALID_ARGUMENT."""
        read: Json = self._read(request, rpc.request, ())
        for path, names in ENUMS.items():
            if path[0] in read:
                read = _with_enum_names(read, path, names)
        return read

    def write_response(self, response: Message | Node) -> Json:
        """A response in the words of the clients: a resource with all that is set, a message with what is not null."""
        if isinstance(response, Node):
            return to_json(response)
        return response.json_object()

    def write_error(self, rpc: Rpc, request: Json, error: ServiceError) -> ServiceError:
        """Why a request, as the client sent it, is refused, in the words of the client."""
        return error

    def write_fields(self, value: Any, model: Model) -> Any:
        """A message with the names that clients know, without the fields that they do not."""
        if isinstance(value, list):
            return [self.write_fields(item, model) for item in value]
        if not isinstance(value, dict):
            return value
        own, renamed = self.own.get(model, {}), self.renamed.get(model, {})
        message: Json = {}
        for field, item in value.items():
            if field not in own:
                inner = message_in(model, field)
                message[renamed.get(field, field)] = self.write_fields(item, inner) if inner else item
        return message

    def _read(self, value: Any, model: Model, steps: Steps) -> Any:
        """A message with the fields of the services; null is unset, and unknown fields are left to be refused.

        Raises INVALID_ARGUMENT for a field in two spellings, and for the name that others have for a field.
        """
        if isinstance(value, list):
            return [self._read(item, model, (*steps, at)) for at, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        fields = self._fields(model)
        message: Json = {}
        spellings: dict[str, str] = {}
        unknown = 0
        for key, item in value.items():
            field = fields.get(key)
            if field is None:
                unknown += 1
                other = self._foreign_name(key, model)
                if other is not None or unknown > MAX_VIOLATIONS:
                    others = "" if other is not None else f", after {unknown - 1} others"
                    hint = f'; did you mean "{other}"?' if other else others
                    raise invalid_argument(field_path((*steps, key)), "unknown-field", f"unknown field{hint}")
                message[key] = item
                continue
            if field in spellings:
                twice = f'"{key}" is another spelling of "{spellings[field]}"; remove one of the two'
                raise invalid_argument(field_path((*steps, key)), "duplicate-key", twice)
            spellings[field] = key
            if item is not None:
                inner = message_in(model, field)
                message[field] = self._read(item, inner, (*steps, key)) if inner else item
        return message

    def _fields_of(self, model: Model) -> Mapping[str, str]:
        names = {self.name_of(model, field): field for field in self.fields(model)}
        return {snake_case(name): field for name, field in names.items()} | names

    def _foreign_name(self, key: str, model: Model) -> str | None:
        """The name that clients know a field by, where this is a spelling of the name that they do not know."""
        names = {**self.renamed.get(model, {}), **self.own.get(model, {})}
        return next((name for field, name in names.items() if key in (field, snake_case(field))), None)


def _with_enum_names(value: Any, path: Sequence[str], names: Sequence[str]) -> Any:
    """A value with names in place of the numbers of an enum; a number that has no name stays, and is refused."""
    if isinstance(value, list):
        return [_with_enum_names(item, path, names) for item in value]
    if not path:
        return names[value] if type(value) is int and 0 <= value < len(names) else value
    if not isinstance(value, dict) or path[0] not in value:
        return value
    return {**value, path[0]: _with_enum_names(value[path[0]], path[1:], names)}


PLAIN_VALUES = "plainValues"


class VendorDialect(Dialect):
    """The words of the vendor's clients."""

    renamed: Mapping[Model, Mapping[str, str]] = {FeatureView: VENDOR_FIELDS}
    own: Mapping[Model, Mapping[str, str]] = {
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

    def read_request(self, rpc: Rpc, request: Json) -> Json:
        """The request with the names of the specifications, and what the vendor's values mean."""
        read = super().read_request(rpc, request)
        if PLAIN_VALUES in rpc.request.model_fields:
            read[PLAIN_VALUES] = True
        if isinstance(read.get("featureView"), dict) and isinstance(mask := read.get("updateMask"), str):
            read["updateMask"] = ",".join(map(self._read_mask_path, mask.split(",")))
        return read

    def _read_mask_path(self, path: str) -> str:
        """A path of a mask of a FeatureView with the fields of the services. Raises INVALID_ARGUMENT."""
        head = MASK_HEAD.match(path)
        if head is not None and (name := self._fields(FeatureView).get(head[2])) is not None:
            return name + path[head.end() :]
        if head is not None and (other := self._foreign_name(head[2], FeatureView)):
            message = f'"{path.strip()}": FeatureView has no field "{head[2]}"; did you mean "{other}"?'
            raise invalid_argument("updateMask", "invalid-field-mask", message)
        return path

    def write_response(self, response: Message | Node) -> Json:
        """The response with the names and the members that the vendor's have, and statuses in the vendor's words."""
        written: Json = self.write_fields(super().write_response(response), type(response))
        for message in (written, *written.get("featureViewSyncs", ())):
            for status in (message.get("status"), message.get("finalStatus")):
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

        def written(violation: FieldViolation) -> FieldViolation:
            field = self._write_path(violation.field, rpc.request)
            description = vendor_text(violation.description, kept=kept)
            return FieldViolation(field=field, description=description, reason=violation.reason)

        details = [
            BadRequest(fieldViolations=[*map(written, detail.fieldViolations)])
            if isinstance(detail, BadRequest)
            else detail
            for detail in error.details
        ]
        return ServiceError(error.status, vendor_text(error.message, kept=kept), details)

    def _write_path(self, path: str, model: Model) -> str:
        inner: Model | None = model

        def write_step(step: re.Match[str]) -> str:
            nonlocal inner
            if inner is None or step[1] is None:
                return step[0]
            name = self.name_of(inner, step[1])
            inner = message_in(inner, step[1])
            return step[0].removesuffix(step[1]) + name

        return PATH_STEP.sub(write_step, path)


DIALECTS: Mapping[DialectName, Dialect] = {"specification": Dialect(), "vendor": VendorDialect()}
WORDS: Mapping[str, str] = {
    form(name): form(vendor)
    for name, vendor in VENDOR_FIELDS.items()
    for form in (str, snake_case, lambda name: name[:1].upper() + name[1:])
}
"""The vendor's words by those of the specifications: names of fields in both spellings, and of messages."""
WORD = re.compile(rf"\b({'|'.join(WORDS)})\b")


def vendor_text(text: str, *, kept: Iterable[str] = ()) -> str:
    """A message in the vendor's words, but for those that are to be kept: its clients read the names that they sent."""
    return WORD.sub(lambda word: word[0] if word[0] in kept else WORDS[word[0]], text)
