# Questions of partial dependence at x1 = 0.9 in the odd corner, and points there.
set.seed(1)
x1 <- runif(25)
x2 <- x1 + rnorm(25, 0, 0.1)
odd <- function(x1, x2) sum(x1 > 0.7 & x2 < 0.3)
cat(odd(rep(0.9, 25), x2), odd(x1, x2), "\n")
