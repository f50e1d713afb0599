"""The version of the package and the address of the project."""

from __future__ import annotations

__version__ = "0.3.0"
HOME_PAGE: str | None = None
"""The address of the project, which reports for programs name once there is one."""
