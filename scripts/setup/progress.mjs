const CLEAR = '\r\x1b[K';
const DONE = /: done in |: failed/;

export function screen(out = process.stdout) {
  if (!out.isTTY) return (line) => out.write(`${line}\n`);
  const now = new Map();
  return (line) => {
    const [, step, text] = /^(\w+): +(.*)$/.exec(line) ?? [];
    if (step === undefined || DONE.test(line)) {
      if (step !== undefined) now.delete(step);
      out.write(`${CLEAR}${line}\n${shown(now, out.columns)}`);
      return;
    }
    now.set(step, text);
    out.write(CLEAR + shown(now, out.columns));
  };
}

/** A line that wraps cannot be overwritten, so it is truncated to the width of the terminal. */
const shown = (now, columns = 80) =>
  [...now]
    .map(([step, text]) => `${step}: ${text}`)
    .join(' | ')
    .slice(0, columns - 1);
