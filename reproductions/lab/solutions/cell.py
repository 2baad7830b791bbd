"""The second-order difference of two models over one cell."""


def over_cell(f):
    """Difference of f over the cell from 1 to 2 and from 0 to 3."""
    a, b, c, d = f(1, 0), f(2, 0), f(1, 3), f(2, 3)
    return (d - c) - (b - a)


print(over_cell(lambda x1, x2: x1**2 * x2), over_cell(lambda x1, x2: x1**2 + x2))
