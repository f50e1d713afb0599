"""Indexes on the disk: a folder for each, which is there whole or not at all, and is read without building again.

Vectors are read where they lie, by mapping the file into memory. What the other files hold is checked by a checksum.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.index.library import need_numpy

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.index.vector_index import VectorIndex

FORMAT = 1
CONTENTS = "contents.json"
VECTORS = "vectors.npy"
PART = ".part"
"""What the name of a folder ends with that is not whole yet."""


def save(index: VectorIndex, folder: str | os.PathLike[str]) -> None:
    """Write an index to a folder, which takes the place of what is there; a kill leaves the old one, none, or this."""
    from trialrun.runtime.feature_view.index.parts import parts_of

    place = Path(folder)
    part = place.with_name(place.name + PART)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    contents, writers = parts_of(index)
    files = {name: _written(part / name, write) for name, write in writers.items()}
    text = json.dumps({"format": FORMAT, "files": files, **contents})
    _write(part / CONTENTS, lambda path: path.write_text(f"{zlib.crc32(text.encode()):08x}\n{text}", encoding="utf-8"))
    shutil.rmtree(place, ignore_errors=True)
    part.rename(place)


def load(folder: str | os.PathLike[str]) -> VectorIndex:
    """Read an index. Raises NotSearchable where it is missing or damaged."""
    need_numpy()
    from trialrun.runtime.feature_view.index.parts import index_of_parts

    place = Path(folder)
    try:
        contents = _contents(place)
        return index_of_parts(contents, place)
    except FileNotFoundError as error:
        raise NotSearchable("the index of the view is missing; sync the view again") from error
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError) as error:
        if isinstance(error, NotSearchable):
            raise
        raise NotSearchable(f"the index of the view is damaged ({error}); sync the view again") from error


def _written(path: Path, write: Callable[[Path], object]) -> list[int]:
    """The size and the checksum of a file that was written; vectors are too many to be read again for a checksum."""
    _write(path, write)
    return [path.stat().st_size, 0 if path.name == VECTORS else zlib.crc32(path.read_bytes())]


def _write(path: Path, write: Callable[[Path], object]) -> None:
    write(path)
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _contents(place: Path) -> Mapping[str, Any]:
    """What contents.json says, once every file is as it says."""
    checksum, _, text = (place / CONTENTS).read_text(encoding="utf-8").partition("\n")
    if checksum != f"{zlib.crc32(text.encode()):08x}":
        raise ValueError(f"{CONTENTS} is not as it was written")
    contents: Mapping[str, Any] = json.loads(text)
    if contents["format"] != FORMAT:
        raise NotSearchable("the index of the view is of another version of trialrun; sync the view again")
    for name, (size, check) in contents["files"].items():
        path = place / name
        if path.stat().st_size != size or (name != VECTORS and zlib.crc32(path.read_bytes()) != check):
            raise ValueError(f"{name} is not as it was written")
    return contents
