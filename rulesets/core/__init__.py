"""What every game shares: named dice, totals that explain themselves, events, questions."""
