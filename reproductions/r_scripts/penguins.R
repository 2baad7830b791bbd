# Molnar, Interpretable Machine Learning, 3rd edition, figure 20.8: ALE of the body mass of penguins
# on the forest's probability of "female", and on the predicted class.
#
#   Rscript reproductions/r_scripts/penguins.R OUTDIR [DATADIR]
#
# Data: the R package palmerpenguins, or its penguins.csv in DATADIR. Needs randomForest; iml for
# the effects. A few seconds.
#
# Versions that matter: as in book3.R (sample() of R >= 3.6, randomForest 4.7-1.1, iml 0.11).
# The class (0 or 1) is what the book's own call explains. R breaks tied votes at random, so that
# the class curves depend on the state of R's generator: they are reproducible in shape only.

script_path <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
source(file.path(dirname(script_path), "common.R"))
source(file.path(dirname(script_path), "book3_models.R"))
need("randomForest")
print_versions("randomForest", "iml", "palmerpenguins")

penguins <- book3_penguins()
forest <- book3_penguin_forest(penguins)
write_table(data.frame(row = forest$rows), "book3_penguin_train_rows.csv")
write_forest(forest$model, "book3_penguin_rf.csv.gz")
probability <- predict(forest$model, penguins, type = "prob")[, "female"]
write_table(data.frame(p_female = probability), "book3_penguin_rf_predictions.csv")
cat("rows with tied votes:", sum(probability == 0.5), "\n")

if (can("the effects of figure 20.8", "iml")) {
  predictor_of <- list(
    prob = function(rows) {
      Predictor$new(forest$model, data = rows, class = "female", type = "prob")
    },
    class = function(rows) Predictor$new(forest$model, data = rows, class = "female"))
  for (kind in names(predictor_of)) {
    for (group in c("all", levels(penguins$species))) {
      rows <- if (group == "all") penguins else penguins[penguins$species == group, ]
      effect <- FeatureEffect$new(predictor_of[[kind]](rows), "body_mass_g", method = "ale")
      write_table(effect$results, sprintf("fig20_8_%s_ale_penguin_%s.csv", kind, group))
    }
  }
}
