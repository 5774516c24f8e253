import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Brain, BrainRequest } from '../contract.ts';

export const hostTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Adds the time and time zone, which a model needs to resolve words such as "tomorrow". */
export function withCurrentTime<B extends Brain>(
  brain: B,
  clock: Clock,
  timeZone: string = hostTimeZone(),
): B {
  const respond = (request: BrainRequest, signal: AbortSignal) =>
    brain.respond(
      { moment: { now: clock.now(), timeZone: request.timeZone ?? timeZone }, ...request },
      signal,
    );
  return { ...brain, respond };
}
