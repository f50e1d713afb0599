"""Indexes on the disk: a folder for each, which is there whole or not at all, and is read without building again.

Vectors are read where they lie, by mapping the file into memory. Every file has a digest, and all digests have one
that needs the user's key, and is of the name of the index too: no library is handed what we did not write here.
"""

from __future__ import annotations

import hmac
import json
import os
import shutil
import stat
from collections.abc import Callable, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.index.optional_imports import require_numpy

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.vector_index import VectorIndex

FORMAT = 2
CONTENTS = "contents.json"
PARTIAL_SUFFIX = ".part"
"""What the name of a folder ends with that is not whole yet."""


def save_index(index: VectorIndex, folder: str | os.PathLike[str], *, key: bytes = b"") -> None:
    """Write an index to a folder, which takes the place of what is there; a kill leaves the old one, none, or this.

    `key` is what its digest needs.
    """
    from trialrun.runtime.feature_view.index.serialize import serialize_index

    place = Path(folder)
    part = place.with_name(place.name + PARTIAL_SUFFIX)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    contents, writers = serialize_index(index)
    files = {name: _write_and_measure(part / name, write) for name, write in writers.items()}
    text = json.dumps({"format": FORMAT, "files": files, **contents})
    signed = f"{_keyed_digest(_title_of(place), text, key)}\n{text}"
    _write_and_measure(part / CONTENTS, lambda path: path.write_text(signed, encoding="utf-8"))
    shutil.rmtree(place, ignore_errors=True)
    part.rename(place)


def load_index(folder: str | os.PathLike[str], *, key: bytes = b"") -> VectorIndex:
    """Read an index. Raises NotSearchable where it is missing, damaged, or was not written with this key."""
    require_numpy()
    from trialrun.runtime.feature_view.index.serialize import deserialize_index

    place = Path(folder)
    try:
        return deserialize_index(_read_contents(place, key), place)
    except FileNotFoundError as error:
        raise NotSearchable("the index of the view is missing; sync the view again") from error
    except NotSearchable:
        raise
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError) as error:
        raise NotSearchable(f"the index of the view is damaged ({error}); sync the view again") from error


def _title_of(place: Path) -> str:
    """What the digest of an index says which one it is by: the names of its folder, and of the one above."""
    return f"{place.parent.name}/{place.name}"


def _write_and_measure(path: Path, write: Callable[[Path], object]) -> list[int | str]:
    """The size and the digest of a file that was written."""
    write(path)
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
    return _measure(path)


def _measure(path: Path) -> list[int | str]:
    """The size and the digest of a regular file that is no link."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{path.name} is not a regular file")
        return [status.st_size, file_digest(file, "sha256").hexdigest()]


def _keyed_digest(title: str, text: str, key: bytes) -> str:
    """The digest that needs a key: of what contents.json says, and of which index that is."""
    return hmac.new(key, f"{title}\n{text}".encode(), "sha256").hexdigest()


def _read_contents(place: Path, key: bytes) -> Mapping[str, Any]:
    """What contents.json says, once it and every file are as they were written."""
    _measure(place / CONTENTS)
    digest, _, text = (place / CONTENTS).read_text(encoding="utf-8").partition("\n")
    if not hmac.compare_digest(digest.encode(), _keyed_digest(_title_of(place), text, key).encode()):
        raise ValueError(f"{CONTENTS} was changed after it was written")
    contents: Mapping[str, Any] = json.loads(text)
    if contents["format"] != FORMAT:
        raise NotSearchable("the index of the view is of another version of trialrun; sync the view again")
    for name, measured in contents["files"].items():
        if _measure(place / name) != measured:
            raise ValueError(f"{name} was changed after it was written")
    return contents
