"""The composition roots: configurations become tables, desks and controllers. Only here are drivers imported."""
