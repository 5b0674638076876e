"""What only a person may decide: the questions a fact raises, and the adjudicator's statement on an
interruption. The rulebook's paragraph stands in every question; a supervisor answers it."""
