"""`trialrun new KIND NAME`: a first document of a kind, or a copy of one under another name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import click

from trialrun.cli.options import ALLOW_PATH, default_request, require_working_folder
from trialrun.cli.output import program_parts, write_utf8
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import allow_arguments, read_file
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.selection import default_selection
from trialrun.model.kinds import KINDS
from trialrun.templates.document import copy_document, document_template
from trialrun.templates.examples import workspace_names
from trialrun.values.suggest import did_you_mean
from trialrun.workspace.catalog import declared_resources
from trialrun.workspace.write_files import FileNotWritten, create_files

MAX_BYTES = 16 << 20
"""What the file of a document to copy may have."""
ENDINGS = (".yaml", ".yml")
NAMED_BY_NAME = ("/name", "/featureGroupId", "/uri")
"""The fields that are made from the name, the name itself first."""


@click.command("new")
@click.argument("kind")
@click.argument("name")
@click.option(
    "--from",
    "original",
    metavar="FILE[#NAME]",
    help="Copy the document of KIND in FILE, with its comments; #NAME picks one of several.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to a new FILE instead of standard output.")
@click.option("--no-comments", is_flag=True, help="Leave out the comments about further fields.")
@ALLOW_PATH
def command(kind: str, name: str, original: str | None, output: str | None, no_comments: bool) -> int:
    """Print a small sound document of KIND, called NAME: an id, a resource name, or the sentence of a Scenario.

    What it needs is filled in, with names of the workspace where there are any. All other fields are comments, each
    with an example value and its meaning. With --from, it is a copy in which only the name changes.
    """
    require_working_folder()
    if kind not in KINDS:
        raise UsageError(f'there is no kind "{kind}"{did_you_mean(kind, KINDS)}; choose one of {", ".join(KINDS)}')
    if not name.strip():
        raise UsageError("the name is empty; give the document one")
    if not name.isprintable():
        raise UsageError("the name has characters that cannot be printed; leave them out")
    if original is not None and no_comments:
        raise UsageError("--no-comments does not go with --from, which keeps the comments of the copied document")
    if original is None:
        request = default_request((), {"isolated": False})
        documents = [(kind, resource.node) for kind, resource in declared_resources(request, KINDS)]
        text = document_template(kind, name, workspace_names(documents), with_comments=not no_comments)
    else:
        text = _copy(kind, name, original)
    _require_sound(text, kind, name, NAMED_BY_NAME if original is None else NAMED_BY_NAME[:1])
    if output is None or output == "-":
        if next(program_parts([text])) != text:
            raise UsageError("the copy has characters that control terminals or CI systems; write it to a file with -o")
        write_utf8([text])
        return 0
    _write(output, text, original)
    return 0


def _copy(kind: str, name: str, original: str) -> str:
    file, chosen = _file_and_name(original)
    try:
        allow_arguments([file], os.getcwd())
        data = read_file(file, MAX_BYTES, named_in=os.getcwd())
    except OSError as error:
        raise UsageError(f"--from: {file} cannot be read: {os_error_reason(error)}") from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"--from: {file} is larger than {MAX_BYTES >> 20} MiB; copy it by hand")
    return copy_document(data, file, kind, name, original=chosen)


def _file_and_name(original: str) -> tuple[str, str | None]:
    """The file of --from, and the name of a document in it where one is given."""
    if "#" not in original or os.path.lexists(original):
        return original, None
    file, _, name = original.rpartition("#")
    return file, name


def _require_sound(text: str, kind: str, name: str, pointers: Sequence[str]) -> None:
    """Raise UsageError where the name is what is wrong with the document, at one of some pointers."""
    linter = Linter(default_selection(), now=EXAMPLE_TIME, session_types=lambda: session_types(()), with_fixes=False)
    for diagnostic in linter.lint(text.encode("utf-8", "surrogatepass"), "new.yaml", is_explicit=True).diagnostics:
        if diagnostic.pointer in pointers and diagnostic.severity.name == "ERROR":
            raise UsageError(f'"{name}" is no name for a {kind}: {diagnostic.message}')


def _write(output: str, text: str, original: str | None) -> None:
    """Write the document to a new file, and say so."""
    is_json = original is not None and _file_and_name(original)[0].lower().endswith(".json")
    endings = (".json",) if is_json else ENDINGS  # a copy of JSON is JSON
    if not output.lower().endswith(endings):
        raise UsageError(f"-o: {output} would not be checked; name a file that ends in {endings[0]}")
    folder, file = os.path.split(output)
    contents: Mapping[str, bytes] = {file: text.encode("utf-8", "surrogatepass")}
    try:
        create_files(folder or os.curdir, contents, named_in=os.getcwd())
    except FileNotWritten as error:
        hint = "; name another file" if os.path.lexists(output) else ""
        raise UsageError(f"-o: {output} cannot be written: {error}{hint}") from error
    write_utf8([f"wrote {output}\n"])
