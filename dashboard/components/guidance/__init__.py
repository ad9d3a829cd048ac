"""Requests to the next model: made on any page, listed where one fits, and taken back there."""
