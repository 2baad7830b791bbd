# What the scripts of this folder share: arguments, the packages asked for, versions, and how
# numbers, forests and results of ALEPlot are written. Read by source(), not run by itself.

# Rscript SCRIPT OUTDIR [DATADIR]: the folder of the data is the second argument, else
# $ALEPLOT_PY_DATA, else shared/data beside the checkout, else what comes with the package.
arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < 1 || length(arguments) > 2) {
  stop("usage: Rscript ", basename(script_path), " OUTDIR [DATADIR]", call. = FALSE)
}
output_folder <- arguments[1]
dir.create(output_folder, recursive = TRUE, showWarnings = FALSE)
if (!dir.exists(output_folder) || file.access(output_folder, 2) != 0) {
  stop("OUTDIR ", output_folder, " cannot be written to", call. = FALSE)
}
checkout <- file.path(dirname(script_path), "..", "..")
data_folders <- if (length(arguments) == 2) arguments[2] else {
  named <- Sys.getenv("ALEPLOT_PY_DATA")
  if (nzchar(named)) named else c(file.path(checkout, "..", "shared", "data"),
                                  file.path(checkout, "aleplot_py", "datasets", "data"))
}

# A file to read.csv(), which unpacks one that is packed.
data_file <- function(name, source) {
  paths <- as.vector(outer(c(name, paste0(name, ".xz")), data_folders,
                           function(file, folder) file.path(folder, file)))
  found <- paths[file.exists(paths)]
  if (!length(found)) {
    stop("the data file ", name, " (", source, ") is not in ", toString(data_folders),
         "; pass its folder as DATADIR or in ALEPLOT_PY_DATA", call. = FALSE)
  }
  found[1]
}

# Attach packages that a script cannot do without.
need <- function(...) {
  missing <- Filter(function(name) !requireNamespace(name, quietly = TRUE), c(...))
  if (length(missing)) {
    stop("not installed: ", paste(missing, collapse = ", "), call. = FALSE)
  }
  for (name in c(...)) suppressMessages(library(name, character.only = TRUE))
}

# Attach packages of one part of a script; without them the part is left out with a message.
can <- function(part, ...) {
  missing <- Filter(function(name) !requireNamespace(name, quietly = TRUE), c(...))
  if (length(missing)) {
    message("LEFT OUT: ", part, "; not installed: ", paste(missing, collapse = ", "))
    return(FALSE)
  }
  need(...)
  TRUE
}

print_versions <- function(...) {
  cat(R.version.string, "\n")
  cat("random numbers:", RNGkind(), "\n")
  for (name in c(...)) {
    if (requireNamespace(name, quietly = TRUE)) {
      cat(name, as.character(packageVersion(name)), "\n")
    }
  }
  cat("BLAS", basename(extSoftVersion()[["BLAS"]]), "- LAPACK", La_version(), "\n")
}

# 17 significant digits give every double back.
exact <- function(table) {
  numeric <- vapply(table, is.numeric, logical(1))
  table[numeric] <- lapply(table[numeric], function(v) sprintf("%.17g", v))
  table
}

write_table <- function(table, name) {
  write.csv(exact(table), file.path(output_folder, name), row.names = FALSE, quote = FALSE)
  cat("wrote", name, "\n")
}

write_zipped <- function(table, name) {
  file <- gzfile(file.path(output_folder, name), "w")
  write.csv(table, file, row.names = FALSE, quote = FALSE)
  close(file)
  cat("wrote", name, "\n")
}

# Nested lists of text and numbers as JSON, every double exact.
write_json_list <- function(content, name) {
  json <- function(item) {
    if (is.character(item)) return(dQuote(item, FALSE))
    if (is.numeric(item)) return(sprintf("%.17g", item))
    parts <- vapply(item, json, character(1))
    if (is.null(names(item))) return(paste0("[", toString(parts), "]"))
    paste0("{", toString(paste0(dQuote(names(item), FALSE), ": ", parts)), "}")
  }
  writeLines(json(content), file.path(output_folder, name))
  cat("wrote", name, "\n")
}

# One row per node of every tree; see reproductions/engine/r_models.py for the meaning.
write_forest <- function(model, name) {
  forest <- model$forest
  nodes_of <- function(tree) {
    nodes <- seq_len(forest$ndbigtree[tree])
    daughters <- if (model$type == "regression") {
      list(left = forest$leftDaughter[nodes, tree], right = forest$rightDaughter[nodes, tree])
    } else {
      list(left = forest$treemap[nodes, 1, tree], right = forest$treemap[nodes, 2, tree])
    }
    data.frame(tree = tree, daughters, var = forest$bestvar[nodes, tree],
               split = forest$xbestsplit[nodes, tree], pred = forest$nodepred[nodes, tree],
               status = forest$nodestatus[nodes, tree])
  }
  nodes <- do.call(rbind, lapply(seq_len(forest$ntree), nodes_of))
  write_zipped(format(nodes, digits = 17, trim = TRUE), name)
}

# A main effect of ALEPlot or PDPlot.
write_curve <- function(effect, name) {
  write_table(data.frame(x = effect$x.values, f = effect$f.values), name)
}

# A second-order effect of ALEPlot, the first feature changing fastest.
write_surface <- function(effect, features, name) {
  table <- expand.grid(effect$x.values, KEEP.OUT.ATTRS = FALSE)
  names(table) <- features
  write_table(cbind(table, f = as.vector(effect$f.values)), name)
}
