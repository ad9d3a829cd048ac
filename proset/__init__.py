"""Prototype set models."""
