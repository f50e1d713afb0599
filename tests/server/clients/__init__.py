"""The vendor's own clients against the server; each is skipped by name where it is not installed."""
