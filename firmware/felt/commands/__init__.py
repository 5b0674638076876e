"""The code behind each word of the `felt` command. A command reads its arguments, asks the room that knows,
and prints; it decides nothing about play."""
