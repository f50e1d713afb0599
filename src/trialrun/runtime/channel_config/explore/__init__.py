"""Search for surprises: many random sessions at a store, and the shortest script that shows each thing found."""
