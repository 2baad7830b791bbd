"""What a backend of matplotlib sets when it is loaded outlasts the first plot."""

import os
import subprocess
import sys

# As the backend of notebooks, which shows every figure of a cell only if pyplot is interactive.
BACKEND = """
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvas, FigureManager

matplotlib.interactive(True)
"""
SCRIPT = """
import matplotlib
import pandas as pd
from aleplot_py import ale

assert not matplotlib.is_interactive()
ale(lambda X: X["x"], pd.DataFrame({"x": [1.0, 2.0, 3.0]}), "x", K=2).plot()
assert matplotlib.is_interactive()
"""


def test_notebooks_show_more_than_the_first_plot(tmp_path):
    (tmp_path / "interactive_backend.py").write_text(BACKEND)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = os.environ | {"MPLBACKEND": "module://interactive_backend", "PYTHONPATH": path}
    subprocess.run([sys.executable, "-c", SCRIPT], env=environment, check=True)
