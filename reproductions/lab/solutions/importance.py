"""LOFO and permutation importance of x1 in the population."""

from aleplot_py.theory import lofo_oracle

oracle = lofo_oracle(2.0, 0.8)
print(oracle.lofo, oracle.marginal_permutation)
