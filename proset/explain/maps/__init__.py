"""Where cases lie: batch maps, surfaces, pairs of features."""
