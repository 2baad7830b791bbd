# ALEPlot and PDPlot once more in base R: grids, order of levels, and which rows are asked, written
# from the definition in Apley and Zhu (2020), so that R can answer where the packages are not
# installed. The curve is that of `curve_of` in certificate_check.R, which is sourced before.

# Distances of levels: how differently their rows are distributed in every other column.
level_distances <- function(X, j) {
  level <- droplevels(X[[j]])
  k <- seq_len(nlevels(level))
  total <- matrix(0, length(k), length(k), dimnames = list(levels(level), levels(level)))
  for (x in X[-j]) for (a in k) for (b in k) {
    in_a <- x[as.integer(level) == a]
    in_b <- x[as.integer(level) == b]
    total[a, b] <- total[a, b] + if (is.factor(x)) {
      sum(abs(table(in_a) / length(in_a) - table(in_b) / length(in_b))) / 2
    } else {
      q <- quantile(x, seq(0, 1, length.out = 100), names = FALSE)
      max(abs(ecdf(in_a)(q) - ecdf(in_b)(q)))
    }
  }
  total
}

levels_by_similarity <- function(X, j) {
  distances <- level_distances(X, j)
  rownames(distances)[order(cmdscale(as.dist(distances), k = 1)[, 1])]
}

# Points of a feature, and the numbers of those to which each row is moved (rows x moves).
axis_of <- function(X, j, K, fun, order) {
  x <- X[[j]]
  n <- length(x)
  if (is.factor(x)) {
    points <- levels(droplevels(x))
    if (fun == "ALEPlot") points <- if (is.null(order)) levels_by_similarity(X, j) else order
    code <- match(x, points)
    near <- cbind(pmax(code - 1, 1), code, pmin(code + 1, length(points)))
  } else if (fun == "PDPlot") {
    points <- seq(min(x), max(x), length.out = K)
  } else {
    edges <- quantile(x, seq(1 / K, 1, length.out = K), type = 1, names = FALSE)
    points <- sort(unique(c(min(x), edges)))
    code <- cut(x, points, include.lowest = TRUE, labels = FALSE)
    near <- cbind(code, code + 1)
  }
  all <- matrix(seq_along(points), n, length(points), byrow = TRUE)
  value <- function(k) if (is.factor(x)) factor(points[k], levels(x)) else points[k]
  list(points = points, to = if (fun == "PDPlot") all else near, value = value)
}

# What ALEPlot or PDPlot returns for the columns J of X, of which only the first may be a factor.
# `f` is the black box, function(X.model, newdata); `order` that of the levels; `lender` as in
# `curve_of`. `means` has NA in the cells without rows.
definition <- function(X, f, J, K, fun = "ALEPlot", order = NULL, lender = NULL) {
  axes <- lapply(J, function(j) axis_of(X, j, K, fun, order))
  moves <- lapply(axes, function(axis) seq_len(ncol(axis$to)))
  y <- apply(do.call(expand.grid, moves), 1, function(k) {
    for (i in seq_along(J)) X[[J[i]]] <- axes[[i]]$value(axes[[i]]$to[, k[[i]]])
    f(NULL, X)
  })
  x <- lapply(J, function(j) if (is.factor(X[[j]])) as.character(X[[j]]) else X[[j]])
  points <- lapply(axes, `[[`, "points")
  c(list(x.values = points), curve_of(fun, points, x, array(y, c(nrow(X), lengths(moves))), lender))
}
