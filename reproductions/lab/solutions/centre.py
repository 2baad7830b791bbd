"""What is subtracted from an accumulated curve, with rows in the middle or at the upper edge."""

import numpy as np

curve, counts = np.array([0.0, 2, 3, 7]), np.array([10, 20, 10])
middle = np.average((curve[:-1] + curve[1:]) / 2, weights=counts)
upper = np.average(curve[1:], weights=counts)
print(middle, upper)
