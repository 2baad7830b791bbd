"""What is made of effects: bands, statistics, decomposition, regions, sensitivity, association."""
