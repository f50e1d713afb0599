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
from typing import Any, Literal, get_args

from pydantic import BaseModel, Field

from trialrun.importers.vendor_spelling import VENDOR_FIELDS
from trialrun.model.feature_view import DistanceMeasureType, FeatureView, ServiceAgentType
from trialrun.model.node import Node
from trialrun.runtime.feature_view.index.interface import Operator
from trialrun.server.field_names import RESOURCES, FieldNames, Model
from trialrun.server.json_body import Json
from trialrun.service.error import BadRequest, Detail, FieldViolation, ServiceError
from trialrun.service.feature_view import messages
from trialrun.service.feature_view.messages import FeatureValue
from trialrun.service.lint_request import LintWarning
from trialrun.service.message import Message, Timestamp
from trialrun.service.resource import to_json
from trialrun.service.rpc import Rpc
from trialrun.values.suggest import snake_case

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


__all__ = ["DIALECTS", "Dialect", "DialectName", "GenericMetadata", "OperationMetadata", "VendorDialect"]
