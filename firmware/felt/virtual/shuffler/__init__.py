"""Emulated shufflers with a menu of misbehaviour: Felt's own device and a simple shoe, sans-IO, and the pseudo-terminal
on which any serial program can open them. None of them knows the table's rules: they deal what they are asked to."""

from __future__ import annotations

from felt.virtual.shuffler.deck import Device, Misbehaviour
from felt.virtual.shuffler.device import ShufflerDevice
from felt.virtual.shuffler.pty import PtyShuffler
from felt.virtual.shuffler.shoe import ShoeDevice

__all__ = ["Device", "Misbehaviour", "PtyShuffler", "ShoeDevice", "ShufflerDevice"]
