"""The catalogue of all that people read: message ids lead to texts, one JSON file a language. English is complete.
German, Simplified Chinese and Malay have everything that players and dealers see. This room knows no other room."""
