"""The shell: time, storage, network policy and wiring between forums and games."""
