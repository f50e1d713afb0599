"""Between the two processes: what they say to each other, and how it gets there."""
