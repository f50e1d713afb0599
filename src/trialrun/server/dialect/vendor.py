"""The words of the vendor's clients, where the specifications have neutral ones, and the forms of its values.

Fields have the vendor's names wherever a FeatureView stands in a request, a response or a mask. The vendor's values
have neither timestamps nor lists of bytes: those are whole numbers of microseconds, and texts in base64. Responses have
only the members that the vendor's have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from trialrun.importers.vendor_spelling import VENDOR_FIELDS
from trialrun.model.feature_view import FeatureView
from trialrun.server.bindings.binding import Binding, Json, StreamBinding
from trialrun.server.dialect.enums import name_enums
from trialrun.server.dialect.field_names import FieldNames
from trialrun.server.dialect.messages import RESOURCES, Model
from trialrun.server.dialect.response_json import Response, response_json
from trialrun.server.dialect.vendor_words import vendor_text, words_of_the_client
from trialrun.server.operation_metadata import OperationMetadata
from trialrun.service.error import BadRequest, Detail, FieldViolation, ServiceError
from trialrun.service.feature_view import messages
from trialrun.service.feature_view.values import FeatureValue

PLAIN_VALUES = "plainValues"
OWN_REQUEST_FIELDS = {PLAIN_VALUES: ""}
OWN_FIELDS: Mapping[Model, Mapping[str, str]] = {
    messages.FetchFeatureValuesRequest: OWN_REQUEST_FIELDS,
    messages.StreamingFetchFeatureValuesRequest: OWN_REQUEST_FIELDS,
    messages.DirectWriteRequest: OWN_REQUEST_FIELDS,
    messages.SearchNearestEntitiesRequest: OWN_REQUEST_FIELDS,
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
NAMES = FieldNames({FeatureView: VENDOR_FIELDS}, OWN_FIELDS)


class VendorDialect:
    """Field names and values as the vendor's clients have them."""

    name = "vendor"
    names = NAMES

    def read_request(self, binding: Binding | StreamBinding, request: Json) -> Json:
        """The request with the names of the specifications, and what the vendor's values mean."""
        read = name_enums(cast("Json", NAMES.read(request, binding.request)))
        if PLAIN_VALUES in binding.request.model_fields:
            read[PLAIN_VALUES] = True
        resource = next((RESOURCES[field] for field in RESOURCES if isinstance(read.get(field), dict)), None)
        if resource is not None and "updateMask" in read:
            read["updateMask"] = NAMES.read_mask(read["updateMask"], resource, "updateMask")
        return read

    def write_response(self, response: Response) -> Json:
        """The response with the names and the members that the vendor's have."""
        return cast("Json", _write_statuses(NAMES.write(response_json(response), type(response))))

    def write_error(self, binding: Binding | StreamBinding, request: Json, error: ServiceError) -> ServiceError:
        """The refusal with the paths and words of the client."""
        descriptions = [violation.description for violation in error.field_violations]
        kept = words_of_the_client(request, [error.message, *descriptions])
        details = [_write_detail(detail, binding.request, kept) for detail in error.details]
        return ServiceError(error.status, vendor_text(error.message, kept=kept), details)


def _write_detail(detail: Detail, request: Model, kept: frozenset[str]) -> Detail:
    if not isinstance(detail, BadRequest):
        return detail
    violations = [
        FieldViolation(
            field=NAMES.write_path(violation.field, request),
            description=vendor_text(violation.description, kept=kept),
            reason=violation.reason,
        )
        for violation in detail.fieldViolations
    ]
    return BadRequest(fieldViolations=violations)


def _write_statuses(response: Any) -> Any:
    """A response whose statuses have messages in the vendor's words, as those of the syncs in it."""
    for sync in response.get("featureViewSyncs", ()):
        _write_statuses(sync)
    for name in ("status", "finalStatus"):
        status = response.get(name)
        if isinstance(status, dict):
            response[name] = _write_status(status)
    return response


def _write_status(status: Json) -> Json:
    for detail in status.get("details", ()):
        for violation in detail.get("fieldViolations", ()):
            violation["description"] = vendor_text(violation["description"])
    return {**status, "message": vendor_text(status["message"])} if "message" in status else status
