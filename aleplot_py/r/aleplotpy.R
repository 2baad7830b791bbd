# ALEPlot() and PDPlot() of the Python package aleplot-py for R scripts: arguments, returned lists
# and pictures are those of the R package ALEPlot. One line in place of library(ALEPlot):
#
#   source(system2("python3", c("-c", shQuote("import aleplot_py.r as r; print(r.r_file())")),
#                  stdout = TRUE))
#
# It needs the R package reticulate (Debian: r-cran-reticulate). Name the Python that has
# aleplot-py, such as VENV/bin/python, in the line above and, before R starts or by Sys.setenv(), in
# RETICULATE_PYTHON; otherwise reticulate takes the Python it finds first.
#
# Unlike R's own: columns of text and logicals are categories too, PDPlot() hands factors to pred.fun
# as factors and not as text, and axes with a single interval do not stop with an error.
# Columns and results travel as plain vectors and lists: arrays and data frames are not converted by
# every pair of reticulate and numpy.

ALEPlot <- function(X, X.model, pred.fun, J, K = 40, NA.plot = TRUE) {
  asked <- .aleplotpy$effect("ALEPlot", X, X.model, pred.fun, J, K)
  .aleplotpy$draw(asked, X, show_empty = NA.plot)
  effect <- asked$effect
  list(K = effect$K, x.values = effect$x.values, f.values = effect$f.values)
}

PDPlot <- function(X, X.model, pred.fun, J, K) {
  asked <- .aleplotpy$effect("PDPlot", X, X.model, pred.fun, J, K)
  .aleplotpy$draw(asked, X, show_empty = TRUE)
  effect <- asked$effect
  list(x.values = effect$x.values, f.values = effect$f.values)
}

.aleplotpy <- new.env()

.aleplotpy$effect <- function(kind, X, X.model, pred.fun, J, K) {
  if (!requireNamespace("reticulate", quietly = TRUE)) {
    stop("the R package reticulate is not installed; install.packages(\"reticulate\")",
         call. = FALSE)
  }
  X <- as.data.frame(X)
  if (is.character(J)) J <- match(J, names(X))
  if (!length(J) %in% 1:2 || !all(J %in% seq_along(X))) {
    stop("J must be one or two columns of X, by name or by position from 1 to ", ncol(X),
         call. = FALSE)
  }
  predict_columns <- function(columns) {
    as.list(as.numeric(pred.fun(X.model, .aleplotpy$like(columns, X))))
  }
  # convert = FALSE would hand the black box Python objects.
  door <- reticulate::import("aleplot_py.r.door", convert = TRUE)
  plain <- lapply(unname(as.list(X)), function(column) {
    if (is.factor(column)) as.character(column) else as.vector(column)
  })
  levels_of <- lapply(unname(as.list(X)), function(column) as.list(levels(column)))
  answer <- door$effect(kind, plain, levels_of, predict_columns, as.list(as.integer(J - 1)),
                        as.integer(K))
  numeric <- vapply(X[J], is.numeric, logical(1))
  points <- lapply(answer$x_values, unlist)
  intervals <- unlist(answer$K)
  effect <- if (length(J) == 1) {
    list(K = if (numeric) as.numeric(intervals) else intervals, x.values = points[[1]],
         f.values = unlist(answer$f_values))
  } else {
    list(K = as.numeric(intervals), x.values = points,
         f.values = do.call(rbind, lapply(answer$f_values, unlist)))
  }
  if (length(J) == 2 && kind == "ALEPlot") {
    # R leaves these labels of its cumulative sums behind.
    labels <- lapply(dim(effect$f.values), function(n) c("", seq_len(n - 1)))
    dimnames(effect$f.values) <- labels
  }
  empty <- if (length(J) == 2 && length(answer$empty)) {
    do.call(rbind, lapply(answer$empty, unlist))
  }
  list(kind = kind, J = J, numeric = numeric, effect = effect, empty = empty)
}

# The columns as R knows them: names, levels and classes of X.
.aleplotpy$like <- function(columns, X) {
  rows <- length(columns[[1]])
  restored <- Map(function(values, original) {
    values <- unlist(values)
    if (is.factor(original)) {
      factor(values, levels = levels(original), ordered = is.ordered(original))
    } else if (is.numeric(original) && !(is.integer(original) && is.integer(values))) {
      as.numeric(values)
    } else {
      values
    }
  }, columns, as.list(X))
  structure(restored, names = names(X), class = "data.frame", row.names = .set_row_names(rows))
}

# A line with a rug, bars, or an image with contour lines; cells without rows black unless shown.
.aleplotpy$draw <- function(asked, X, show_empty) {
  effect <- asked$effect
  labels <- sprintf("x_%d (%s)", as.integer(asked$J), names(as.data.frame(X))[asked$J])
  f_label <- sprintf("f_%s", paste(asked$J, collapse = ","))
  if (length(asked$J) == 1) {
    if (asked$numeric) {
      plot(effect$x.values, effect$f.values, type = "l", xlab = labels, ylab = f_label)
      rug(X[[asked$J]])
    } else {
      barplot(effect$f.values, names.arg = effect$x.values, xlab = labels, ylab = f_label)
    }
    return(invisible())
  }
  places <- lapply(effect$x.values, function(x) if (is.numeric(x)) x else seq_along(x))
  image(places[[1]], places[[2]], effect$f.values, xlab = labels[1], ylab = labels[2],
        xaxt = if (asked$numeric[1]) "s" else "n")
  if (!asked$numeric[1]) axis(1, at = places[[1]], labels = effect$x.values[[1]])
  contour(places[[1]], places[[2]], effect$f.values, add = TRUE)
  if (show_empty || is.null(asked$empty)) return(invisible())
  cells <- which(asked$empty, arr.ind = TRUE)
  edges <- places
  if (!asked$numeric[1]) edges[[1]] <- c(0.5, seq_along(places[[1]]) + 0.5)
  rect(edges[[1]][cells[, 1]], edges[[2]][cells[, 2]], edges[[1]][cells[, 1] + 1],
       edges[[2]][cells[, 2] + 1], col = "black")
}
