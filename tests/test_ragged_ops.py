"""Public functions on ragged tensors, compared with TensorFlow's values in golden/ragged.json.gz."""

from test_ragged import complaints


def test_ops_are_tensorflows() -> None:
    assert not complaints("OPS")
