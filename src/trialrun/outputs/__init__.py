"""What commands print as JSON, built from the answers of the runtime: for the command line and the library alike."""
