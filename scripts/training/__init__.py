"""Training: the locator, the classifier of faces and the judge of groups, and what ships of them."""

import os

os.environ.setdefault("YOLO_OFFLINE", "1")  # ultralytics looks for a network as it is imported
