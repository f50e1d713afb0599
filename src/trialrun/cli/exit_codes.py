"""The exit codes of the commands; 0 is success, and 1 findings or a negative result."""

USAGE_EXIT = 2
INTERNAL_ERROR_EXIT = 3
INTERRUPTED_EXIT = 130
