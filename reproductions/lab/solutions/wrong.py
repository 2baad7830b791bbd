"""Questions of partial dependence at x1 = 0.9 in the odd corner, and points there."""

from aleplot_py.datasets import simulate_book_points

X = simulate_book_points(25, seed=1)
asked = X.assign(x1=0.9)
answers = [int(((rows["x1"] > 0.7) & (rows["x2"] < 0.3)).sum()) for rows in (asked, X)]
print(*answers)
