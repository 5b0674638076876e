"""What the house has set: strict TOML into frozen, typed settings. A table file stands over the built-in
defaults, single settings given on the command line stand over both, and a board profile says which pin is
what. This room knows no clock, no pins and no table; it only reads files and says what is wrong with them."""

from felt.config.boards import BoardProfile, InputLine, OutputLine
from felt.config.errors import ConfigError
from felt.config.loading import Config, demo_table, load

__all__ = ["BoardProfile", "Config", "ConfigError", "InputLine", "OutputLine", "demo_table", "load"]
