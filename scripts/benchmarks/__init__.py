"""Measuring how fast FanLens is, one module for each question; run on a machine that does nothing else."""
