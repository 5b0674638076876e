"""A whole evening on one host, for a newcomer and for whoever shows the product: virtual pins, an emulated shuffler on
a pseudo-terminal, an embedded jackpot controller, and people who play by themselves or from the keyboard."""
