"""Sources: where rows are, what columns they have, and the engines that read them."""
