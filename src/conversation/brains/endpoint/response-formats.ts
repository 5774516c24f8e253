import type { JsonTask } from '../contract.ts';
import { strictSchema } from './strict-schema.ts';

type Format = Readonly<Record<string, unknown>>;

const MOST_KNOWN = 500;

/**
 * Servers are asked for JSON by schema, as any object, or by the prompt alone. A format that a server rejects for one
 * schema may work for another, because customers write some of them.
 */
export class ResponseFormats {
  readonly #left = new Map<string, readonly Format[]>();

  of(task: JsonTask | undefined): Format | undefined {
    return task?.schema === undefined ? undefined : this.#leftOf(task, task.schema)[0];
  }

  /** Returns true where the request should be repeated with a weaker format. */
  refused(task: JsonTask | undefined): boolean {
    if (task?.schema === undefined) return false;
    const left = this.#leftOf(task, task.schema);
    if (left.length === 0) return false;
    const [oldest] = this.#left.keys();
    if (this.#left.size >= MOST_KNOWN && oldest !== undefined) this.#left.delete(oldest);
    this.#left.set(JSON.stringify(task.schema), left.slice(1));
    return true;
  }

  #leftOf(task: JsonTask, schema: object): readonly Format[] {
    return this.#left.get(JSON.stringify(schema)) ?? formatsOf(task, schema);
  }
}

const ANY_OBJECT: Format = { type: 'json_object' };

function formatsOf({ name }: JsonTask, schema: object): readonly Format[] {
  try {
    return [{ type: 'json_schema', json_schema: { name, ...strictSchema(schema) } }, ANY_OBJECT];
  } catch {
    return [ANY_OBJECT];
  }
}
