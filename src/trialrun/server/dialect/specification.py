"""The words of the specifications, which the services speak themselves; enums may come as their numbers."""

from __future__ import annotations

from trialrun.server.bindings.binding import Binding, Json, StreamBinding
from trialrun.server.dialect.enums import name_enums


class SpecificationDialect:
    """Field names as the specifications have them."""

    name = "specification"

    def read_request(self, binding: Binding | StreamBinding, request: Json) -> Json:
        """The request with the names of enum values."""
        return name_enums(request)

    def write_response(self, binding: Binding | StreamBinding, response: Json) -> Json:
        """The response as it is."""
        return response
