"""The language of `.round` files and the stage on which stories are played: the production loop on virtual ports and a
simulated clock. `tools/round`, the demo's pages and the tests use it. README.md is the reference."""
