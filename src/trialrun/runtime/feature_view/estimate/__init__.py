"""What a sync would take on each engine: estimated from the sizes of tables and measured rates; no row is read."""
