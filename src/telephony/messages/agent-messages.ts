import type { TenantScope } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { NumberDirectory } from './contract.ts';
import type { Messages } from './messages.ts';

export class AgentMessages {
  readonly #messages: Messages;
  readonly #numbers: NumberDirectory;
  readonly #onRefused: (error: ApiError) => void;

  constructor(messages: Messages, numbers: NumberDirectory, onRefused: (error: ApiError) => void) {
    this.#onRefused = onRefused;
    this.#messages = messages;
    this.#numbers = numbers;
  }

  async send(
    scope: TenantScope,
    { agentId, to, body }: { readonly agentId: string; readonly to: string; readonly body: string },
  ): Promise<'queued' | 'opted_out' | 'no_number' | 'refused'> {
    const from = await this.#numbers.ofAgent(scope, agentId);
    if (from === null) return 'no_number';
    try {
      const row = await this.#messages.send(scope, { from, to, body, mediaUrls: [], campaignId: null });
      return row.status === 'failed' ? 'opted_out' : 'queued';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#onRefused(error);
      return 'refused';
    }
  }
}
