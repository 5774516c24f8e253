import { type CaptureKind, type CaptureRequest, RECORD_KINDS } from '../../language/capture/index.ts';
import { argumentsOf, BUILTIN_MS, type BuiltinTool, REMEMBER, TRANSFER } from '../agents/index.ts';
import type { TransferManner } from '../flows/index.ts';
import type { Interlude, SessionTool } from '../session/index.ts';
import { HandoffInterlude, type HandoffRequest, type HandoffResult } from './agent-handoff.ts';
import type { SendMessageResult } from './call-messages.ts';
import type { CaptureListener } from './capture-interlude.ts';
import { captureOf } from './capture-of.ts';
import type { ServedLanguage } from './configuration.ts';
import { LanguageInterlude } from './language-interlude.ts';
import type { RecordSource } from './record-source.ts';

export interface BuiltinToolActions extends CaptureListener {
  hints(): CaptureRequest['hints'];
  /** The names of the agent's lookups. */
  lookups(): readonly string[];
  /** Returns null where the agent has no such lookup, or its tool is gone. */
  records(lookup: string): RecordSource | null;
  transfer(to: string, summary: string, manner?: TransferManner): void;
  handOff(request: HandoffRequest): Promise<HandoffResult | null>;
  languages(): readonly ServedLanguage[];
  switchLanguage(language: ServedLanguage, by: 'tool' | 'flow'): Promise<boolean>;
  /** The carrier of the call sends these DTMF keys to the other party. */
  sendKeys(digits: string): void;
  waitFor(until: 'human' | 'hold_end'): Interlude;
  /** Resumes or pauses the recording. Returns false where the call is not recorded. */
  record(on: boolean): boolean;
  remember(fact: string): Promise<boolean>;
  sendMessage(body: string): Promise<SendMessageResult>;
}

export const CAPTURE_KINDS = [
  'digits',
  'phone',
  'email',
  'name',
  'code',
  'date',
  'time',
  'amount',
  'yes_no',
] as const satisfies readonly CaptureKind[];

const lookupArgument = (names: readonly string[]) =>
  names.length === 0
    ? {}
    : {
        lookup: {
          enum: names,
          description: `the records that hold the value; for the kinds ${RECORD_KINDS.join(', ')}`,
        },
      };

type BuiltinToolFactory = (actions: BuiltinToolActions) => SessionTool;

const tool = (
  name: BuiltinTool,
  description: string,
  parameters: Record<string, unknown>,
  how: Pick<SessionTool, 'act' | 'run'>,
): SessionTool => ({ name, description, parameters, timeoutMs: BUILTIN_MS, filler: null, ...how });

const text = (args: Record<string, unknown>, name: string): string => String(args[name] ?? '');

const recorded = (actions: BuiltinToolActions, on: boolean) =>
  actions.record(on)
    ? { result: { status: on ? 'recording' : 'paused' } }
    : { error: 'this call is not recorded' };

