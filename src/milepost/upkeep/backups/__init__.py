"""Copies of a store that are made by themselves, and drills with them."""
