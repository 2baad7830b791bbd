"""Peak memory beside the caller's data, as numpy and Python allocate it, in a fresh process.

What the results keep is counted, too: of each feature an eighth of a column for its codes. The data
have ten columns; their copies are batches of a tenth of the rows.
"""

import subprocess
import sys

import pytest

# In columns of the data; measured are 2.7 and 4.5.
MAIN, ALL = 3.1, 5.0

SCRIPT = """
import sys, tracemalloc
import numpy as np
from aleplot_py import ale
X = np.random.default_rng(0).normal(size=(250_000, 10))
predict = lambda X: X @ np.arange(10.0)
ale(predict, X[:6000], "all")
tracemalloc.start()
effects = ale(predict, X, eval(sys.argv[1]))
print(tracemalloc.get_traced_memory()[1] / X[:, 0].nbytes)
"""


@pytest.mark.parametrize(("features", "columns"), [("0", MAIN), ("'all'", ALL)])
def test_the_data_are_not_copied(features, columns):
    command = [sys.executable, "-c", SCRIPT, features]
    peak = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert peak < columns
