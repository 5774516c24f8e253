import type { TenantScope } from '../../foundation/access/contract.ts';

export interface AgentMessaging {
  send(
    scope: TenantScope,
    text: { readonly agentId: string; readonly to: string; readonly body: string },
  ): Promise<'queued' | 'opted_out' | 'no_number' | 'refused'>;
}

export interface CallMessagesOptions {
  readonly messaging: AgentMessaging | null;
  readonly scope: TenantScope;
  /** It is false for a browser page, which names the caller itself and could claim any number. */
  readonly trusted: boolean;
  readonly agentId: string;
  readonly person: string | null;
}

export type SendMessageResult = { readonly result: { readonly status: 'sent' } } | { readonly error: string };

/** The limit stops a model that sends messages in a loop. */
const MOST = 5;
const WHY_NOT = {
  opted_out: 'the caller wants no messages',
  no_number: 'this agent has no number of its own',
  refused: 'no message can be sent now',
} as const;
const E164 = /^\+[1-9]\d{6,14}$/;

/** An agent can send messages only to the caller of this call, whatever the model asks for. */
export class CallMessages {
  readonly #options: CallMessagesOptions;
  #sent = 0;

  constructor(options: CallMessagesOptions) {
    this.#options = options;
  }

  async send(body: string): Promise<SendMessageResult> {
    const { messaging: texts, scope, trusted, agentId, person } = this.#options;
    if (texts === null) return { error: 'this server carries no messages' };
    if (!trusted || person === null || !E164.test(person))
      return { error: 'the number of the caller is unknown' };
    if (this.#sent >= MOST) return { error: 'enough messages were sent in this call' };
    this.#sent += 1;
    const outcome = await texts.send(scope, { agentId, to: person, body });
    if (outcome === 'queued') return { result: { status: 'sent' } };
    return { error: WHY_NOT[outcome] };
  }
}
