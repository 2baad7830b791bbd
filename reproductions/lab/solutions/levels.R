# Distances of three levels, and which of them stands between the others.
x <- list(A = 1:4, B = 3:6, C = 2:5)
distance <- function(one, other) {
  q <- quantile(unlist(x), seq(0, 1, length.out = 100))
  max(abs(ecdf(one)(q) - ecdf(other)(q)))
}
D <- outer(1:3, 1:3, Vectorize(function(i, j) distance(x[[i]], x[[j]])))
middle <- order(cmdscale(D, k = 1))[2]
cat(D[1, 2], D[1, 3], middle, "\n")
