# The curve of a certificate once more, in base R: Rscript certificate_check.R certificate.R
#
# `y` has the predictions of the rows (first dimension) moved to points of each feature: to both
# edges of their interval, or to the level before theirs, theirs and the next (ALEPlot), or to all
# points (PDPlot). `lender` says from which cell each empty one, column by column, has its mean;
# without it a pair that has empty cells is left at their means.
curve_of <- function(fun, points, x, y, lender = NULL) {
  level <- vapply(points, is.character, NA)
  n <- lengths(points)
  pd <- fun == "PDPlot"
  code <- Map(function(p, v) {
    if (is.character(p)) match(v, p)
    else if (pd) pmin(findInterval(v, p, left.open = TRUE) + 1, length(p))
    else cut(v, p, include.lowest = TRUE, labels = FALSE)
  }, points, x)
  number <- function(code, n) unname(Map(function(k, size) factor(k, seq_len(size)), code, n))
  b <- unclass(unname(table(number(code, if (pd) n else n - !level))))
  share <- function(f, b) if (all(level)) sum(f * (b / sum(b))) else sum(f * b) / sum(b)
  if (pd) {
    f <- apply(y, seq_along(n) + 1, mean)
    if (length(n) == 1) return(list(f.values = as.vector(f) - share(as.vector(f), as.vector(b))))
    of_1 <- apply(f, 1, function(row) sum(row * colSums(b))) / sum(b)
    of_2 <- apply(f, 2, function(column) sum(column * rowSums(b))) / sum(b)
    f <- f - of_1 - rep(of_2, each = n[1])
    return(list(f.values = f - sum(f * b) / sum(b)))
  }
  effect <- step <- NULL
  for (down in if (any(level)) 0:1 else 0) { # differences upwards first, as R lists them
    low <- level * (1 - down) + 1
    at <- function(...) do.call(`[`, c(list(y, TRUE), as.list(low + c(...))))
    d <- if (length(n) == 1) at(1) - at(0) else (at(1, 1) - at(1, 0)) - (at(0, 1) - at(0, 0))
    s <- mapply(function(k, is_level) k - down * is_level, code, level)
    inside <- colSums(t(s) >= 1 & t(s) < n) == length(n)
    effect <- c(effect, d[inside])
    step <- rbind(step, s[inside, , drop = FALSE])
  }
  means <- unname(tapply(effect, number(asplit(step, 2), n - 1), mean))
  filled <- means
  if (length(lender)) filled[is.na(means)] <- means[lender]
  if (anyNA(filled)) return(list(means = means))
  halves <- function(m) (m[-nrow(m), , drop = FALSE] + m[-1, , drop = FALSE]) / 2
  if (length(n) == 1) {
    f <- c(0, cumsum(as.vector(filled)))
    at_rows <- if (level) f else (f[-n] + f[-1]) / 2
    return(list(means = as.vector(means), f.values = f - share(at_rows, as.vector(b))))
  }
  cumulated <- function(m) matrix(apply(m, 2, cumsum), nrow(m))
  f <- rbind(0, cbind(0, cumulated(t(cumulated(t(filled))))))
  main <- function(f, b, level) { # of the first axis
    rise <- f[-1, , drop = FALSE] - f[-nrow(f), , drop = FALSE]
    if (!level[2]) rise <- t(halves(t(rise)))
    weight <- if (level[1]) halves(b) else b
    c(0, cumsum(rowSums(weight * rise) / rowSums(weight)))
  }
  f <- f - main(f, b, level) - rep(main(t(f), t(b), rev(level)), each = n[1])
  l <- -n[2] # without the last column, and without the last row
  k <- -n[1]
  at_rows <- if (level[1]) (f[, l] + f[, -1]) / 2 else (f[k, l] + f[k, -1] + f[-1, l] + f[-1, -1]) / 4
  list(means = means, f.values = f - sum(b * at_rows) / sum(b))
}

check <- function(certified) {
  again <- with(certified, curve_of(fun, points, x, y, lender))$f.values
  grid <- function(p, v, fun, K) {
    if (is.character(p)) setequal(p, v)
    else if (fun == "PDPlot") identical(p, seq(min(v), max(v), length.out = K))
    else identical(p, sort(unique(c(min(v), quantile(v, seq(1 / K, 1, length.out = K), type = 1)))))
  }
  good <- all(mapply(grid, certified$points, certified$x, certified$fun, certified$K))
  cat("points:", if (good) "identical" else "DIFFERENT", "\n")
  eps <- .Machine$double.eps * max(abs(certified$y))
  for (side in c("f.values", "python")) {
    difference <- max(abs(again - certified[[side]]))
    same <- if (identical(again, certified[[side]])) "identical" else "not identical"
    cat(c(f.values = "R's values: ", python = "Python's values: ")[[side]], same,
        ", largest difference ", format(difference), "\n", sep = "")
    good <- good && difference <= max(1e-12 * max(abs(again)), 16 * eps)
  }
  cat(if (good) "the certificate holds\n" else "THE CERTIFICATE DOES NOT HOLD\n")
  good
}

if (sys.nframe() == 0 && length(commandArgs(TRUE)) == 1) {
  quit(status = as.integer(!check(dget(commandArgs(TRUE)))))
}
