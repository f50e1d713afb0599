"""The option `--output-format FORMAT[=FILE]`: several reports of one run, at most one of them on standard output."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from trialrun.errors import UsageError


def parse_outputs(given: Sequence[str], formats: Iterable[str]) -> list[tuple[str, str | None]]:
    """The formats of `--output-format FORMAT[=FILE]` with their files, None for standard output; text by default.

    Raises UsageError for a format that is not among `formats`, and where two write to one place.
    """
    formats = list(formats)
    outputs: list[tuple[str, str | None]] = []
    for one in given or ("text",):
        name, equals, file = one.partition("=")
        if name not in formats:
            from trialrun.values.suggest import did_you_mean

            raise UsageError(
                f'--output-format: there is no format "{name}"{did_you_mean(name, formats)}; '
                f"choose one of {', '.join(formats)}"
            )
        if equals and not file:
            raise UsageError(
                f"--output-format: {one} has no file name; write {name}=FILE, or {name} for standard output"
            )
        outputs.append((name, file or None))
    if sum(file is None for _, file in outputs) > 1:
        raise UsageError("--output-format: only one format can go to standard output; write the others to FORMAT=FILE")
    files = [os.path.abspath(file) for _, file in outputs if file]
    for file in files:
        if files.count(file) > 1:
            raise UsageError(f"--output-format: two formats cannot write to the same file {file}; give each its own")
    return outputs
