"""An evening on one host, for newcomers and demonstrations. It has virtual pins, an emulated shuffler on a
pseudo-terminal, an embedded jackpot controller, and people who play by themselves or from the keyboard."""
