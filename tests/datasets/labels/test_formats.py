"""Every format read back by somebody else's reader, boxes within half a pixel of the results'."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fanlens.datasets.labels.dataset import label_names
from fanlens.datasets.labels.format_names import FORMAT_NAMES
from fanlens.datasets.labels.formats import FORMATS
from fanlens.datasets.labels.inputs import gather
from fanlens.datasets.labels.results import PictureResult, Results
from fanlens.datasets.labels.run import label_pictures
from fanlens.vision.boxes import TILE_CLASSES
from PIL import Image

from .conftest import MODEL, open_fake, save_picture

Boxes = list[tuple[str, tuple[float, float, float, float]]]


@pytest.fixture
def labelled(photos: Path, tmp_path: Path, settings: Callable) -> tuple[Path, Results]:
    """An output folder with all six formats, and its results. One photo lies on its side by EXIF."""
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.open(photos / "b" / "2.jpg").save(photos / "turned.jpg", exif=exif)
    out = tmp_path / "out"
    label_pictures(gather([str(photos)]), out, MODEL, open_fake, settings(*FORMATS))
    return out, Results.load(out / "results.json")


def expected(picture: PictureResult, *, untold: bool) -> Boxes:
    assert picture.tiles is not None
    return sorted((tile.tile, tile.box) for tile in picture.tiles if untold or tile.tile != "?")


def assert_same(found: Boxes, wanted: Boxes) -> None:
    found = sorted(found)
    assert [name for name, _ in found] == [name for name, _ in wanted]
    for (_, box), (_, right) in zip(found, wanted, strict=True):
        assert max(abs(one - other) for one, other in zip(box, right, strict=True)) <= 0.5


def by_label(results: Results) -> dict[str, PictureResult]:
    names = label_names(results.lines)
    return {names[picture.path]: picture for picture in results}


def test_every_format_is_offered() -> None:
    assert set(FORMAT_NAMES) == set(FORMATS)


def test_the_turned_photo_is_labelled_upright(labelled: tuple[Path, Results]) -> None:
    picture = labelled[1].get("turned.jpg")
    assert picture is not None
    assert (picture.width, picture.height) == (120, 240)


def test_yolo_through_supervision(labelled: tuple[Path, Results]) -> None:
    supervision = pytest.importorskip("supervision")
    out, results = labelled
    seen = 0
    for folder in ("", "a", "b", "b/deep"):
        read = supervision.DetectionDataset.from_yolo(
            str(out / "images" / folder), str(out / "labels" / folder), str(out / "data.yaml")
        )
        assert read.classes == [*TILE_CLASSES, "meld"]
        for path, _, found in read:
            label = (Path(folder) / Path(path).stem).as_posix()
            picture = by_label(results)[label]
            boxes = _named(read.classes, found)
            assert_same([row for row in boxes if row[0] != "meld"], expected(picture, untold=False))
            groups = sorted(("meld", meld.box) for meld in picture.melds)
            assert_same([row for row in boxes if row[0] == "meld"], groups)
            seen += 1
    assert seen == len(results) == 8


def test_yolo_has_an_empty_file_for_a_picture_without_tiles(labelled: tuple[Path, Results]) -> None:
    assert (labelled[0] / "labels" / "empty.txt").read_bytes() == b""


def test_yolo_data_yaml_is_what_ultralytics_wants(labelled: tuple[Path, Results]) -> None:
    yaml = pytest.importorskip("yaml")
    out, _ = labelled
    content = yaml.safe_load((out / "data.yaml").read_text())
    assert content["nc"] == 44
    assert [content["names"][number] for number in range(43)] == list(TILE_CLASSES)
    assert (out / content["train"]).is_dir()
    assert (out / content["val"]).is_dir()


def test_coco_through_pycocotools(labelled: tuple[Path, Results], capsys: pytest.CaptureFixture[str]) -> None:
    coco = pytest.importorskip("pycocotools.coco")
    out, results = labelled
    read = coco.COCO(str(out / "annotations.json"))
    assert len(read.getImgIds()) == len(results) == 8
    names = {entry["id"]: entry["name"] for entry in read.loadCats(read.getCatIds())}
    assert [names[number] for number in range(1, 44)] == list(TILE_CLASSES)
    for image in read.loadImgs(read.getImgIds()):
        picture = results.get(image["file_name"])
        assert picture is not None
        assert (image["width"], image["height"]) == (picture.width, picture.height)
        annotations = read.loadAnns(read.getAnnIds(imgIds=[image["id"]]))
        boxes = [
            (names[entry["category_id"]], (x, y, x + width, y + height))
            for entry in annotations
            for x, y, width, height in [entry["bbox"]]
        ]
        assert_same(boxes, expected(picture, untold=False))
        if annotations:
            assert [entry["attributes"]["meld_kind"] for entry in annotations][:4] == [
                *("chow", "chow", "chow"),
                "pung",
            ]
            assert annotations[-1]["attributes"]["role"] == "flower"


def test_coco_through_supervision(labelled: tuple[Path, Results], photos: Path) -> None:
    supervision = pytest.importorskip("supervision")
    read = supervision.DetectionDataset.from_coco(str(photos), str(labelled[0] / "annotations.json"))
    for path, _, found in read:
        picture = labelled[1].get(Path(path).relative_to(photos).as_posix())
        assert picture is not None
        assert_same(_named(read.classes, found), expected(picture, untold=False))


@pytest.mark.parametrize("folder", ["", "a", "b", "b/deep"])
def test_voc_through_supervision(labelled: tuple[Path, Results], photos: Path, folder: str) -> None:
    supervision = pytest.importorskip("supervision")
    out, results = labelled
    names = {picture.path: label for label, picture in by_label(results).items()}
    # supervision pairs by stem; ours keeps the ending where two pictures share one.
    paired = out / "paired" / folder
    paired.mkdir(parents=True, exist_ok=True)
    for path in (photos / folder).iterdir():
        name = path.relative_to(photos).as_posix()
        if name in names:
            os.symlink(path, paired / (Path(names[name]).name + path.suffix))
    read = supervision.DetectionDataset.from_pascal_voc(str(paired), str(out / "Annotations" / folder))
    for path, _, found in read:
        picture = by_label(results)[(Path(folder) / Path(path).stem).as_posix()]
        assert_same(_named(read.classes, found), expected(picture, untold=False))
    assert len(read) == sum(Path(name).parent == Path(folder or ".") for name in names)


def test_labelme_through_supervision(labelled: tuple[Path, Results]) -> None:
    out, results = labelled
    globox = pytest.importorskip("globox")
    for label, picture in by_label(results).items():
        path = out / "labelme" / f"{label}.json"
        read = globox.Annotation.from_labelme(path)
        boxes = [(box.label, (box.xmin, box.ymin, box.xmax, box.ymax)) for box in read.boxes]
        assert_same(boxes, expected(picture, untold=True))
        content = json.loads(path.read_text())
        assert (path.parent / content["imagePath"]).samefile(results.root / picture.path)
        groups = [shape["group_id"] for shape in content["shapes"]]
        assert groups == ([0, 0, 0, 1, 1, 1, None, None, None, None] if picture.tiles else [])
        assert all(sum(shape["flags"].values()) == 1 for shape in content["shapes"])


def test_cvat_through_globox(labelled: tuple[Path, Results]) -> None:
    globox = pytest.importorskip("globox")
    out, results = labelled
    read = globox.AnnotationSet.from_cvat(out / "annotations.xml")
    assert sorted(annotation.image_id for annotation in read) == sorted(results.lines)
    for annotation in read:
        picture = results.get(annotation.image_id)
        assert picture is not None
        assert (annotation.image_width, annotation.image_height) == (picture.width, picture.height)
        boxes = [(box.label, (box.xmin, box.ymin, box.xmax, box.ymax)) for box in annotation.boxes]
        assert_same(boxes, expected(picture, untold=True))
    groups = [box.get("group_id") for box in ElementTree.parse(out / "annotations.xml").iter("box")]
    assert groups[:10] == ["1", "1", "1", "2", "2", "2", None, None, None, None]


def test_label_studio_by_its_own_definition(labelled: tuple[Path, Results]) -> None:
    """Percent of the original size, a region's results sharing its id, labels declared in the config."""
    out, results = labelled
    config = ElementTree.parse(out / "label_config.xml").getroot()
    declared = {label.get("value") for label in config.iter("Label")}
    controls = {node.get("name") for node in config if node.tag != "Image"}
    # its converter reads the file as text, where lxml takes no declaration of an encoding
    assert (out / "label_config.xml").read_text().startswith("<View>")
    tasks = json.loads((out / "label_studio.json").read_text())
    assert len(tasks) == len(results)
    for task in tasks:
        picture = results.get(task["data"]["path"])
        assert picture is not None
        prediction = task["predictions"][0]
        assert prediction["model_version"] == "fake-00000000"
        boxes: Boxes = []
        for region in prediction["result"]:
            assert region["from_name"] in controls
            if region["type"] == "rectanglelabels":
                value = region["value"]
                (name,) = value["rectanglelabels"]
                assert name in declared
                x, y = (
                    value["x"] * region["original_width"] / 100,
                    value["y"] * region["original_height"] / 100,
                )
                width = value["width"] * region["original_width"] / 100
                height = value["height"] * region["original_height"] / 100
                boxes.append((name, (x, y, x + width, y + height)))
        assert_same(boxes, expected(picture, untold=True))
        if picture.tiles:
            assert prediction["score"] == min(tile.confidence for tile in picture.tiles)


