# ALEPlot() and PDPlot() of the Python package aleplot-py, called from R through reticulate: the
# arguments and the returned list are those of the R package ALEPlot.
#
#   source(system2("python3", c("-c", shQuote("import aleplot_py.r as r; print(r.r_file())")),
#                  stdout = TRUE))
#   ALEPlot(X, X.model, pred.fun = function(X.model, newdata) ..., J = 1, K = 50)
#
# Needs the R package reticulate (Debian: r-cran-reticulate). Which Python it uses: set
# RETICULATE_PYTHON to the python that has aleplot-py, before the first call; for a virtual
# environment that is VENV/bin/python.
# Columns, predictions and results travel as lists of plain numbers, text and booleans, which every
# version of reticulate, numpy and pandas converts alike.

.aleplotpy <- function(X, X.model, pred.fun, J, K, kind) {
  if (!requireNamespace("reticulate", quietly = TRUE)) {
    stop("the R package reticulate is not installed: install.packages(\"reticulate\")")
  }
  X <- as.data.frame(X)
  if (is.character(J)) J <- match(J, names(X))
  if (!length(J) %in% 1:2 || !all(J %in% seq_along(X))) {
    stop("J must be one or two of the positions 1 to ", ncol(X), " or names of columns of X")
  }
  # R's own vectors back: factors with their levels, whole numbers and dates with their class.
  restore <- function(columns) {
    newdata <- Map(function(values, original) {
      if (is.factor(original)) {
        factor(as.character(unlist(values)), levels = levels(original),
               ordered = is.ordered(original))
      } else if (is.numeric(original)) {
        as.numeric(unlist(values))
      } else {
        unlist(values)
      }
    }, columns, X)
    names(newdata) <- names(X)
    structure(newdata, class = "data.frame", row.names = .set_row_names(length(columns[[1]])))
  }
  predict_columns <- function(columns) as.list(as.numeric(pred.fun(X.model, restore(columns))))
  door <- reticulate::import("aleplot_py.r.door", convert = TRUE)
  columns <- lapply(unname(X), function(column) {
    as.list(if (is.factor(column)) as.character(column) else column)
  })
  levels_of <- lapply(unname(X), function(column) as.list(levels(column)))
  answer <- door$effect(kind, columns, levels_of, predict_columns, as.list(as.integer(J - 1)),
                        as.integer(K))
  points <- lapply(answer$x_values, unlist)
  values <- if (length(J) == 1) {
    unlist(answer$f_values)
  } else {
    do.call(rbind, lapply(answer$f_values, unlist))
  }
  list(K = as.integer(unlist(answer$K)), points = points, values = values)
}
