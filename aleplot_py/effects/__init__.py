"""The estimators: the steps in their order, from a black box and a table to a result."""
