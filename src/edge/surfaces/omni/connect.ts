import { type Static, Type } from 'typebox';
import { CALL_RATES, type CallRate } from '../../../conversation/calls/index.ts';
import type { Principal } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';

export const ConnectQuery = Type.Object({
  format: Type.Literal('pcm16'),
  rate: Type.Enum([8000, 16000, 24000]),
  session_label: Type.Optional(Type.String({ maxLength: 128 })),
  agent_id: Type.Optional(Type.String({ maxLength: 128, description: 'Alias of `session_label`.' })),
});
export type ConnectQuery = Static<typeof ConnectQuery>;

export interface ConnectOptions {
  readonly rate: CallRate;
  readonly sessionLabel: string | null;
}

const MAX_LABEL_CHARACTERS = 128;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

export function readConnectQuery(query: URLSearchParams): ConnectOptions {
  const sessionLabel = readLabel({
    session_label: query.get('session_label'),
    agent_id: query.get('agent_id'),
  });
  if (query.get('format') !== 'pcm16') {
    throw new ApiError('invalid_request', 'format is required and must be pcm16', { param: 'format' });
  }
  const rate = CALL_RATES.find((known) => String(known) === query.get('rate'));
  if (rate === undefined) {
    throw new ApiError('invalid_request', `rate is required: ${CALL_RATES.join(', ')}`, { param: 'rate' });
  }
  return { rate, sessionLabel };
}

export function readLabel(said: Record<'session_label' | 'agent_id', string | null>): string | null {
  for (const [param, label] of Object.entries(said)) checkLabel(param, label);
  const label = said.session_label ?? said.agent_id;
  return label === '' ? null : label;
}

/** A token for an agent opens sessions of that agent only. */
export function sessionLabelFor({ browser }: Principal, label: string | null): string | null {
  const agentId = browser?.agentId ?? null;
  if (agentId === null || label === agentId) return label;
  if (label === null) return agentId;
  throw new ApiError('forbidden', 'the browser token was created for another agent', { param: 'agent_id' });
}

function checkLabel(param: string, label: string | null): void {
  if (label === null) return;
  if (!CONTROL_CHARACTER.test(label) && [...label].length <= MAX_LABEL_CHARACTERS) return;
  throw new ApiError(
    'invalid_agent_id',
    `an agent ID or session label can have at most ${MAX_LABEL_CHARACTERS} characters and no control characters`,
    { param },
  );
}
