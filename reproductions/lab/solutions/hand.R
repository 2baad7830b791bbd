# Accumulated local effect of x1 by hand, in base R.
x1 <- 1:6
x2 <- c(2, 1, 4, 3, 6, 5)
z <- unique(quantile(x1, c(0, 1/2, 1), type = 1))  # 1, 3, 6
k <- cut(x1, z, labels = FALSE, include.lowest = TRUE)
differences <- z[k + 1] * x2 - z[k] * x2
means <- tapply(differences, k, mean)
curve <- c(0, cumsum(means))
constant <- weighted.mean((curve[-3] + curve[-1]) / 2, tabulate(k))
cat(means, curve[3] - constant, "\n")