def test_label_studio_through_its_converter(labelled: tuple[Path, Results], tmp_path: Path) -> None:
    converter = pytest.importorskip("label_studio_sdk.converter", reason="the converter isn't installed")
    out, results = labelled
    tasks = json.loads((out / "label_studio.json").read_text())
    for number, task in enumerate(tasks):
        task["id"] = number
        task["annotations"] = [{"id": number, "result": task.pop("predictions")[0]["result"]}]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    reader = converter.Converter(str(out / "label_config.xml"), str(tmp_path), download_resources=False)
    reader.convert_to_coco(str(tmp_path / "tasks.json"), str(tmp_path / "coco"), is_dir=False)
    read = json.loads((tmp_path / "coco" / "result.json").read_text())
    names = {entry["id"]: entry["name"] for entry in read["categories"]}
    for number, picture in enumerate(results):
        boxes = [
            (names[entry["category_id"]], (x, y, x + width, y + height))
            for entry in read["annotations"]
            if entry["image_id"] == number
            for x, y, width, height in [entry["bbox"]]
        ]
        assert_same(boxes, expected(picture, untold=True))


def test_a_threshold_leaves_out_the_unsure(photos: Path, tmp_path: Path, settings: Callable) -> None:
    out = tmp_path / "out"
    label_pictures(gather([str(photos)]), out, MODEL, open_fake, settings("yolo", threshold=0.8))
    # 0.99, 0.94, 0.89, 0.84 stay; of the melds only the chow still has all its tiles.
    classes = [int(line.split()[0]) for line in (out / "labels" / "b" / "1.txt").read_text().splitlines()]
    assert classes == [0, 1, 2, TILE_CLASSES.index("5p"), 43]


