"""What a change of a workspace does: two revisions as canonical models, their differences, and whom these reach."""
