# Quadratic coefficients of ALE and M-plot of x1 in the population, model 1 + x1 + x2 + 2 x1 x2.
rho <- 0.6
x <- seq(-1, 1, length.out = 21)
local_slope <- function(x1) 1 + 2 * rho * x1        # mean of 1 + 2 x2 given x1
ale <- sapply(x, function(upper) integrate(local_slope, 0, upper)$value)
m <- 1 + x + rho * x + 2 * x * rho * x              # mean prediction given x1
quadratic <- function(curve) coef(lm(curve ~ x + I(x^2)))[[3]]
cat(quadratic(ale), quadratic(m), "\n")
