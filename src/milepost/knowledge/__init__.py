"""What happened, how things hang together, and what to keep."""
