import type { ControlEvent, SimulatedCaller } from '../caller/index.ts';
import type { PlayedToolCall } from './played.ts';
import type { CallRecord, ServerApi } from './server-api.ts';

/** `at` is on the clock of the process. */
interface Timed {
  readonly at: number;
}

export interface CallReport {
  readonly callId: string | null;
  readonly outcome: string | null;
  readonly record: CallRecord | null;
  readonly slots: Readonly<Record<string, string>>;
  readonly tools: readonly (PlayedToolCall & Timed)[];
  readonly words: readonly ({ readonly role: string; readonly text: string } & Timed)[];
}

export async function reportFromSession(caller: SimulatedCaller, api: ServerApi): Promise<CallReport> {
  const { controls, transcripts } = caller;
  const eventsOf = (event: string) => controls.filter(({ message }) => message.event === event);
  const callId = (eventsOf('configured')[0]?.message.call_id as string | undefined) ?? null;
  const record = callId === null ? null : await api.record(callId);
  // A turn belongs to the step in which its first words came, also where its last words come later.
  const firstOf = new Map<string, number>();
  for (const { at, role, turn_id } of transcripts)
    if (!firstOf.has(role + turn_id)) firstOf.set(role + turn_id, at);
  const captured = eventsOf('captured').map(({ message }) => [String(message.slot), String(message.value)]);
  return {
    callId,
    record,
    outcome: (eventsOf('ended')[0]?.message.reason as string | undefined) ?? record?.end_reason ?? null,
    slots: Object.fromEntries(captured),
    tools: eventsOf('tool_call').map(({ at, message }) => ({ at, ...calledOf(message) })),
    words: transcripts
      .filter(({ final }) => final)
      .map(({ role, text, turn_id }) => ({ role, text, at: firstOf.get(role + turn_id) as number })),
  };
}

const calledOf = (message: ControlEvent): PlayedToolCall => ({
  name: String(message.name),
  arguments: message.arguments as Record<string, unknown>,
});

export function reportFromRecord(caller: SimulatedCaller, record: CallRecord | null): CallReport {
  const on = (ms: number) => caller.began + ms;
  return {
    callId: record?.call_id ?? null,
    record,
    outcome: record?.end_reason ?? null,
    slots: {},
    tools: (record?.tool_calls ?? []).map(({ name, arguments: args, at_ms }) => ({
      at: on(at_ms),
      name,
      arguments: args,
    })),
    // The end of the caller's words is certainly after their first audio; an agent's turn counts from its start.
    words: (record?.transcript?.entries ?? []).map(({ role, text, start_ms, end_ms }) => ({
      role,
      text,
      at: on(role === 'user' ? end_ms : start_ms),
    })),
  };
}
