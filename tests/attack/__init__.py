"""The attack on the proof: mutants of proven pairs; what the proof accepts must do the same on stand-ins."""
