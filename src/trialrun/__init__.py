"""Lint FeatureView and ChannelConfig files, and give them a trial run before production does."""

__version__ = "0.1.0"
