import { constants } from 'node:os';

/** SIGHUP is left out: a program started under `nohup` ignores it, and a handler here would undo that. */
const SIGNALS = ['SIGINT', 'SIGTERM'];
const LOOK_MS = 300;

/**
 * Until the server has its own way to end, a signal ends the process by an exit code, as a shell would say it, so that
 * whoever supervises it sees an end and not a crash. Answers with what takes that back.
 */
export function endOnSignals() {
  const end = (signal) => process.exit(128 + constants.signals[signal]);
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

/** The program emits this event on `process` once it is ending for whatever reason. */
const DRAINING = 'trunkline:draining';

/**
 * A program that npm or npx began ends when they do, unless it drains already: a second signal would end it at once. Both
 * pass a signal to the shell between alone, which ends without passing it on; and npm that is killed passes nothing on.
 * What began by other means may outlive its parent.
 */
export function endWithNpm(environment = process.env) {
  if (environment.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    // The signal that ended npm may have reached this process too, and wait to be heard.
    end = setTimeout(() => process.kill(process.pid, 'SIGTERM'), LOOK_MS);
  }, LOOK_MS);
  let end;
  look.unref();
  process.once(DRAINING, () => {
    clearInterval(look);
    clearTimeout(end);
  });
}
