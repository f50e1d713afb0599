"""The protocol as pygls has it, stricter where a client would wait for ever and plainer in keeping texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification


class Protocol(LanguageServerProtocol):
    """Answers every request, also one that cannot be read."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message; a request that is not as the protocol has it is refused, not left without an answer."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" not in data or "method" not in data:
                raise
            self._send_response(data["id"], error=error.to_response_error())
            return JsonRPCNotification("$/refused", self.VERSION, None)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Pass a change on. pygls would keep a text as well, whose lines end where the protocol ends none (U+2028)."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None
