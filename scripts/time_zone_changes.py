"""Write the time zones whose rules changed from one release of tzdata to a later one.

    python scripts/time_zone_changes.py 2025.2 2026.6

The arguments are versions of the package on PyPI: one of about a year ago, and the one that pyproject.toml asks for.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

TABLE = Path(__file__).parent.parent / "src/trialrun/values/time_zone/changed_zones.txt"
HOUR = timedelta(hours=1)
YEARS = 5


def main(old: str, new: str) -> None:
    """Compare the offsets of every hour from the beginning of the later release's year."""
    start = datetime(int(new.partition(".")[0]), 1, 1, tzinfo=UTC)
    with tempfile.TemporaryDirectory() as folder:
        before, after = (install(Path(folder, version), version) for version in (old, new))
        names = (after / "zones").read_text("ascii").split()
        changes = {name: first_change(before, after, name, start) for name in names}
        releases = [(package / "zoneinfo/tzdata.zi").read_text().split()[2] for package in (before, after)]
    lines = [f"{name} {at:%Y-%m-%dT%H:%MZ}" for name, at in changes.items() if at]
    TABLE.write_text(f"# {' '.join(releases)}\n" + "".join(f"{line}\n" for line in sorted(lines)), encoding="ascii")


def install(folder: Path, version: str) -> Path:
    """The package in a folder of its own."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", f"--target={folder}"]
    subprocess.run([*command, f"tzdata=={version}"], check=True)
    return folder / "tzdata"


def first_change(before: Path, after: Path, name: str, start: datetime) -> datetime | None:
    """The first hour from `start` at which the clocks of both differ; None for zones that are new."""
    files = [package.joinpath("zoneinfo", *name.split("/")) for package in (before, after)]
    if not files[0].exists() or files[0].read_bytes() == files[1].read_bytes():
        return None
    old, new = (ZoneInfo.from_file(file.open("rb")) for file in files)
    hours = (start + HOUR * number for number in range(YEARS * 366 * 24))
    return next((at for at in hours if at.astimezone(old).utcoffset() != at.astimezone(new).utcoffset()), None)


if __name__ == "__main__":
    main(*sys.argv[1:])
