"""JSON output of commands, for the command line and the library."""
