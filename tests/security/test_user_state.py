"""What the program keeps for a user is read from the user's own files alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trialrun.user_state import read_own_file


def test_a_file_is_read_up_to_a_number_of_bytes(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"12345")
    assert [read_own_file(tmp_path / "key", most) for most in (4, 6)] == [b"1234", b"12345"]


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links are followed here")
def test_a_link_to_a_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"12345")
    (tmp_path / "key").symlink_to("secret")
    with pytest.raises(OSError, match="key"):
        read_own_file(tmp_path / "key", 6)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.timeout(5)
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key")
    with pytest.raises(OSError, match="not a regular file"):
        read_own_file(tmp_path / "key", 6)
