"""Online stores: the values that are served, and nothing else."""
