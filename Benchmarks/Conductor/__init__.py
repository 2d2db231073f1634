"""Runs the rows, round by round, and writes down what they measured."""
