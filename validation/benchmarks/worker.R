# The packages of R on the case of a cheap black box, in a process of its own, with the commands and
# answers of worker.py. The data come in a file, as doubles, column by column.

suppressWarnings(suppressMessages({
  pdf(NULL)
  input <- file("stdin", "r")
  say <- function(text) { cat(text, "\n", sep = ""); flush(stdout()) }
  quoted <- function(names) paste0("\"", names, "\"", collapse = ", ")
  has <- function(name) requireNamespace(name, quietly = TRUE)
  tasks <- list()
  while (length(line <- readLines(input, n = 1)) > 0) {
    words <- strsplit(line, " ")[[1]]
    if (words[1] == "case") {
      pairs <- strsplit(words[-(1:2)], "=")
      o <- setNames(lapply(pairs, `[`, 2), vapply(pairs, `[`, "", 1))
      n <- as.integer(o$n); p <- as.integer(o$p); K <- as.integer(o$K)
      X <- as.data.frame(matrix(readBin(o$file, "double", n * p), n, p))
      names(X) <- paste0("x", seq_len(p) - 1)
      slopes <- seq_len(p)
      predict_rows <- function(X.model, newdata) as.vector(as.matrix(newdata) %*% slopes)
      tasks <- list(bare = function() { predict_rows(NULL, X); predict_rows(NULL, X) })
      if (has("ALEPlot")) tasks$ALEPlot <- function()
        ALEPlot::ALEPlot(X, NULL, predict_rows, J = 1, K = K)
      if (has("iml")) {
        predictor <- iml::Predictor$new(list(), data = X, predict.function = predict_rows)
        tasks$iml <- function()
          iml::FeatureEffect$new(predictor, "x0", method = "ale", grid.size = K)
      }
      if (has("effectplots")) tasks$effectplots <- function()
        effectplots::ale(list(), "x0", X, pred_fun = predict_rows, breaks = K, ale_n = n,
                         ale_bin_size = n, outlier_iqr = Inf)
      packages <- Filter(has, c("ALEPlot", "iml", "effectplots"))
      versions <- vapply(packages, function(name) as.character(packageVersion(name)), "")
      versions <- c(R = as.character(getRversion()), versions)
      say(sprintf("{\"tasks\": [%s], \"numbers\": {}, \"versions\": {%s}}", quoted(names(tasks)),
                  paste0("\"", names(versions), "\": \"", versions, "\"", collapse = ", ")))
    } else {
      task <- tasks[[sub("^run ", "", line)]]
      runs <- 0; spent <- 0
      while (spent < 0.05 || runs == 0) {
        utils::capture.output(took <- system.time(task(), gcFirst = FALSE))
        spent <- spent + took[["user.self"]] + took[["sys.self"]]; runs <- runs + 1
      }
      say(sprintf("%.6f", spent / runs))
    }
  }
}))
