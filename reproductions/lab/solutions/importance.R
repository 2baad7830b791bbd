# LOFO and permutation importance of x1 in the population, from the covariance of the features.
b <- c(2, 1)
S <- matrix(c(1, 0.8, 0.8, 1), 2)
left <- S[1, 1] - S[1, 2]^2 / S[2, 2]               # variance of x1 that x2 does not know
lofo <- b[1]^2 * left
permutation <- 2 * b[1]^2 * S[1, 1]                 # x1 less an independent copy of it
cat(lofo, permutation, "\n")
