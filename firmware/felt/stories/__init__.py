"""The language of `.round` files and the stage on which a story is played: the production service on virtual ports and
a clock that is a number. `tools/round`, the pages of a demo and the tests play it. README.md is the reference."""
