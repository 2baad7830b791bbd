# Molnar, Interpretable Machine Learning, 3rd edition, chapter 20: bike rentals and toy data,
# figures 20.1 to 20.7.
#
#   Rscript reproductions/r_scripts/book3.R OUTDIR [DATADIR]
#
# Data: bike_sharing_day.csv, UCI's day.csv (Fanaee-T and Gama 2013, CC BY 4.0). Needs randomForest;
# iml for the effects. About half a minute.
#
# Versions that matter: R >= 3.6, whose sample() draws by rejection (the split would be another one
# before); randomForest, whose bootstrap and candidate columns come from R's stream in an order of
# its own (4.7-1.1 here); iml 0.11, whose grids are quantiles of type 1. With 500 trees, the default
# of randomForest; a forest of 100 trees gives other curves. iml takes the rows of a partial
# dependence in a random order, so that its last bits follow from the state of the generator: the
# order of the calls below is part of the recipe.

script_path <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
source(file.path(dirname(script_path), "common.R"))
source(file.path(dirname(script_path), "book3_models.R"))
need("randomForest")
print_versions("randomForest", "iml")

# --- toy data ---------------------------------------------------------------------------------

correlated <- function(seed, n) {
  set.seed(seed)
  x1 <- runif(n)
  data.frame(x1 = x1, x2 = x1 + rnorm(n, sd = 0.1))
}
density_table <- function(x) {
  estimate <- density(x)
  data.frame(x = estimate$x, density = estimate$y)
}

points <- correlated(1, 100)
write_table(points, "fig20_1_points.csv")
write_table(density_table(points$x1), "fig20_1_density.csv")
near <- points$x1 > 0.65 & points$x1 < 0.85
write_table(density_table(points$x1[near]), "fig20_2_density.csv")
write_table(correlated(12, 25), "fig20_3_points.csv")

toy <- correlated(1, 25)
toy$y <- toy$x1 + toy$x2
write_table(toy, "fig20_4_points.csv")

effects <- can("the effects of figures 20.5 to 20.7", "iml")
if (effects) {
  # A linear model that predicts 2 in a corner without data.
  linear <- lm(y ~ ., data = toy)
  odd_corner <- function(X.model, newdata) {
    prediction <- predict(X.model, newdata)
    prediction[newdata$x1 > 0.7 & newdata$x2 < 0.3] <- 2
    prediction
  }
  predictor <- Predictor$new(linear, data = toy, predict.fun = odd_corner)
  for (feature in c("x1", "x2")) {
    for (method in c("pdp", "ale")) {
      effect <- FeatureEffect$new(predictor, feature, method = method)
      write_table(effect$results, sprintf("fig20_5_%s_%s.csv", method, feature))
    }
  }
}

# --- bike rentals -----------------------------------------------------------------------------

bike <- book3_bike()
forest <- book3_bike_forest(bike)
write_table(data.frame(row = forest$rows), "book3_bike_train_rows.csv")
write_forest(forest$model, "book3_bike_rf.csv.gz")
write_table(data.frame(prediction = predict(forest$model, bike)),
            "book3_bike_rf_predictions.csv")

if (effects) {
  predictor <- Predictor$new(forest$model, data = forest$test, y = "cnt")
  for (feature in c("windspeed", "weather", "temp", "hum")) {
    effect <- FeatureEffect$new(predictor, feature, method = "ale")
    write_table(effect$results, sprintf("fig20_ale_bike_%s.csv", feature))
  }
  effect <- FeatureEffect$new(predictor, c("hum", "temp"), method = "ale", grid.size = 40)
  write_table(effect$results, "fig20_7_ale_bike_hum_temp.csv")
  for (feature in c("windspeed", "temp", "hum")) {
    effect <- FeatureEffect$new(predictor, feature, method = "pdp")
    write_table(effect$results, sprintf("fig20_pdp_bike_%s.csv", feature))
  }
}
