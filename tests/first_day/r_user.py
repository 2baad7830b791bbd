"""Lines of an R script on ALEPlot, one by one in Python; R's line stands above each."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aleplot_py import ALEPlot, PDPlot
from aleplot_py.r_random import set_seed

# set.seed(1); n <- 300
rng, n = set_seed(1), 300
# x1 <- runif(n); x2 <- runif(n); x3 <- sample(c("a", "b", "c"), n, replace = TRUE)
x1, x2 = rng.runif(n), rng.runif(n)
x3 = np.array(["a", "b", "c"])[rng.sample_int(3, n, replace=True) - 1]
# X <- data.frame(x1, x2, x3 = factor(x3))
X = pd.DataFrame({"x1": x1, "x2": x2, "x3": pd.Categorical(x3)})


# yhat <- function(X.model, newdata) newdata$x1 * newdata$x2 + 2 * (newdata$x3 == "b")
def yhat(X_model, newdata):
    return newdata["x1"] * newdata["x2"] + 2 * (newdata["x3"] == "b")


# main <- ALEPlot(X, NULL, yhat, J = 1, K = 10)
main = ALEPlot(X, None, yhat, J=0, K=10)
# print(main$x.values); print(main$f.values)
print(main.x_values, main.f_values)
# png("factor.png"); factor <- ALEPlot(X, NULL, yhat, J = 3); dev.off()
factor = ALEPlot(X, None, yhat, J=2)
plt.savefig("factor.png")
# both <- ALEPlot(X, NULL, yhat, J = c(1, 2), K = 10); range(both$f.values)
both = ALEPlot(X, None, yhat, J=[0, 1], K=10)
print("interaction from", both.f_values.min().round(3), "to", both.f_values.max().round(3))
# pd <- PDPlot(X, NULL, yhat, J = 1, K = 10)
pd_plot = PDPlot(X, None, yhat, J=0, K=10)
# coef(lm(pd$f.values ~ pd$x.values))[2]
slope = np.polyfit(pd_plot.x_values, pd_plot.f_values, 1)[0]
print(f"slope {slope:.3f}, mean of x2 {x2.mean():.3f}, order {list(factor.x_values)}")