const MAKERS: Partial<Readonly<Record<BuiltinTool, BuiltinToolFactory>>> = {
  end_call: () =>
    tool(
      'end_call',
      'End the call, once the caller has what they need or wants to go. Say goodbye in the same answer.',
      argumentsOf({}, []),
      { act: () => ({ kind: 'end_call' }) },
    ),
  transfer: (actions) =>
    tool(
      'transfer',
      'Hand the call over to a person or a department. Tell the caller so in the same answer.',
      TRANSFER,
      {
        act: (args) => {
          actions.transfer(text(args, 'to'), text(args, 'summary'));
          return { kind: 'hand_over' };
        },
      },
    ),
  handoff: (actions) =>
    tool(
      'handoff',
      'Hand the call over to another agent of this company, who knows more of what the caller wants.',
      argumentsOf(
        {
          agent_id: { type: 'string', pattern: '^agt_[0-9A-Za-z]{20}$' },
          context: {
            enum: ['all', 'summary', 'slots'],
            description: 'what the other agent is told of the talk',
          },
          slots: {
            type: 'object',
            description: 'with context slots: the values by name',
            additionalProperties: { type: 'string', maxLength: 300 },
            maxProperties: 30,
          },
          say: {
            type: 'string',
            maxLength: 300,
            description: 'said before; without it the change is silent',
          },
        },
        ['agent_id', 'context'],
      ),
      {
        act: (args) => {
          const context = args.context as HandoffRequest['context'];
          const slots = (args.slots ?? {}) as HandoffRequest['slots'];
          const say = args.say === undefined || text(args, 'say').trim() === '' ? null : text(args, 'say');
          const request = { agentId: text(args, 'agent_id'), context, slots, by: 'tool' as const };
          return { kind: 'interlude', interlude: new HandoffInterlude(say, () => actions.handOff(request)) };
        },
      },
    ),
  switch_language: (actions) =>
    tool(
      'switch_language',
      'Go on in another language, where the caller asks for it or speaks it.',
      argumentsOf({ language: { enum: actions.languages() } }),
      {
        act: (args) => {
          const language = args.language as ServedLanguage;
          return {
            kind: 'interlude',
            interlude: new LanguageInterlude(language, () => actions.switchLanguage(language, 'tool')),
          };
        },
      },
    ),
  send_keys: (actions) =>
    tool(
      'send_keys',
      'Press keys on the telephone, for a menu at the other end.',
      argumentsOf({ digits: { type: 'string', pattern: '^[0-9A-D*#]{1,32}$' } }, ['digits']),
      {
        run: async ({ arguments: args }) => {
          actions.sendKeys(text(args, 'digits'));
          return { result: { status: 'pressed' } };
        },
      },
    ),
  wait_for: (actions) =>
    tool(
      'wait_for',
      'Stay silent on the line while you are on hold or a machine speaks, until a person speaks or the hold is over.',
      argumentsOf({ until: { enum: ['human', 'hold_end'] } }, ['until']),
      {
        act: ({ until }) => ({
          kind: 'interlude',
          interlude: actions.waitFor(until === 'human' ? 'human' : 'hold_end'),
        }),
      },
    ),
  capture: (actions) =>
    tool(
      'capture',
      'Let the system ask the caller for one exact value, read it back and have it confirmed. Always use it for numbers, names, e-mail addresses, dates and amounts that matter; do not ask for the value yourself.',
      argumentsOf(
        {
          slot: { type: 'string', minLength: 1, maxLength: 64, description: 'a name for the value' },
          kind: { enum: [...CAPTURE_KINDS] },
          hint: { type: 'string', maxLength: 100, description: 'how to call it: "your order number"' },
          ...lookupArgument(actions.lookups()),
        },
        ['slot', 'kind'],
      ),
      {
        act: (args) => {
          const label = args.hint === undefined ? {} : { label: () => text(args, 'hint') };
          const kind = args.kind as CaptureKind;
          const order = { slot: text(args, 'slot'), kind, hints: actions.hints(), ...label };
          const records = args.lookup === undefined ? null : actions.records(text(args, 'lookup'));
          return { kind: 'interlude', interlude: captureOf(order, records, actions, true) };
        },
      },
    ),
  pause_recording: (actions) =>
    tool(
      'pause_recording',
      'Pause the recording of this call, before the caller says what must not be kept: a card number, a password.',
      argumentsOf({}, []),
      { run: async () => recorded(actions, false) },
    ),
  resume_recording: (actions) =>
    tool('resume_recording', 'Go on with the recording of this call after a pause.', argumentsOf({}, []), {
      run: async () => recorded(actions, true),
    }),
  send_message: (actions) =>
    tool(
      'send_message',
      'Send the caller one text message, to the number that they call from: a link, an address, what was agreed.',
      argumentsOf({ body: { type: 'string', minLength: 1, maxLength: 1600, pattern: '\\S' } }, ['body']),
      { run: async ({ arguments: args }) => await actions.sendMessage(text(args, 'body')) },
    ),
  remember: (actions) =>
    tool('remember', 'Keep one fact about this caller for later calls.', REMEMBER, {
      run: async ({ arguments: args }) => {
        const stored = await actions.remember(text(args, 'fact'));
        return stored ? { result: { status: 'kept' } } : { error: 'the caller is not identified' };
      },
    }),
};

export const builtinTools = (names: readonly BuiltinTool[], actions: BuiltinToolActions): SessionTool[] =>
  names.flatMap((name) => MAKERS[name]?.(actions) ?? []);
