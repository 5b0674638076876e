// The page's live connection: it hears every new picture, comes back by itself after a sleep, a reload or a restart of
// the table, and says at once when what the page shows is no longer live.

const SILENCE_MS = 9000; // the server says something every three seconds
const AGAIN_MS = [250, 500, 1000, 2000, 4000];
const NO_SESSION = 4401;

export class Live {
  /** `path` of the connection; `hear(message)` for pictures; `stale(why)` with "" when all is well. */
  constructor(path, { hello = () => {}, hear, stale }) {
    this.path = path;
    this.hello = hello;
    this.hear = hear;
    this.stale = stale;
    this.tries = 0;
    this.asked = 0;
    this.waiting = new Map();
    this.edition = "";
    this.connect();
    setInterval(() => this.watch(), 1000);
    // A machine that wakes up has a connection that looks alive and is not.
    document.addEventListener("visibilitychange", () => document.hidden || this.watch());
    addEventListener("online", () => this.watch());
  }

  connect() {
    clearTimeout(this.again);
    this.heard = performance.now();
    const line = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${this.path}`);
    this.line = line;
    line.onmessage = (event) => line === this.line && this.take(JSON.parse(event.data));
    line.onclose = (event) => line === this.line && this.lost(event.code);
  }

  take(message) {
    this.heard = performance.now();
    this.tries = 0;
    if (message.hello) this.greet(message.hello);
    else if (message.gone) this.stale("table");
    else if (message.picture || message.story) {
      this.stale("");
      this.hear(message);
    } else if (message.id !== undefined) this.answer(message);
  }

  greet(hello) {
    if (this.edition && this.edition !== hello.edition) location.reload(); // the pages themselves are new
    this.edition = hello.edition;
    this.hello(hello);
  }

  /** An act, as a promise: it fails with the sentence of the refusal. */
  act(words) {
    return new Promise((done, refused) => {
      if (this.line.readyState !== WebSocket.OPEN) {
        refused(new Refusal("There is no connection to the table: nothing was done.", ""));
        return;
      }
      const id = ++this.asked;
      this.waiting.set(id, { done, refused });
      this.line.send(JSON.stringify({ id, ...words }));
    });
  }

  answer(message) {
    const asked = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (!asked) return;
    if (message.refused) asked.refused(new Refusal(message.refused, message.needs || ""));
    else asked.done(message);
  }

  watch() {
    if (performance.now() - this.heard > SILENCE_MS) this.lost(0);
  }

  lost(code) {
    const gone = this.line;
    this.line = { readyState: WebSocket.CLOSED };
    if (gone.close) gone.close();
    this.stale("page");
    for (const asked of this.waiting.values()) asked.refused(new Refusal("The connection broke: look whether it was done.", ""));
    this.waiting.clear();
    if (code === NO_SESSION) {
      this.again = setTimeout(() => location.reload(), 300);
      return;
    }
    this.heard = performance.now();
    this.again = setTimeout(() => this.connect(), AGAIN_MS[Math.min(this.tries++, AGAIN_MS.length - 1)]);
  }
}

export class Refusal extends Error {
  constructor(sentence, needs) {
    super(sentence);
    this.needs = needs;
  }
}
