"""Measuring what FanLens reads against the truth, one module for each question."""
