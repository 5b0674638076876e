"""Emulated shufflers that can misbehave on demand: Felt's own device and a simple shoe, sans-IO, and a
pseudo-terminal on which any serial program can open them. They know no rules; they deal what they are told to deal."""

from __future__ import annotations

from felt.virtual.shuffler.deck import Misbehaviour, SimulatedDevice
from felt.virtual.shuffler.device import ShufflerDevice
from felt.virtual.shuffler.pty import PtyShuffler
from felt.virtual.shuffler.shoe import ShoeDevice

__all__ = ["Misbehaviour", "PtyShuffler", "ShoeDevice", "ShufflerDevice", "SimulatedDevice"]
