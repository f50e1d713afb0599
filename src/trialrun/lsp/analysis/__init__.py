"""The analysis process: keeps the workspace open, publishes diagnostics and responds to requests."""
