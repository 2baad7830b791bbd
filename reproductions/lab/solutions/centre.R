# What is subtracted from an accumulated curve, with rows in the middle or at the upper edge.
curve <- c(0, 2, 3, 7)
counts <- c(10, 20, 10)
middle <- weighted.mean((curve[-4] + curve[-1]) / 2, counts)
upper <- weighted.mean(curve[-1], counts)
cat(middle, upper, "\n")
