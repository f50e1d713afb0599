"""What a server is started with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.server.access_file import AccessFile

DialectName = Literal["specification", "vendor"]
LogFormat = Literal["text", "json"]
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class ServerOptions:
    """The choices of whoever starts a server.

    A port of 0 is a free one, and None means that nothing listens. `speed` is how many seconds the server's clock moves
    in one, 0 for a clock that stands still. `store` is the folder of values and of what clients created, None for the
    folder of the workspace. `token` is what clients must send, `access` who they are and what each may do; None where
    everybody on this machine may call, and do everything.
    """

    host: str = LOOPBACK
    port: int = 0
    grpc_port: int | None = None
    dialect: DialectName = "specification"
    speed: float = 1.0
    store: Path | None = None
    token: str | None = None
    access: AccessFile | None = None
    ready_file: Path | None = None
    log_format: LogFormat = "text"
    is_verbose: bool = False
