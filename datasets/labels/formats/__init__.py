"""Label formats: each turns a `Dataset` into files.

supervision, the best kept converter, was tried for writing and reads ours back in the tests. It
names a label file by the picture's stem alone, so a tree of folders becomes one flat folder and two
pictures with one stem are refused; it drops confidence, roles and groups; Pascal VOC boxes are rounded to
whole pixels; and it opens every picture again, without turning it upright, to learn its size. So the
formats are written here.

What each holds beside names and boxes:

| format | confidence | role | meld group |
|---|---|---|---|
| yolo | | | boxes of the class `meld` |
| coco | `score` | `attributes.role` | `attributes.meld`, `meld_kind` |
| voc | attribute | attribute | attributes |
| labelstudio | `score` | choice of the region | number of the region |
| labelme | `description` | flag | `group_id` |
| cvat | attribute | attribute | `group_id` |

The three for training (yolo, coco, voc) leave out tiles that can't be told (`?`); the three for
people keep them to be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..dataset import Dataset
from . import coco, cvat, labelme, labelstudio, voc, yolo
from .file import LabelFile

FORMATS: dict[str, Callable[[Dataset], Iterator[LabelFile]]] = {
    "yolo": yolo.files,
    "coco": coco.files,
    "voc": voc.files,
    "labelstudio": labelstudio.files,
    "labelme": labelme.files,
    "cvat": cvat.files,
}

__all__ = ["FORMATS", "LabelFile"]
