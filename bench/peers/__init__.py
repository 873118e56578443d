"""Other memory services, each measured in an environment of its own."""
