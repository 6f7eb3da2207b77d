"""Aquelarre: the combat of the seed's *Partida Rol por web*, as docs/rules/aquelarre.md numbers it."""
