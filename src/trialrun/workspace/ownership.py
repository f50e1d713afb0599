"""Notes about repositories of other users, which are listed without git."""

from __future__ import annotations

from collections.abc import Iterable

from trialrun.repository import ForeignRepository, find_repository


def ownership_notes(folders: Iterable[str]) -> list[str]:
    """A note for each repository around some folders that belongs to another user, with how to trust it."""
    repositories = {find_repository(folder) for folder in set(folders)}
    advice = sorted(repository.advice for repository in repositories if isinstance(repository, ForeignRepository))
    return [f"files are listed without git: {clause}" for clause in advice]
