"""Benchmarks: every speed claim as a ratio against something else, measured in one run."""
