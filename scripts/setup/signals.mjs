import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

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
