"""The protocol as pygls has it, stricter where a client would wait for ever and plainer in keeping texts."""

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
    """Answers every request, also one that cannot be read, or that comes too early or too late."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message; a request that is not as the protocol has it is refused, not left without an answer."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" not in data or "method" not in data:
                raise
            self._send_response(data["id"], error=error.to_response_error())
            return JsonRPCNotification("$/refused", self.VERSION, None)

    def handle_message(self, message: RPCMessage) -> None:
        """Carry a message out; a request that has no place now is refused."""
        refusal = self._refusal(getattr(message, "method", ""))
        if refusal is None:
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._send_response(message.id, error=refusal.to_response_error())

    def refuse_text(self, error: JSONDecodeError | UnicodeDecodeError) -> None:
        """Answer to what is no JSON; whose answer it would have been nobody knows."""
        refused = {"code": JsonRpcParseError.CODE, "message": str(error)}
        self._send_data({"jsonrpc": self.VERSION, "id": None, "error": refused})

    def _refusal(self, method: str) -> JsonRpcException | None:
        """Why a message has no place now; responses and the last message always have one."""
        has_begun = self._workspace is not None
        if not method or method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcException("the server has shut down; nothing but exit follows", INVALID_REQUEST)
        if method == types.INITIALIZE:
            return JsonRpcException("the server is initialized already", INVALID_REQUEST) if has_begun else None
        return None if has_begun else JsonRpcServerNotInitialized("the first request is initialize")

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Iterator[Any]:
        """Pass a text on; pygls would keep it as well, whose lines end where the protocol ends none (U+2028)."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Pass a change on."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Iterator[Any]:
        """Pass an end on."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None
