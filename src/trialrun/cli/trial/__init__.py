"""What the commands of trial runs are made of: sync, fetch, search, schedule and test."""
