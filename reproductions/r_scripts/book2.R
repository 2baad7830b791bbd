# Molnar, Interpretable Machine Learning, 2nd edition, section 8.2: figures 8.11 to 8.16 (bike
# rentals, a conditional inference tree) and 8.17 and 8.18 (cervical cancer, a random forest).
#
#   Rscript reproductions/r_scripts/book2.R OUTDIR [DATADIR]
#
# Data: bike_sharing_day.csv and cervical_cancer_risk_factors.csv, both of UCI (Fanaee-T and Gama
# 2013; Fernandes et al. 2017; CC BY 4.0). Needs party and randomForest; iml for the effects.
# About a minute.
#
# Versions that matter: party (1.3-11 here; the tree itself has no randomness), randomForest
# (4.7-1.1; its stream), iml 0.11 (grids; order of the months). The months are ordered along one
# axis of cmdscale(), whose direction is LAPACK's choice: FEB ... AUG may come out as AUG ... FEB.

script_path <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
source(file.path(dirname(script_path), "common.R"))
need("party", "randomForest")
print_versions("party", "randomForest", "iml")

# --- bike rentals -----------------------------------------------------------------------------

day <- read.csv(data_file("bike_sharing_day.csv", "UCI bike sharing, day.csv"))
date <- as.Date(day$dteday)
bike <- data.frame(
  season = factor(day$season, 1:4, c("WINTER", "SPRING", "SUMMER", "FALL")),
  yr = factor(c(2011, 2012)[day$yr + 1]),
  mnth = factor(day$mnth, 1:12, toupper(month.abb)),
  holiday = factor(day$holiday, 0:1, c("NO HOLIDAY", "HOLIDAY")),
  weekday = factor(day$weekday, 0:6, c("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")),
  workingday = factor(day$workingday, 0:1, c("NO WORKING DAY", "WORKING DAY")),
  weathersit = factor(day$weathersit, 1:3, c("GOOD", "MISTY", "RAIN/SNOW/STORM")),
  temp = day$temp * 47 - 8, # degrees Celsius
  hum = 100 * day$hum, # per cent
  windspeed = 67 * day$windspeed, # km/h
  cnt = day$cnt,
  days_since_2011 = as.numeric(date - min(date)))

set.seed(42)
tree <- ctree(cnt ~ ., data = bike)
write_table(data.frame(prediction = as.numeric(predict(tree, bike))),
            "book2_bike_ctree_predictions.csv")

# A node of the tree as a list; the inner ones say which levels or numbers go left.
node_list <- function(node) {
  if (node$terminal) {
    return(list(prediction = node$prediction[1], n = sum(node$weights)))
  }
  split <- node$psplit
  rule <- if (split$ordered) {
    list(threshold = as.numeric(split$splitpoint))
  } else {
    levels <- attr(split$splitpoint, "levels")
    goes_left <- as.logical(split$splitpoint)
    list(left_levels = as.list(levels[goes_left]), right_levels = as.list(levels[!goes_left]))
  }
  c(variable = split$variableName, rule,
    list(left = node_list(node$left), right = node_list(node$right)))
}
write_json_list(node_list(tree@tree), "book2_bike_ctree.json")

# Square root of the share of a feature's variance that another one explains.
explained <- function(feature, by) {
  # A feature explains itself, which anova() warns of.
  squares <- suppressWarnings(anova(lm(bike[[feature]] ~ bike[[by]])))$`Sum Sq`
  sqrt(squares[1] / sum(squares))
}
pairs <- expand.grid(y = c("temp", "hum", "windspeed"), x = setdiff(names(bike), "cnt"),
                     stringsAsFactors = FALSE)
pairs$cor <- mapply(explained, pairs$y, pairs$x)
write_table(pairs, "fig8_12_variance_explained.csv")

if (can("the effects of figures 8.11 to 8.16", "iml")) {
  predictor <- Predictor$new(
    tree, data = bike, y = "cnt",
    predict.function = function(model, newdata) as.numeric(predict(model, newdata = newdata)))
  for (feature in c("temp", "hum", "windspeed", "mnth")) {
    effect <- FeatureEffect$new(predictor, feature, method = "ale")
    write_table(effect$results, sprintf("fig8_11_14_ale_%s.csv", feature))
  }
  for (feature in c("temp", "hum", "windspeed")) {
    effect <- FeatureEffect$new(predictor, feature, method = "pdp")
    write_table(effect$results, sprintf("fig8_13_pdp_%s.csv", feature))
  }
  effect <- FeatureEffect$new(predictor, c("hum", "temp"), method = "ale", grid.size = 40)
  write_table(effect$results, "fig8_15_ale_hum_temp.csv")
  effect <- FeatureEffect$new(predictor, c("hum", "temp"), method = "pdp")
  write_table(effect$results, "fig8_16_pdp_hum_temp.csv")
}

# --- cervical cancer --------------------------------------------------------------------------

raw <- read.csv(
  data_file("cervical_cancer_risk_factors.csv", "UCI cervical cancer (risk factors)"),
  na.strings = "?", check.names = FALSE)
columns <- c(
  "Age", "Number of sexual partners", "First sexual intercourse", "Num of pregnancies", "Smokes",
  "Smokes (years)", "Hormonal Contraceptives", "Hormonal Contraceptives (years)", "IUD",
  "IUD (years)", "STDs", "STDs (number)", "STDs: Number of diagnosis",
  "STDs: Time since first diagnosis", "STDs: Time since last diagnosis")
most_frequent <- function(x) {
  counts <- table(x)
  as.numeric(names(counts)[which.max(counts)])
}
cervical <- as.data.frame(lapply(raw[columns], function(x) {
  x <- as.numeric(x)
  replace(x, is.na(x), most_frequent(x))
}))
cervical$Biopsy <- factor(raw$Biopsy, c(1, 0), c("Cancer", "Healthy"))

set.seed(42)
forest <- randomForest(Biopsy ~ ., data = cervical)
write_forest(forest, "book2_cervical_rf.csv.gz")
write_table(data.frame(p_cancer = predict(forest, cervical, type = "prob")[, "Cancer"]),
            "book2_cervical_rf_predictions.csv")

if (can("the effects of figures 8.17 and 8.18", "iml")) {
  predictor <- Predictor$new(forest, data = cervical, y = "Biopsy", class = "Cancer",
                             type = "prob")
  effect <- FeatureEffect$new(predictor, "Age", method = "ale")
  write_table(effect$results, "fig8_17_ale_age.csv")
  effect <- FeatureEffect$new(predictor, "Hormonal.Contraceptives..years.", method = "ale")
  write_table(effect$results, "fig8_17_ale_hormonal.csv")
  effect <- FeatureEffect$new(predictor, c("Age", "Num.of.pregnancies"), method = "ale",
                              grid.size = 30)
  write_table(effect$results, "fig8_18_ale_age_pregnancies.csv")
}
