import { auth, type SoakTarget, type SoakVisit } from './visits.ts';

class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`answered ${status}`);
    this.status = status;
  }
}

class Unfinished extends Error {}

const DEADLINE_MS = 120_000;
const FAILED = ['failed', 'error', 'cancelled'];

export class Visit {
  readonly #target: SoakTarget;
  #last = 0;

  constructor(target: SoakTarget) {
    this.#target = target;
  }

  get last(): number {
    return this.#last;
  }

  /** Returns the answer's JSON, or an empty object where it has none; any status but 2xx ends the visit. */
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

  notify(status: number): void {
    this.#last = status;
  }

  fail(why: string): never {
    throw new Unfinished(why);
  }

  /** Polls until `field` of the answer is one of `ends`, for two minutes. */
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

/** Returns the status of the visit's last answer, or words where a job did not reach its end. */
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
