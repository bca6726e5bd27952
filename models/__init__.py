"""The shipped weights and what is known about them.

`manifest.json` names every file with its sha256, classes, input size, thresholds, calibration, data,
recipe and measured figures. Nothing is handed on before its sha256 was checked. From here the paths
go to `vision`, which runs them; this room itself opens no network file and imports nothing.
"""

from .manifest import ClassifierSpec, DetectorSpec, GroupsSpec, Manifest, ModelError, load_manifest

__all__ = ["ClassifierSpec", "DetectorSpec", "GroupsSpec", "Manifest", "ModelError", "load_manifest"]
