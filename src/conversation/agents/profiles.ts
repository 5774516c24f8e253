import type { TenantScope } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { isId } from '../../foundation/platform/ids.ts';
import type { AgentStore } from './agent-store.ts';
import type { AgentFields } from './fields.ts';
import { versionFor } from './traffic.ts';

export interface Profile {
  readonly agentId: string;
  readonly version: number;
  readonly fields: AgentFields;
}

export interface ProfileSource {
  /**
   * Returns null where the label names no agent of this caller and is only a label. Throws ApiError where the
   * agent has no published version.
   */
  profileFor(scope: TenantScope, label: string | null, callId: string): Promise<Profile | null>;
}

export class Profiles implements ProfileSource {
  readonly #store: AgentStore;

  constructor(store: AgentStore) {
    this.#store = store;
  }

  async profileFor(scope: TenantScope, label: string | null, callId: string): Promise<Profile | null> {
    const named = label === null ? null : namedBy(label);
    if (named === null) return null;
    const agent = await this.#store.find(scope, named.id);
    if (agent === null) return null;
    if (named.version !== null) return await this.#ofVersion(scope, named.id, named.version);
    if (agent.publishedVersion === null) {
      throw new ApiError('invalid_request', 'No version of this agent is published.', { param: 'agent_id' });
    }
    const version = agent.traffic === null ? agent.publishedVersion : versionFor(callId, agent.traffic);
    const { fields } = version === agent.version ? agent : await this.#store.get(scope, named.id, version);
    return { agentId: agent.id, version, fields };
  }

  async #ofVersion(scope: TenantScope, id: string, version: number): Promise<Profile> {
    const { fields } = await this.#store.get(scope, id, version);
    return { agentId: id, version, fields };
  }
}

/** Parses `agt_…` or `agt_…@3`. Returns null for a label that names no agent. */
function namedBy(label: string): { readonly id: string; readonly version: number | null } | null {
  const [id = '', version, ...more] = label.split('@');
  if (!isId('agt', id) || more.length > 0) return null;
  if (version === undefined) return { id, version: null };
  return /^[1-9]\d{0,8}$/.test(version) ? { id, version: Number(version) } : null;
}
