"""Measuring how fast FanLens is, one module for each question; run on a machine that does nothing else."""

import os

os.environ.setdefault("YOLO_OFFLINE", "1")  # ultralytics looks for a network as it is imported
