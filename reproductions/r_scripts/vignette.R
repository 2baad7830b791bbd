# The ALEPlot vignette (Zhu and Apley), examples 1, 2 and 4: networks on simulated data, and figures
# 3, 5, 7 and 8. Example 3 is in adult.R.
#
#   Rscript reproductions/r_scripts/vignette.R OUTDIR
#
# Needs nnet; ALEPlot (and yaImpute) for the effects. No data files. About two
# minutes.
#
# Versions that matter: nnet (7.3-18 here), for its starting weights and its BFGS steps. Fits of 41
# and 49 weights are so sensitive that the last bit of a response decides in which optimum they
# end: another exp() of the C library can be enough. The random numbers of R >= 3.6 are those of
# all R >= 1.7 here, since nothing is drawn by sample().

script_path <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
source(file.path(dirname(script_path), "common.R"))
need("nnet")
pdf(NULL) # ALEPlot draws what it computes
with_effects <- can("the effects of figures 3, 5, 7 and 8", "ALEPlot")
print_versions("nnet", "ALEPlot", "yaImpute")

network <- function(data, size, decay) {
  nnet(y ~ ., data = data, linout = TRUE, skip = FALSE, size = size, decay = decay, maxit = 1000,
       trace = FALSE)
}
predict_network <- function(X.model, newdata) {
  as.numeric(predict(X.model, newdata, type = "raw"))
}

# --- examples 1 and 2: four independent features ----------------------------------------------

# The order of the operations is part of the recipe: see the head.
independent <- function(seed, interaction) {
  set.seed(seed)
  n <- 5000
  x1 <- runif(n)
  x2 <- runif(n)
  x3 <- runif(n)
  x4 <- runif(n)
  sigmoid <- exp(-5 + 10 * x3) / (1 + exp(-5 + 10 * x3))
  product <- if (interaction) 13.86 * (x1 - 0.5) * (x2 - 0.5) else 0
  y <- 4 * x1 + 3.87 * x2^2 + 2.97 * sigmoid + product + rnorm(n, 0, 1)
  data.frame(y, x1, x2, x3, x4)
}

data <- independent(seed = 1, interaction = FALSE)
model <- network(data, size = 8, decay = 0.1)
write_table(data.frame(weight = model$wts), "vignette_ex1_nnet_4-8-1.csv")
if (with_effects) {
  for (j in 1:4) {
    effect <- ALEPlot(data[, 2:5], model, predict_network, J = j, K = 100)
    write_curve(effect, sprintf("vignette_fig3_ale_x%d.csv", j))
  }
}

data <- independent(seed = 1, interaction = TRUE)
model <- network(data, size = 6, decay = 0.1)
write_table(data.frame(weight = model$wts), "vignette_ex2_nnet_4-6-1.csv")
if (with_effects) {
  for (j in 1:4) {
    effect <- ALEPlot(data[, 2:5], model, predict_network, J = j, K = 500)
    write_curve(effect, sprintf("vignette_fig5_ale_x%d.csv", j))
  }
  for (other in c(2, 4)) {
    effect <- ALEPlot(data[, 2:5], model, predict_network, J = c(1, other), K = 100)
    # The columns are named x1 and x2 in both files: first and second feature.
    write_surface(effect, c("x1", "x2"), sprintf("vignette_fig5_ale_x1_x%d.csv", other))
  }
}

# --- example 4: two features that nearly coincide, 50 seeds -----------------------------------

dependent <- function(seed) {
  set.seed(seed)
  n <- 200
  x <- runif(n)
  x1 <- x + rnorm(n, 0, 0.05)
  x2 <- x + rnorm(n, 0, 0.05)
  y <- x1 + x2^2 + rnorm(n, 0, 0.1)
  data.frame(y, x1, x2)
}

weights <- list()
curves <- list()
for (seed in 1:50) {
  data <- dependent(seed)
  model <- network(data, size = 10, decay = 1e-4)
  weights[[seed]] <- data.frame(seed = seed, index = seq_along(model$wts), weight = model$wts)
  if (!with_effects) next
  for (j in 1:2) {
    ale <- ALEPlot(data[, 2:3], model, predict_network, J = j, K = 50)
    pd <- PDPlot(data[, 2:3], model, predict_network, J = j, K = 50)
    curves <- c(curves, list(
      data.frame(seed = seed, feature = j, method = "ale", x = ale$x.values, f = ale$f.values),
      data.frame(seed = seed, feature = j, method = "pd", x = pd$x.values, f = pd$f.values)))
  }
}
write_table(do.call(rbind, weights), "vignette_ex4_nnet_2-10-1_seeds1-50.csv")
if (with_effects) write_table(do.call(rbind, curves), "vignette_fig7_fig8_ale_pd.csv")
