"""What can be done about a finding beyond the fix of its rule: a module each."""
