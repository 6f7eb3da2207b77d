"""The games: pure functions from a fight, declarations and dice to events.

Nothing here reads a clock, a file, the network or a random source, and nothing here is a
sentence for players. Imports stay inside ``rulesets`` and the standard library.
"""
