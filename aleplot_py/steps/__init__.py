"""The paper's steps on arrays: numpy and scipy only."""
