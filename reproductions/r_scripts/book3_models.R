# Data and forests of the book's 3rd edition, shared by book3.R, penguins.R and lofo.R.
# Read by source(), not run by itself.

# day.csv as the 3rd edition uses it: 728 rows.
book3_bike <- function() {
  day <- read.csv(data_file("bike_sharing_day.csv", "UCI bike sharing, day.csv"))
  bike <- data.frame(
    season = factor(day$season, 1:4, c("WINTER", "SPRING", "SUMMER", "FALL")),
    holiday = factor(day$holiday, 0:1, c("N", "Y")),
    workday = factor(day$workingday, 0:1, c("N", "Y")),
    weather = factor(day$weathersit, 1:3, c("GOOD", "MISTY", "BAD")),
    temp = day$temp * 47 - 8, # degrees Celsius
    hum = 100 * day$hum, # per cent
    windspeed = 67 * day$windspeed, # km/h
    cnt_2d_bfr = c(NA, NA, head(day$cnt, -2)),
    cnt = day$cnt)
  bike <- na.omit(bike)
  bike <- bike[bike$hum != 0, ] # one day without a measurement
  rownames(bike) <- NULL
  bike
}

# Split and forest follow from one seed: the sample comes first, then the bootstrap.
book3_bike_forest <- function(bike) {
  set.seed(42)
  rows <- sample(1:nrow(bike), 2 / 3 * nrow(bike))
  train <- bike[rows, ]
  list(rows = rows, train = train, test = bike[-rows, ],
       model = randomForest(cnt ~ ., data = train))
}

# The 333 penguins without missing values, from DATADIR/penguins.csv or the R package.
book3_penguins <- function() {
  columns <- c("species", "bill_depth_mm", "bill_length_mm", "flipper_length_mm", "sex",
               "body_mass_g")
  file <- Filter(file.exists, file.path(data_folders, "penguins.csv"))
  if (length(file)) {
    penguins <- read.csv(file[1], stringsAsFactors = TRUE)
  } else if (requireNamespace("palmerpenguins", quietly = TRUE)) {
    penguins <- as.data.frame(palmerpenguins::penguins)
  } else {
    stop("the penguins need the R package palmerpenguins, or its data as penguins.csv in ",
         toString(data_folders), call. = FALSE)
  }
  # iml rounds the points of whole numbers.
  whole <- c("flipper_length_mm", "body_mass_g")
  penguins[whole] <- lapply(penguins[whole], as.integer)
  na.omit(penguins)[columns]
}

book3_penguin_forest <- function(penguins) {
  set.seed(2)
  rows <- sample(1:nrow(penguins), 2 / 3 * nrow(penguins))
  train <- penguins[rows, ]
  list(rows = rows, train = train, test = penguins[-rows, ],
       model = randomForest(sex ~ ., data = train))
}
