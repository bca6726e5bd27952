"""Names of the label formats, for those who only offer them; `formats` writes them."""

FORMAT_NAMES = ("yolo", "coco", "voc", "labelstudio", "labelme", "cvat")
TRAINING_FORMATS = ("yolo", "coco", "voc")
"""Those that leave out tiles that can't be told."""
