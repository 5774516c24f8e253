import type { Reach } from '../access/contract.ts';
import { ApiError } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import type { AgentStore } from './agent-store.ts';
import type { AgentFields } from './fields.ts';
import { versionFor } from './traffic.ts';

/** The profile that serves one call: one version of an agent, which no later save changes. */
export interface Profile {
  readonly agentId: string;
  readonly version: number;
  readonly fields: AgentFields;
}

/** Finds the profile that a call names. */
export interface ProfileSource {
  /** Null: the label is no agent of this caller's, and only a label. Throws ApiError where nothing of it is published. */
  profileFor(reach: Reach, label: string | null, callId: string): Promise<Profile | null>;
}

export class Profiles implements ProfileSource {
  readonly #store: AgentStore;

  constructor(store: AgentStore) {
    this.#store = store;
  }

  async profileFor(reach: Reach, label: string | null, callId: string): Promise<Profile | null> {
    if (label === null || !isId('agt', label)) return null;
    const agent = await this.#store.find(reach, label);
    if (agent === null) return null;
    if (agent.publishedVersion === null) {
      throw new ApiError('invalid_request', 'No version of this agent is published.', { param: 'agent_id' });
    }
    const version = agent.traffic === null ? agent.publishedVersion : versionFor(callId, agent.traffic);
    const { fields } = version === agent.version ? agent : await this.#store.get(reach, label, version);
    return { agentId: agent.id, version, fields };
  }
}
