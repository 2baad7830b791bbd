"""A figure of the literature, the numbers behind it, and the proof that they are R's."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from aleplot_py import ale, load
from aleplot_py.datasets import bike_split, load_bike
from reproductions import figure

# The figure, drawn again into a folder of mine and compared with R's numbers on the way.
command = [sys.executable, "-m", "aleplot_py", "figures", "molnar3/20.6", "--out", "mine"]
drawn = subprocess.run([*command, "--lang", "en"], capture_output=True, text=True, check=True)
print(next(line for line in drawn.stdout.splitlines() if "20.6" in line))
numbers = pd.read_csv(Path("mine/molnar3/20.6.windspeed.csv"))
print(numbers.columns.tolist(), len(numbers))

# The same numbers in Python, with what they rest on.
effect = figure("molnar3/20.6").numbers["windspeed"]
assert np.allclose(numbers["windspeed"], effect.x_values[0], rtol=1e-12)
print(f"{len(effect.x_values[0])} points, {int(effect.counts.sum())} test days")
test_days = load_bike(edition=3).iloc[bike_split().test]
print("days in the paper's split:", len(test_days))

# A step of the algorithm by hand: the grid are quantiles of the wind speed.
windspeed = test_days["windspeed"].to_numpy()
print("grid within the data:", set(effect.x_values[0][[0, -1]]) <= set(windspeed))

# My own variation, kept to the last bit for the supplement.
mine = ale(lambda days: 10 * days["windspeed"], test_days.drop(columns="cnt"), "windspeed", K=20)
mine.save("mine.json")
assert (load("mine.json").f_values == mine.f_values).all()
print(f"slope of a line: {np.ptp(mine.f_values) / np.ptp(mine.x_values[0]):.6f}")
