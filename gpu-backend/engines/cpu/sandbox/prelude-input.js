// Events, process.stdin and readline as Node has them, built inside quickjs.
(after, readAll, hostWrite) => {
  class EventEmitter {
    #listeners = new Map();
    on(event, listener) {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
      return this;
    }
    once(event, listener) {
      const wrapped = (...args) => {
        this.off(event, wrapped);
        listener.apply(this, args);
      };
      return this.on(event, wrapped);
    }
    off(event, listener) {
      this.#listeners.set(
        event,
        (this.#listeners.get(event) ?? []).filter((l) => l !== listener),
      );
      return this;
    }
    emit(event, ...args) {
      const listeners = this.#listeners.get(event) ?? [];
      for (const listener of listeners) listener.apply(this, args);
      return listeners.length > 0;
    }
    listenerCount(event) {
      return (this.#listeners.get(event) ?? []).length;
    }
    addListener(event, listener) {
      return this.on(event, listener);
    }
    removeListener(event, listener) {
      return this.off(event, listener);
    }
    removeAllListeners(event) {
      this.#listeners.delete(event);
      return this;
    }
  }

  const stdin = new EventEmitter();
  let stdinStarted = false;
  const startStdin = () => {
    if (stdinStarted) return;
    stdinStarted = true;
    after(1, () => {
      const text = readAll();
      if (text !== "") {
        chunk = text;
        stdin.emit("data", text);
        stdin.emit("readable");
      }
      stdin.emit("readable");
      stdin.emit("end");
      stdin.emit("close");
    });
  };
  let chunk = null;
  const plainOn = stdin.on.bind(stdin);
  stdin.on = (event, listener) => {
    plainOn(event, listener);
    if (event === "data" || event === "readable" || event === "end") startStdin();
    return stdin;
  };
  stdin.addListener = stdin.on;
  Object.assign(stdin, {
    fd: 0,
    isTTY: false,
    setEncoding: () => stdin,
    resume: () => {
      startStdin();
      return stdin;
    },
    pause: () => stdin,
    unref: () => stdin,
    read: () => {
      const text = chunk;
      chunk = null;
      return text;
    },
    pipe: (target) => {
      stdin.on("data", (d) => target.write(d));
      return target;
    },
    async *[Symbol.asyncIterator]() {
      const text = readAll();
      if (text !== "") yield text;
    },
  });

  const splitLines = (text) => {
    const lines = text.split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    return lines;
  };
  const createInterface = () => {
    const rl = new EventEmitter();
    let lines = null;
    let closed = false;
    const waiting = [];
    const load = () => (lines ??= splitLines(readAll()));
    const step = () => {
      if (closed) return;
      if (waiting.length > 0 || rl.listenerCount("line") > 0) {
        if (load().length === 0) return rl.close();
        const line = lines.shift();
        if (waiting.length > 0) waiting.shift()(line);
        else rl.emit("line", line);
        after(1, step);
      } else if (rl.listenerCount("close") > 0 && load().length === 0) rl.close();
    };
    const plain = rl.on.bind(rl);
    rl.on = (event, listener) => {
      plain(event, listener);
      after(1, step);
      return rl;
    };
    rl.addListener = rl.on;
    rl.close = () => {
      if (closed) return;
      closed = true;
      rl.emit("close");
    };
    rl.setPrompt = rl.prompt = rl.pause = rl.resume = () => rl;
    rl.write = () => {};
    rl.question = (text, options, callback) => {
      hostWrite(1, String(text));
      waiting.push(typeof options === "function" ? options : callback);
      after(1, step);
    };
    rl[Symbol.asyncIterator] = async function* () {
      load();
      while (lines.length > 0) yield lines.shift();
      rl.close();
    };
    return rl;
  };
  const promised = () => {
    const rl = createInterface();
    const question = rl.question;
    rl.question = (text) => new Promise((resolve) => question(text, resolve));
    return rl;
  };

  return { EventEmitter, stdin, createInterface, promised };
};
