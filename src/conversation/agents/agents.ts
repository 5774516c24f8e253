import { isDeepStrictEqual } from 'node:util';
import type { Reach } from '../../foundation/access/contract.ts';
import type { Doer } from '../../foundation/audit/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Agent, AgentStore, Alongside } from './agent-store.ts';
import { type CheckDeps, checkAgent, withVoice } from './check.ts';
import { type AgentBody, type AgentChange, type AgentFields, patched, replaced } from './fields.ts';

/** How often a save is tried again when others save the same agent at the same moment. */
const TRIES = 5;

interface Asked {
  readonly reach: Reach;
  readonly id: string;
  readonly draft: boolean;
  readonly by: Doer | undefined;
  /** A change that changes nothing makes no version. */
  readonly merges?: boolean;
}

/** Agents as their owners change them: everything that is saved was checked. */
export class Agents {
  readonly store: AgentStore;
  readonly #deps: CheckDeps;

  constructor(store: AgentStore, deps: CheckDeps) {
    this.store = store;
    this.#deps = deps;
  }

  async create(
    reach: Reach,
    input: AgentBody,
    draft: boolean,
    alongside?: Alongside,
    by?: Doer,
  ): Promise<Agent> {
    const fields = replaced(withVoice(input));
    await checkAgent(reach, fields, this.#deps);
    return await this.store.create(reach, fields, draft, alongside, by);
  }

  replace(reach: Reach, id: string, input: AgentBody, draft: boolean, by?: Doer): Promise<Agent> {
    return this.#change({ reach, id, draft, by }, () => replaced(withVoice(input)));
  }

  /** Of the published version; a draft is of the newest one. */
  patch(reach: Reach, id: string, input: AgentChange, draft: boolean, by?: Doer): Promise<Agent> {
    return this.#change({ reach, id, draft, by, merges: true }, (before) =>
      patched(before, withVoice(input)),
    );
  }

  /** A version of its own, published, also where it names what the agent has already. */
  bind(
    reach: Reach,
    id: string,
    input: Pick<AgentChange, 'tool_ids' | 'knowledge_base_ids'>,
    by?: Doer,
  ): Promise<Agent> {
    return this.#change({ reach, id, draft: false, by }, (before) => patched(before, input));
  }

  async #change(
    { reach, id, draft, by, merges = false }: Asked,
    change: (before: AgentFields) => AgentFields,
  ): Promise<Agent> {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await this.store.get(reach, id, draft ? 'newest' : undefined);
      const fields = change(before.fields);
      // What is not published yet is published by a save, though its fields stay.
      const settled = draft || before.version === before.publishedVersion;
      if (merges && settled && isDeepStrictEqual(fields, before.fields)) return before;
      await checkAgent(reach, fields, this.#deps, before.fields);
      const saved = await this.store.save(reach, before, draft, fields, by);
      if (saved !== null) return saved;
    }
    throw new ApiError('version_conflict', 'The agent is being saved by others at this moment.');
  }
}
