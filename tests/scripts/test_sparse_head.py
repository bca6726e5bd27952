"""The locator that works out boxes at few places gives what the whole one gives there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")
tasks = pytest.importorskip("ultralytics.nn.tasks", reason="training needs the extra [train]")

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from training.sparse_head import SparseLocator  # noqa: E402


@pytest.mark.parametrize("size", [(64, 96), (96, 64)])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_boxes_and_scores_of_the_places_with_scores_are_those_of_the_whole_network(
    size: tuple[int, int], share: float
) -> None:
    torch.manual_seed(1)
    model = tasks.DetectionModel("yolo11n.yaml", nc=3, verbose=False)
    picture = torch.rand(1, 3, *size)
    with torch.no_grad():
        for _ in range(5):
            model.train()(torch.rand(4, 3, *size))  # levels the layers, so that places differ
        whole = model.eval()(picture)[0][0]
        best = whole[4:].amax(0)
        least = float(torch.quantile(best, 1 - share)) if share else (float(best.max()) + 1) / 2
        wanted = (best >= least).nonzero()[:, 0].tolist()
        found = SparseLocator(model, least)(picture)[0]
    assert len(wanted) == pytest.approx(share * len(best), abs=1)
    # The first place of each level counts always.
    starts = [0, size[0] * size[1] // 64, size[0] * size[1] * 5 // 256]
    expected = whole[:, sorted({*wanted, *starts})]
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=2e-3)
