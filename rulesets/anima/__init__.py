"""Ánima: Beyond Fantasy: open d100 rolls, every number an ability, counterattacks."""
