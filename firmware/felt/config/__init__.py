"""The configuration: strict TOML into frozen, typed settings. A table file overrides the built-in defaults,
command-line settings override both, and a board profile assigns the pins. This room knows no clock, no pins and no
table; it reads files and reports what is wrong with them."""

from felt.config.boards import BoardProfile, InputLine, OutputLine
from felt.config.errors import ConfigError
from felt.config.loading import Config, demo_table, load

__all__ = ["BoardProfile", "Config", "ConfigError", "InputLine", "OutputLine", "demo_table", "load"]
