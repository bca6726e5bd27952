"""Networks written for one input shape, their weights left in the first file."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from fanlens.vision.network import Network

onnx = pytest.importorskip("onnx", reason="training needs the extra [train]")

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from training.fixed import write_fixed  # noqa: E402

WEIGHTS = (np.arange(3 * 500).reshape(3, 500) % 8).astype(np.float32)


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pictures of any height and 5 columns times weights of 6,000 bytes, then plus 2."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    helper, kinds = onnx.helper, onnx.TensorProto
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["pictures"], ["floats"], to=kinds.FLOAT),
            helper.make_node("MatMul", ["floats", "weights"], ["products"]),
            helper.make_node("Add", ["products", "two"], ["sums"]),
        ],
        "products",
        [helper.make_tensor_value_info("pictures", kinds.UINT8, [1, "height", 5, 3])],
        [helper.make_tensor_value_info("sums", kinds.FLOAT, None)],
        [
            onnx.numpy_helper.from_array(WEIGHTS, "weights"),
            onnx.numpy_helper.from_array(np.float32(2), "two"),
        ],
    )
    path = tmp_path / "any.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_it_computes_the_same_with_the_weights_of_the_first_file(network: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.onnx"
    write_fixed(network, (1, 4, 5, 3), one)
    assert one.stat().st_size < WEIGHTS.nbytes < network.stat().st_size
    picture = (np.arange(4 * 5 * 3, dtype=np.uint8) % 4).reshape(1, 4, 5, 3)
    assert Network(one)(picture)[0].tolist() == (picture @ WEIGHTS + 2).tolist()


@pytest.mark.parametrize("shape", [(2, 4, 5, 3), (1, 4, 6, 3), (1, 4, 5)])
def test_a_shape_that_the_network_does_not_take_is_refused(
    network: Path, tmp_path: Path, shape: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"fixed length|argument 2 is shorter"):
        write_fixed(network, shape, tmp_path / "one.onnx")
    assert not (tmp_path / "one.onnx").exists()
