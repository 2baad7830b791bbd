# The second-order difference of two models over the cell from 1 to 2 and from 0 to 3.
over_cell <- function(f) (f(2, 3) - f(1, 3)) - (f(2, 0) - f(1, 0))
cat(over_cell(function(x1, x2) x1^2 * x2), over_cell(function(x1, x2) x1^2 + x2), "\n")
