"""The script that adds up what very many rows cost."""

import pytest

from validation import scale


@pytest.fixture(scope="module")
def constants():
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    return scale.measure(rows=20_000)


def test_more_rows_cost_more_and_more_cores_less(constants):
    costs = {
        (rows, cores): scale.cost(constants, rows, cores)
        for rows in (1e9, 1e11)
        for cores in (1, 64)
    }
    assert costs[1e9, 1].seconds > costs[1e9, 64].seconds
    assert costs[1e11, 64].seconds > costs[1e9, 64].seconds
    assert costs[1e11, 64].sent > 10 * costs[1e9, 64].sent
    assert {cost.passes for cost in costs.values()} == {4}
    assert scale.cost(constants, 1e7, 1).passes == 3
    assert list(scale.table(constants)["rows"].unique()) == ["1e+09", "1e+11"]
