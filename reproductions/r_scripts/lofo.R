# Molnar, Interpretable Machine Learning, 3rd edition, chapter 24 (LOFO): figures 24.1 to 24.3.
#
#   Rscript reproductions/r_scripts/lofo.R OUTDIR [DATADIR]
#
# Data: bike_sharing_day.csv and the penguins, as in book3.R and penguins.R. Needs randomForest.
# About half a minute.
#
# Versions that matter: as in book3.R (sample() of R >= 3.6, randomForest 4.7-1.1). All refits draw
# from one stream, started once: leaving a refit out or changing their order changes every number
# after it.

script_path <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
source(file.path(dirname(script_path), "common.R"))
source(file.path(dirname(script_path), "book3_models.R"))
need("randomForest")
print_versions("randomForest", "palmerpenguins")

# Increase of the loss on the test rows when a feature is left out of the fit.
lofo <- function(train, test, loss_with_all, response, loss) {
  features <- setdiff(names(train), response)
  formula <- as.formula(paste(response, "~ ."))
  importance <- sapply(features, function(feature) {
    model <- randomForest(formula, data = train[setdiff(names(train), feature)])
    loss(test[[response]], predict(model, test[setdiff(names(test), feature)])) - loss_with_all
  })
  data.frame(feature = features, importance = importance)
}
mean_absolute_error <- function(truth, prediction) mean(abs(truth - prediction))
negative_accuracy <- function(truth, prediction) -mean(truth == prediction)

# The reference was computed on rows that had been through a csv file of R's 15 digits. Thresholds
# halfway between two values round otherwise then, which shows in the fourth digit of the loss.
rows <- book3_bike()
measured <- c("temp", "hum", "windspeed")
rows[measured] <- signif(rows[measured], 15)
bike <- book3_bike_forest(rows)
penguins <- book3_penguin_forest(book3_penguins())

set.seed(42)
loss <- mean_absolute_error(bike$test$cnt, predict(bike$model, bike$test))
write_table(lofo(bike$train, bike$test, loss, "cnt", mean_absolute_error),
            "fig24_1_lofo_bike.csv")

# The same with a copy of the temperature as a further feature.
train <- transform(bike$train, temp_copy = temp)
test <- transform(bike$test, temp_copy = temp)
with_copy <- randomForest(cnt ~ ., data = train)
loss <- mean_absolute_error(test$cnt, predict(with_copy, test))
write_table(lofo(train, test, loss, "cnt", mean_absolute_error),
            "fig24_2_lofo_bike_temp_copy.csv")

loss <- negative_accuracy(penguins$test$sex, predict(penguins$model, penguins$test))
write_table(lofo(penguins$train, penguins$test, loss, "sex", negative_accuracy),
            "fig24_3_lofo_penguins.csv")
