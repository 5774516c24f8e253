import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { ToolAnswer, ToolInvocation, ToolRun } from '../../session/index.ts';
import type { ToolCallContext } from './call-tool-provider.ts';
import type { ToolFields } from './fields.ts';

export type SignBody = (scope: TenantScope, body: string) => Promise<Readonly<Record<string, string>>>;

export interface WebhookToolDeps {
  readonly gate: Pick<UrlGate, 'fetch'>;
  readonly sign: SignBody;
  readonly clock: Clock;
}

const MAX_BYTES = 256_000;
/** A late answer is accepted this long after the deadline, and the model gets it at the next turn. */
export const LATE_MS = 25_000;

/** The tool sends its owner a signed HTTP request of bounded size through the URL gate. */
export function webhookTool(
  deps: WebhookToolDeps,
  { url, headers, timeout_ms: timeoutMs }: Pick<ToolFields, 'url' | 'headers' | 'timeout_ms'>,
  call: ToolCallContext,
): ToolRun {
  return async (invocation, signal) => {
    const body = bodyOf(deps.clock, invocation, call);
    const signed = await deps.sign(call.scope, body);
    try {
      const response = await deps.gate.fetch(url ?? '', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json', ...signed },
        body,
        maxBytes: MAX_BYTES,
        timeoutMs: timeoutMs + LATE_MS,
        signal,
      });
      return answerOf(response.status, await textOf(response.body));
    } catch (error) {
      if (error instanceof GateError) return { error: `the tool could not be reached: ${error.reason}` };
      throw error;
    }
  };
}

const bodyOf = (
  clock: Clock,
  { callId, name, arguments: args }: ToolInvocation,
  call: ToolCallContext,
): string =>
  JSON.stringify({
    id: newId('evt'),
    type: 'tool.call',
    created_at: clock.now(),
    data: {
      tool_call_id: callId,
      name,
      arguments: args,
      call_id: call.callId,
      agent_id: call.agentId,
      session_label: call.sessionLabel,
      external_id: call.externalId,
    },
  });

async function textOf(body: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Parses JSON and otherwise returns the text. A status outside 2xx is an error, and its body stays hidden from the
 * model.
 */
function answerOf(status: number, text: string): ToolAnswer {
  if (status < 200 || status > 299) return { error: `the tool responded with status ${status}` };
  if (text.trim() === '') return { result: null };
  try {
    return { result: JSON.parse(text) as unknown };
  } catch {
    return { result: text };
  }
}
