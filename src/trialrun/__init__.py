"""Lint FeatureView and ChannelConfig files, and give them a trial run before production does."""

__version__ = "0.2.0"
HOME_PAGE: str | None = None
"""The address of the project, which reports for programs name once there is one."""
