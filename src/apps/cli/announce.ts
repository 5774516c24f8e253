import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import type { Application } from '../../main/main.ts';

const LOOK_MS = 100;

export interface Screen {
  line(text: string): void;
  over?(text: string): unknown;
}

type Readiness = Pick<Application['server'], 'readiness'>;
type Part = Awaited<ReturnType<Readiness['readiness']>>['parts'][number];

/**
 * Prints one line until /readyz answers 200, and one then. A fault that needs the operator is printed as soon as it
 * is known.
 */
export function announce(server: Readiness, url: string, screen: Screen, clock: Clock = systemClock): void {
  let progress = '';
  let faults = '';
  const say = (text: string) => screen.line(screen.over && progress !== '' ? `\n${text}` : text);
  const look = async () => {
    const { ready, parts } = await server.readiness();
    if (ready) {
      screen.over?.('');
      screen.line(`ready ${url}   console: ${url}/console   talk to it: ${url}/demo`);
      return;
    }
    const waited = parts.filter((part) => part.required);
    const broken = waited.filter((part) => !part.ready && !part.opening).map(faultOf);
    if (broken.length > 0 && broken.join() !== faults)
      say([`serving ${url}, not ready:`, ...broken].join('\n'));
    faults = broken.join();
    const opened = waited.filter((part) => part.ready).length;
    const now = `serving ${url}, opening models: ${opened} of ${waited.length} parts are ready`;
    if (waited.some((part) => part.opening) && now !== progress) {
      if (screen.over) screen.over(now);
      else if (progress === '') screen.line(now);
      progress = now;
    }
    clock.after(LOOK_MS, () => void look());
  };
  void look();
}

const faultOf = ({ name, detail }: Part): string => `  ${name}: ${detail ?? 'not ready'}`;
