"""The server: handles the Language Server Protocol, and lints when no message waits."""
