import { auth, type Target, type Work } from './work.ts';

/** An answer that ends a visit before its last step. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`answered ${status}`);
    this.status = status;
  }
}

const PATIENCE_MS = 120_000;

/** One customer's way through a surface: what is asked in order, and what a later step needs of an earlier answer. */
export class Visit {
  readonly #target: Target;
  #last = 0;

  constructor(target: Target) {
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

  /** Asks until `done` says so of the answer; a work that is still under way after two minutes is left. */
  async until(path: string, done: (answer: Record<string, unknown>) => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!done(await this.ask('GET', path)) && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** The status of the visit's last answer. */
export const visiting =
  (walk: (visit: Visit, target: Target) => Promise<unknown>): Work =>
  async (target) => {
    const visit = new Visit(target);
    try {
      await walk(visit, target);
    } catch (error) {
      if (error instanceof Refused) return error.status;
      throw error;
    }
    return visit.last;
  };

export const oneOf =
  (field: string, ...ends: string[]) =>
  (answer: Record<string, unknown>): boolean =>
    ends.includes(String(answer[field]));
