"""Canción de Hielo y Fuego (SIFRP): catalogue ``docs/rules/hielo_y_fuego.md``, rule ids ``HF-``."""
