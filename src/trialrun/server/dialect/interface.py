"""What a dialect does: it puts requests into the words of the specifications, and responses into its own."""

from __future__ import annotations

from typing import Any, Protocol

from trialrun.server.bindings.binding import Binding, StreamBinding
from trialrun.server.dialect.field_names import FieldNames
from trialrun.server.dialect.response_json import Response
from trialrun.service.error import ServiceError

Json = dict[str, Any]


class Dialect(Protocol):
    """The field names and values of one family of clients."""

    name: str
    names: FieldNames

    def read_request(self, binding: Binding | StreamBinding, request: Json) -> Json:
        """A request in the words of the specifications. Raises INVALID_ARGUMENT."""
        ...

    def write_response(self, response: Response) -> Json:
        """A response in the words of the clients."""
        ...

    def write_error(self, binding: Binding | StreamBinding, request: Json, error: ServiceError) -> ServiceError:
        """Why a request, as the client sent it, is refused, in the words of the client."""
        ...
