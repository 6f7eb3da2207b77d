"""Aquelarre: the combat of the seed *Partida Rol por web*, numbered in docs/rules/aquelarre.md."""
