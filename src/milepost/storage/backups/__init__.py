"""Copies of a store in another place: what they say of themselves, put there, fetched, checked."""
