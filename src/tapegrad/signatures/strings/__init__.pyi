"""What the ops of each module take and give, for type checkers and editors alone."""
