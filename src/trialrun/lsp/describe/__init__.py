"""Markdown descriptions of fields and values, for hover and completion."""
