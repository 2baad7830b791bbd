# Accumulated local effects of first order, and the cells of those of second order, once more in
# base R: written from the definition in Apley and Zhu (2020), so that R can answer where the
# packages are not installed. `f` is the black box, function(X.model, newdata).

# Points of an axis, the unit of each row on it, and how rows move: over their interval, or from
# the level below to theirs and from theirs to the level above.
axis_of <- function(X, j, K) {
  x <- X[[j]]
  if (is.factor(x)) {
    points <- levels_by_similarity(X, j)
    value <- function(i) factor(points[i], levels(x))
    list(points = points, value = value, code = match(x, points), starts = c(0, -1))
  } else {
    edges <- quantile(x, seq(1 / K, 1, length.out = K), type = 1, names = FALSE)
    points <- sort(unique(c(min(x), edges)))
    code <- cut(x, points, include.lowest = TRUE, labels = FALSE)
    list(points = points, value = function(i) points[i], code = code, starts = 0)
  }
}

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

# Rows with the columns J set to points of their axes, `offsets` away from the rows' own units.
moved <- function(X, J, axes, offsets) {
  for (i in seq_along(J)) {
    points <- length(axes[[i]]$points)
    X[[J[i]]] <- axes[[i]]$value(pmin(pmax(axes[[i]]$code + offsets[i], 1), points))
  }
  X
}

# Mean local effect in each interval, step between levels, or cell; NA where there are no rows.
local_means <- function(X, f, J, axes) {
  effects <- numeric(0)
  cells <- lapply(J, function(j) integer(0))
  starts <- do.call(expand.grid, lapply(axes, `[[`, "starts"))
  for (i in seq_len(nrow(starts))) {
    low <- unlist(starts[i, ])
    at <- function(...) f(NULL, moved(X, J, axes, low + c(...)))
    effect <- if (length(J) == 1) at(1) - at(0) else (at(1, 1) - at(1, 0)) - (at(0, 1) - at(0, 0))
    step <- Map(function(axis, offset) axis$code + offset, axes, low)
    inside <- Reduce(`&`, Map(function(s, axis) s >= 1 & s < length(axis$points), step, axes))
    effects <- c(effects, effect[inside])
    cells <- Map(function(known, new) c(known, new[inside]), cells, step)
  }
  steps <- Map(function(s, axis) factor(s, seq_len(length(axis$points) - 1)), cells, axes)
  unname(tapply(effects, unname(steps), mean))
}

# What a main effect is at its points, or a pair in its cells.
definition <- function(X, f, J, K) {
  axes <- lapply(J, function(j) axis_of(X, j, K))
  means <- local_means(X, f, J, axes)
  points <- lapply(axes, `[[`, "points")
  if (length(J) == 2) return(list(x.values = points, means = means))
  accumulated <- c(0, cumsum(as.vector(means)))
  at_rows <- if (is.factor(X[[J]])) {
    accumulated[axes[[1]]$code]
  } else {
    (accumulated[axes[[1]]$code] + accumulated[axes[[1]]$code + 1]) / 2
  }
  list(x.values = points, f.values = accumulated - mean(at_rows))
}
