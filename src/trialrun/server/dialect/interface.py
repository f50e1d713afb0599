"""What a dialect does: it puts requests into the words of the specifications, and responses into its own."""

from __future__ import annotations

from typing import Any, Protocol

from trialrun.server.bindings.binding import Binding, StreamBinding

Json = dict[str, Any]


class Dialect(Protocol):
    """The field names and values of one family of clients."""

    name: str

    def read_request(self, binding: Binding | StreamBinding, request: Json) -> Json:
        """A request in the words of the specifications."""
        ...

    def write_response(self, binding: Binding | StreamBinding, response: Json) -> Json:
        """A response in the words of the clients."""
        ...
