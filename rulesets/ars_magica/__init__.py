"""Ars Magica, fifth edition with the table's combat rules: stress dice, one action a round."""
