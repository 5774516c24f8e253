import { isDeepStrictEqual } from 'node:util';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { AuditActor } from '../../foundation/audit/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Problem } from '../flows/index.ts';
import type { Agent, AgentSaveHook, AgentStore } from './agent-store.ts';
import { type AgentCheckDeps, checkAgent, flowProblems, withVoice } from './check-agent.ts';
import { type AgentBody, type AgentChange, type AgentFields, applyChange, completeFields } from './fields.ts';

/** Limits the retries of a save that conflicts with concurrent saves of the same agent. */
const MAX_SAVE_ATTEMPTS = 5;

interface AgentChangeRequest {
  readonly scope: TenantScope;
  readonly id: string;
  readonly draft: boolean;
  readonly by: AuditActor | undefined;
  /** A merge that changes no field makes no version. */
  readonly merges?: boolean;
}

export class Agents {
  readonly store: AgentStore;
  readonly #deps: AgentCheckDeps;

  constructor(store: AgentStore, deps: AgentCheckDeps) {
    this.store = store;
    this.#deps = deps;
  }

  async flowProblems(scope: TenantScope, id: string, flow: unknown): Promise<readonly Problem[]> {
    const { fields } = await this.store.get(scope, id, 'newest');
    return await flowProblems(scope, flow, fields, this.#deps);
  }

  async create(
    scope: TenantScope,
    input: AgentBody,
    draft: boolean,
    alongside?: AgentSaveHook,
    by?: AuditActor,
  ): Promise<Agent> {
    const fields = completeFields(withVoice(input));
    await checkAgent(scope, fields, this.#deps);
    return await this.store.create(scope, fields, draft, alongside, by);
  }

  replace(scope: TenantScope, id: string, input: AgentBody, draft: boolean, by?: AuditActor): Promise<Agent> {
    return this.#change({ scope, id, draft, by }, () => completeFields(withVoice(input)));
  }

  /** Applies the change to the published version, or for a draft to the newest one. */
  patch(scope: TenantScope, id: string, input: AgentChange, draft: boolean, by?: AuditActor): Promise<Agent> {
    return this.#change({ scope, id, draft, by, merges: true }, (before) =>
      applyChange(before, withVoice(input)),
    );
  }

  /** Publishes a new version even where the agent has these bindings already. */
  bind(
    scope: TenantScope,
    id: string,
    input: Pick<AgentChange, 'tool_ids' | 'knowledge_base_ids'>,
    by?: AuditActor,
  ): Promise<Agent> {
    return this.#change({ scope, id, draft: false, by }, (before) => applyChange(before, input));
  }

  async #change(
    { scope, id, draft, by, merges = false }: AgentChangeRequest,
    change: (before: AgentFields) => AgentFields,
  ): Promise<Agent> {
    for (let tries = 0; tries < MAX_SAVE_ATTEMPTS; tries++) {
      const before = await this.store.get(scope, id, draft ? 'newest' : undefined);
      const fields = change(before.fields);
      // Saving publishes a draft, even where no field changes.
      const settled = draft || before.version === before.publishedVersion;
      if (merges && settled && isDeepStrictEqual(fields, before.fields)) return before;
      await checkAgent(scope, fields, this.#deps, before.fields);
      const saved = await this.store.save(scope, before, draft, fields, by);
      if (saved !== null) return saved;
    }
    throw new ApiError(
      'version_conflict',
      'Another request has changed the agent. Retrieve it again and repeat the change.',
    );
  }
}
