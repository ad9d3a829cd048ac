"""Mixtures of normal densities: the marginal of a number as target, and what is answered for cases."""
