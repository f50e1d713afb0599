"""The analysis of a folder: keeps its workspace open, publishes diagnostics and answers requests."""
