"""`trialrun serve`: a server on this machine for the clients of both services."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import ALLOW_PATH, AT, ISOLATED
from trialrun.cli.workspace_options import ACCESS, ENGINE, dry_run_from_options, request_and_options, require_libraries
from trialrun.errors import UsageError, os_error_reason

if TYPE_CHECKING:
    from trialrun.server.start import ServerOptions

PORT = click.IntRange(0, 65535)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
TOKEN_VARIABLE = "TRIALRUN_TOKEN"
LIBRARIES = ("starlette", "uvicorn", "httptools", "prometheus_client", "numpy")


def _require_number(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """The value of an option, unless it is nan, which is in every range."""
    if value != value:
        raise click.BadParameter("nan is not a number; use 0 or more", context, parameter)
    return value


@click.command("serve")
@click.argument("workspace", default=".", metavar="[WORKSPACE]", type=FOLDER)
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen here; others than loopback need a token.")
@click.option("--port", type=PORT, default=0, help="Listen for HTTP here. [default: a free port]")
@click.option("--grpc-port", type=PORT, help="Listen for gRPC too; 0 is a free port.")
@click.option(
    "--dialect",
    type=click.Choice(("specification", "vendor")),
    default="specification",
    show_default=True,
    help="The field names by HTTP: those of the specifications, or those of the vendor's clients.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0, 1e9),
    callback=_require_number,
    default=1.0,
    show_default=True,
    help="Seconds that the server's clock moves in one; 0 stands still.",
)
@click.option("--store", type=FOLDER, help="Keep values and what clients create in this folder. [default: .trialrun]")
@click.option("--token-file", type=FILE, help=f"Require the token in this file; {TOKEN_VARIABLE} has one as well.")
@ACCESS
@click.option("--ready-file", type=FILE, help="Write the addresses to this file once the server is ready.")
@click.option(
    "--log-format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Lines for people, or JSON for programs.",
)
@click.option("--verbose", is_flag=True, help="Log which operation each request is, and why it is refused.")
@ISOLATED
@AT
@ENGINE
@ALLOW_PATH
def command(workspace: Path, **options: Any) -> int:
    """Serve both APIs over the documents of a workspace, for clients and tests on this machine.

    Unchanged clients, in any language, fetch, search, write and patch here as they do at the real service. The files
    stay the truth: saved changes are taken over, and what clients create is kept in the store folder.
    """
    require_libraries("serve", "serve", *LIBRARIES)
    if options["grpc_port"] is not None:
        require_libraries("serve --grpc-port", "grpc", "grpc", "grpc_status")
    server_options = _server_options(options)
    try:
        os.chdir(workspace)
    except OSError as error:
        raise UsageError(f"{workspace} is not a folder that can be entered: {error.strerror}") from error
    from trialrun.server.reload import ServedWorkspace
    from trialrun.server.start import serve

    def reopen() -> ServedWorkspace:
        return ServedWorkspace(*request_and_options(options))

    return serve(dry_run_from_options({**options, "store": None}), server_options, reopen)


def _server_options(options: dict[str, Any]) -> ServerOptions:
    from trialrun.server.access import read_access_file
    from trialrun.server.start import ServerOptions

    if options["access"]:
        _warn_of_readers(Path(options["access"]), "--access")
    return ServerOptions(
        host=options["host"].removeprefix("[").removesuffix("]"),
        port=options["port"],
        grpc_port=options["grpc_port"],
        dialect=options["dialect"],
        speed=options["speed"],
        store=_absolute(options["store"]),
        token=_token(options["token_file"]),
        access=read_access_file(options["access"]) if options["access"] else None,
        ready_file=_absolute(options["ready_file"]),
        log_format=options["log_format"],
        is_verbose=options["verbose"],
    )


def _absolute(path: Path | None) -> Path | None:
    """A path of the command line, which stays the same when the workspace is entered."""
    return path.absolute() if path else None


def _token(file: Path | None) -> str | None:
    """The token that clients must send; never an argument, which every process of the machine could read."""
    from trialrun.server.access import check_token

    if file is None:
        token = os.environ.get(TOKEN_VARIABLE)
        return check_token(token, TOKEN_VARIABLE) if token else None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise UsageError(f"--token-file: {file} cannot be read; it is not text in UTF-8") from error
    except OSError as error:
        raise UsageError(f"--token-file: {file} cannot be read; {os_error_reason(error)}") from error
    _warn_of_readers(file, "--token-file")
    return check_token(token, "--token-file")


def _warn_of_readers(file: Path, option: str) -> None:
    if os.name == "posix" and file.exists() and file.stat().st_mode & 0o077:
        print(f"warning: {option}: other users may read {file}; run chmod 600 {file}", file=sys.stderr, flush=True)
