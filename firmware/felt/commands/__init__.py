"""The code behind each word of the `felt` command. A command reads its arguments, asks the responsible room and
prints; it decides nothing about play."""