def test_parts_of_a_split_are_folders_files_and_subsets(
    photos: Path, tmp_path: Path, settings: Callable
) -> None:
    out = tmp_path / "out"
    chosen = settings(*FORMATS, shares={"train": 0.5, "val": 0.5})
    label_pictures(gather([str(photos)]), out, MODEL, open_fake, chosen)
    in_folder = {
        part: sorted(
            path.relative_to(out / "labels" / part).with_suffix("").as_posix()
            for path in (out / "labels" / part).rglob("*.txt")
        )
        for part in ("train", "val")
    }
    assert sorted(map(len, in_folder.values())) == [3, 4]
    for part, labels in in_folder.items():
        assert (out / "ImageSets" / "Main" / f"{part}.txt").read_text().split() == labels
        coco = json.loads((out / f"annotations_{part}.json").read_text())
        assert len(coco["images"]) == len(labels)
        subset = [
            image
            for image in ElementTree.parse(out / "annotations.xml").iter("image")
            if image.get("subset") == part
        ]
        assert len(subset) == len(labels)


def test_different_pictures_stay_different(tmp_path: Path, settings: Callable) -> None:
    """Names that differ in case, ending or Unicode form only, and one that looks like another's way out."""
    root = tmp_path / "p"
    names = ["A.jpg", "a.png", "a.jpg.bmp", "e\u0301.png", "\u00e9.bmp", "x" * 250 + ".png"]
    for seed, name in enumerate(names, start=1):
        save_picture(root / name, seed)
    out = tmp_path / "out"
    label_pictures(gather([str(root)]), out, MODEL, open_fake, settings("yolo"))
    labels = sorted(path.name for path in (out / "labels").iterdir())
    assert len(labels) == len(names)
    assert len({name.casefold() for name in labels}) == len(names)


def _named(classes: Sequence[str], found: object) -> Boxes:
    detections = found
    return [
        (classes[int(number)], tuple(float(side) for side in box))  # type: ignore[misc]
        for number, box in zip(detections.class_id, detections.xyxy, strict=True)  # type: ignore[attr-defined]
    ]
