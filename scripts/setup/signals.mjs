import { constants } from 'node:os';

/** SIGHUP is left out: a program started under `nohup` ignores it, and a handler here would undo that. */
const SIGNALS = ['SIGINT', 'SIGTERM'];
const LOOK_MS = 300;

/**
 * Until the server handles signals itself, a signal ends the process with the exit code that a shell would report, so
 * that a supervisor sees an exit and not a crash. Returns the function that removes the handlers.
 */
export function endOnSignals() {
  const end = (signal) => process.exit(128 + constants.signals[signal]);
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

/** The program emits this event on `process` once it starts to end for any reason. */
const DRAINING = 'trunkline:draining';

/**
 * A program that npm or npx started ends when they do, unless it drains already: a second signal would end it
 * immediately. Both pass a signal only to the shell in between, which ends without passing it on; and a killed npm
 * passes nothing on. Other programs may outlive their parent.
 */
export function endWithNpm(environment = process.env) {
  if (environment.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    // The signal that ended npm may have reached this process too, and may be pending.
    end = setTimeout(() => process.kill(process.pid, 'SIGTERM'), LOOK_MS);
  }, LOOK_MS);
  let end;
  look.unref();
  process.once(DRAINING, () => {
    clearInterval(look);
    clearTimeout(end);
  });
}
