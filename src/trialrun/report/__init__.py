"""What a check found, written for a person or for a program: one module per output format."""
