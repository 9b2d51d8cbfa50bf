"""Inputs that are drawn from a seed, and what the command must say of them: scripts/cross-check runs them.

A batch is made of a generator, a directory for its inputs, and their number; `check` yields (what, command, lines) of each
difference.
"""
