"""The server process: handles the Language Server Protocol, and leaves linting to the analysis process."""
