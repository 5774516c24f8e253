import { auth, type SoakTarget, type SoakVisit } from './visits.ts';

/** An answer that ends a visit before its last step. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`answered ${status}`);
    this.status = status;
  }
}

/** A work that was taken and never came to the end that was looked for. */
class Unfinished extends Error {}

const DEADLINE_MS = 120_000;
/** How works tell that they failed. */
const FAILED = ['failed', 'error', 'cancelled'];

/** One customer's way through a surface: what is asked in order, and what a later step needs of an earlier answer. */
export class Visit {
  readonly #target: SoakTarget;
  #last = 0;

  constructor(target: SoakTarget) {
    this.#target = target;
  }

  get last(): number {
    return this.#last;
  }

  /** The answer's JSON, an empty object where it has none; anything but 2xx ends the visit. */
  async ask(method: string, path: string, body?: object | FormData): Promise<Record<string, unknown>> {
    const form = body instanceof FormData;
    const json: Record<string, string> = body && !form ? { 'content-type': 'application/json' } : {};
    const response = await fetch(this.#target.url + path, {
      method,
      headers: { ...auth(this.#target), ...json, connection: 'close' },
      ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    this.#last = response.status;
    if (!response.ok) throw new Refused(response.status);
    const type = response.headers.get('content-type') ?? '';
    return type.includes('json') ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
  }

  tell(status: number): void {
    this.#last = status;
  }

  /** Ends the visit: something was taken that did not work. */
  fail(why: string): never {
    throw new Unfinished(why);
  }

  /** Asks until `field` of the answer is one of `ends`, for two minutes. */
  async until(path: string, field: string, ...ends: string[]): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const answer = await this.ask('GET', path);
      const state = String(answer[field]);
      if (ends.includes(state)) return;
      if (FAILED.includes(state)) throw new Unfinished(`${state}: ${JSON.stringify(answer.error)}`);
      if (performance.now() > deadline) throw new Unfinished(`still ${state} after two minutes`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** The status of the visit's last answer; words where a work did not come to its end. */
export const visiting =
  (walk: (visit: Visit, target: SoakTarget) => Promise<unknown>): SoakVisit =>
  async (target) => {
    const visit = new Visit(target);
    try {
      await walk(visit, target);
    } catch (error) {
      if (error instanceof Refused) return error.status;
      if (error instanceof Unfinished) return error.message;
      throw error;
    }
    return visit.last;
  };
