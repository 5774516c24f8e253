/** Directs lines by the model where one is configured, else by rules. The writer's own direction takes precedence. */
import { setImmediate } from 'node:timers/promises';
import type { LineDirection, ScriptedLine } from '../contract.ts';
import type { Directed, Directing } from './contract.ts';
import { type AskModel, directByModel } from './model.ts';
import { directByRules } from './rules.ts';

export type { Directing } from './contract.ts';
export type { AskModel } from './model.ts';

/** The model directs this many lines of a request; rules direct the rest. */
export const MOST_BY_MODEL = 400;

/** The loop yields to live calls after this many lines. */
const AT_ONCE = 250;

export interface DirectOrder extends Directing {
  /** Without ids, all lines without direction are directed. */
  readonly only?: readonly string[];
  /** True directs lines again that have a direction, except where the writer gave it. */
  readonly again: boolean;
}

export class Director {
  readonly #model: AskModel | null;

  constructor(model: AskModel | null) {
    this.#model = model;
  }

  get hasModel(): boolean {
    return this.#model !== null;
  }

  /** Returns all lines, the requested ones with their new direction. */
  async direct(order: DirectOrder, signal: AbortSignal): Promise<readonly ScriptedLine[]> {
    const { lines } = order;
    const only = order.only === undefined ? null : new Set(order.only);
    const wanted = lines.filter((line) => isWanted(line, only, order.again));
    const asked = wanted.slice(0, MOST_BY_MODEL);
    const byModel = this.#model === null ? new Map() : await directByModel(this.#model, order, asked, signal);
    const isOpen = new Set(wanted);
    const directed: ScriptedLine[] = [];
    for (const [at, line] of lines.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await setImmediate();
      directed.push(isOpen.has(line) ? directedLine(order, line, lines[at - 1], byModel.get(line.id)) : line);
    }
    return directed;
  }
}

function isWanted(line: ScriptedLine, only: ReadonlySet<string> | null, again: boolean): boolean {
  if (only !== null) return only.has(line.id);
  if (line.directed_by === null) return true;
  return again && line.directed_by !== 'writer';
}

function directedLine(
  order: Directing,
  line: ScriptedLine,
  before: ScriptedLine | undefined,
  byModel: LineDirection | undefined,
): ScriptedLine {
  const directed: Directed =
    byModel === undefined
      ? { direction: byRules(order, line, before), by: 'rules' }
      : { direction: byModel, by: 'model' };
  return { ...line, direction: directed.direction, directed_by: directed.by };
}

function byRules(
  { language, emotions, stresses }: Directing,
  line: ScriptedLine,
  before: ScriptedLine | undefined,
): LineDirection {
  const { emphasis, ...direction } = directByRules(line, before, language, emotions(line));
  return emphasis !== undefined && stresses(line) ? { ...direction, emphasis } : direction;
}
