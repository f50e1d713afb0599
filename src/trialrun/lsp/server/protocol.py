"""The protocol of pygls, which here answers invalid requests too and does not keep texts."""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcParseError, JsonRpcServerNotInitialized
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import JsonRPCNotification, RPCMessage

INVALID_REQUEST = -32600


class Protocol(LanguageServerProtocol):
    """Answers every request, also an invalid one, or one before initialize or after shutdown."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Parse a message; an invalid request is refused, not left without a response."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" not in data or "method" not in data:
                raise
            self._send_response(data["id"], error=error.to_response_error())
            return JsonRPCNotification("$/refused", self.VERSION, None)

    def handle_message(self, message: RPCMessage) -> None:
        """Handle a message; a request that is not allowed now is refused."""
        refusal = self._refusal(getattr(message, "method", ""))
        if refusal is None:
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._send_response(message.id, error=refusal.to_response_error())

    def refuse_text(self, error: JSONDecodeError | UnicodeDecodeError) -> None:
        """Respond to invalid JSON, without an id."""
        refused = {"code": JsonRpcParseError.CODE, "message": str(error)}
        self._send_data({"jsonrpc": self.VERSION, "id": None, "error": refused})

    def _refusal(self, method: str) -> JsonRpcException | None:
        """Why a message is not allowed now; responses and `exit` always are."""
        has_begun = self._workspace is not None
        if not method or method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcException("the server has shut down; only exit is allowed", INVALID_REQUEST)
        if method == types.INITIALIZE:
            return JsonRpcException("the server is initialized already", INVALID_REQUEST) if has_begun else None
        return None if has_begun else JsonRpcServerNotInitialized("the first request is initialize")

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Iterator[Any]:
        """Call the handler; pygls would keep the text too, and breaks lines where the protocol does not (U+2028)."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Call the handler."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Iterator[Any]:
        """Call the handler."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None
