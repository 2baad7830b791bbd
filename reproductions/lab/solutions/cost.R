# Rows that each method asks the model about: a step of each, counted.
set.seed(1)
X <- data.frame(x1 = rnorm(500), x2 = rnorm(500))
asked <- 0
model <- function(rows) {
  asked <<- asked + nrow(rows)
  rows$x1 * rows$x2
}
counted <- function(work) {
  asked <<- 0
  work()
  asked
}
grid <- seq(min(X$x1), max(X$x1), length.out = 20)
pd <- counted(function() for (point in grid) model(transform(X, x1 = point)))
z <- unique(c(min(X$x1), quantile(X$x1, seq(1/20, 1, length.out = 20), type = 1)))
k <- cut(X$x1, z, labels = FALSE, include.lowest = TRUE)
ale <- counted(function() for (end in 0:1) model(transform(X, x1 = z[k + end])))
w <- unique(c(min(X$x2), quantile(X$x2, seq(1/20, 1, length.out = 20), type = 1)))
l <- cut(X$x2, w, labels = FALSE, include.lowest = TRUE)
pair <- counted(function() {
  for (end in 0:1) for (other in 0:1) model(transform(X, x1 = z[k + end], x2 = w[l + other]))
})
cat(pd, ale, pair, "\n")
