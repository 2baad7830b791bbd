# The ALEPlot vignette, example 3: boosted trees on the adult income data, and figure 6.
#
#   Rscript reproductions/r_scripts/adult.R OUTDIR [DATADIR]
#
# Data: adult_complete_cases.csv, the 30,162 complete rows of UCI's adult data (Becker and Kohavi
# 1996, CC BY 4.0). Needs gbm; jsonlite for the model's file, ALEPlot (and yaImpute) for the
# effects. About ten minutes.
#
# Versions that matter: gbm, whose trees follow from the seed only in the same release (2.1.8.1
# here): half of the rows is drawn for each of the 6,000 trees from R's stream. R >= 3.6 makes no
# difference here, since gbm draws with unif_rand and not with sample().

script_path <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
source(file.path(dirname(script_path), "common.R"))
need("gbm")
pdf(NULL) # ALEPlot draws what it computes
print_versions("gbm", "ALEPlot", "yaImpute")

adult <- read.csv(data_file("adult_complete_cases.csv", "UCI adult, complete rows"),
                  stringsAsFactors = TRUE)
set.seed(1)
model <- gbm(income ~ ., data = adult, distribution = "bernoulli", n.trees = 6000,
             shrinkage = 0.02, interaction.depth = 3)

trees <- lapply(seq_along(model$trees), function(tree) {
  # Elements of a tree: variable, split, left, right, missing, error, weight, prediction.
  node <- model$trees[[tree]]
  data.frame(tree = tree, var = node[[1]], split = sprintf("%.17g", node[[2]]), left = node[[3]],
             right = node[[4]], missing = node[[5]], prediction = sprintf("%.17g", node[[8]]))
})
write_zipped(do.call(rbind, trees), "vignette_ex3_adult_gbm.csv.gz")
if (can("vignette_ex3_adult_gbm_meta.json", "jsonlite")) {
  meta <- list(initF = model$initF, c.splits = lapply(model$c.splits, as.integer),
               var.names = model$var.names, var.levels = model$var.levels)
  write_json(meta, file.path(output_folder, "vignette_ex3_adult_gbm_meta.json"),
             auto_unbox = TRUE, digits = I(17))
  cat("wrote vignette_ex3_adult_gbm_meta.json\n")
}

# Log-odds of an income above 50,000 dollars.
log_odds <- function(X.model, newdata) {
  as.numeric(predict(X.model, newdata, n.trees = 6000, type = "link"))
}
X <- adult[, names(adult) != "income"]
write_table(data.frame(link = log_odds(model, X[1:2000, ])),
            "vignette_ex3_adult_gbm_link_first2000.csv")

if (can("the effects of figure 6", "ALEPlot")) {
  for (feature in c("age", "education_num", "hours_per_week")) {
    effect <- ALEPlot(X, model, log_odds, J = match(feature, names(X)), K = 500)
    write_curve(effect, sprintf("vignette_fig6_ale_%s.csv", feature))
  }
  pair <- c("age", "hours_per_week")
  effect <- ALEPlot(X, model, log_odds, J = match(pair, names(X)), K = 50, NA.plot = FALSE)
  write_surface(effect, pair, "vignette_fig6_ale_age_hours.csv")
}
