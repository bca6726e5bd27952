"""Real photos of tiles: our mended labels for them, and how they become a training set.

The photos are other people's (`datasets.sources` says whose); this folder holds only what we
changed in their labels. `corrections` reads those changes and applies them to a label file,
`photos` joins pictures, labels, meld groups, ignore regions and roles into `RealPhoto`s, and
`prepare` writes them as a YOLO data set. From here they go to training and to evaluation.
"""

from .mending import Corrected, CorrectionError, Label, apply_changes
from .photos import RealPhoto, Role, read_photos

__all__ = ["Corrected", "CorrectionError", "Label", "RealPhoto", "Role", "apply_changes", "read_photos"]
