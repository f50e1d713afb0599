"""The words of the specifications, which the services speak themselves; enums may come as their numbers."""

from __future__ import annotations

from typing import cast

from trialrun.server.bindings.binding import Binding, Json, StreamBinding
from trialrun.server.dialect.enums import name_enums
from trialrun.server.dialect.field_names import FieldNames
from trialrun.server.dialect.response_json import Response, response_json
from trialrun.service.error import ServiceError

NAMES = FieldNames()


class SpecificationDialect:
    """Field names as the specifications have them."""

    name = "specification"
    names = NAMES

    def read_request(self, binding: Binding | StreamBinding, request: Json) -> Json:
        """The request with the names of fields and of enum values."""
        return name_enums(cast("Json", NAMES.read(request, binding.request)))

    def write_response(self, response: Response) -> Json:
        """The response as it is."""
        return response_json(response)

    def write_error(self, binding: Binding | StreamBinding, request: Json, error: ServiceError) -> ServiceError:
        """The refusal as it is."""
        return error
