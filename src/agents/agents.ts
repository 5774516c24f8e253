import type { Reach } from '../access/contract.ts';
import type { Doer } from '../audit/contract.ts';
import { ApiError } from '../platform/errors.ts';
import type { Agent, AgentStore, Alongside } from './agent-store.ts';
import { type CheckDeps, checkAgent, withVoice } from './check.ts';
import { type AgentBody, type AgentFields, type AgentInput, patched, replaced } from './fields.ts';

/** How often a save is tried again when others save the same agent at the same moment. */
const TRIES = 5;

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
    const fields = replaced({ name: input.name, ...withVoice(input) });
    await checkAgent(reach, fields, this.#deps);
    return await this.store.create(reach, fields, draft, alongside, by);
  }

  replace(reach: Reach, id: string, input: AgentBody, draft: boolean, by?: Doer): Promise<Agent> {
    return this.#change({ reach, id, draft, by }, () => replaced({ name: input.name, ...withVoice(input) }));
  }

  /** Of the published version; a draft is of the newest one. */
  patch(reach: Reach, id: string, input: AgentInput, draft: boolean, by?: Doer): Promise<Agent> {
    return this.#change({ reach, id, draft, by }, (before) => patched(before, withVoice(input)));
  }

  async #change(
    { reach, id, draft, by }: { reach: Reach; id: string; draft: boolean; by: Doer | undefined },
    change: (before: AgentFields) => AgentFields,
  ): Promise<Agent> {
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await this.store.get(reach, id, draft ? 'newest' : undefined);
      const fields = change(before.fields);
      await checkAgent(reach, fields, this.#deps, before.fields);
      const saved = await this.store.save(reach, before, draft, fields, by);
      if (saved !== null) return saved;
    }
    throw new ApiError('version_conflict', 'The agent is being saved by others at this moment.');
  }
}
