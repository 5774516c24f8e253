import { t } from '../i18n/index.ts';
import type { NodeType } from './document.ts';

export type FieldKind =
  | 'text'
  | 'area'
  | 'words'
  | 'number'
  | 'check'
  | 'choice'
  | 'list'
  | 'slots'
  | 'json'
  | 'tool'
  | 'tools'
  | 'agent'
  | 'nodes'
  | 'slot-names'
  | 'subflow';

export interface FieldOf {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly options?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  readonly step?: number;
}

const SAY: FieldOf = { name: 'say', label: t('Words to say'), kind: 'words' };

/** Each kind's own fields, in the order of the inspector. A test holds them against the schema of a flow. */
export const OWN_FIELDS: Readonly<Record<NodeType, readonly FieldOf[]>> = {
  say: [SAY],
  ask: [SAY, { name: 'slots', label: t('Values to ask for'), kind: 'slots' }],
  decide: [
    { name: 'question', label: t('Question to the model'), kind: 'area' },
    { name: 'answers', label: t('Answers it may choose, one a line'), kind: 'list' },
  ],
  tool: [
    { name: 'tool', label: t('Tool'), kind: 'tool' },
    { name: 'arguments', label: t('Arguments (JSON)'), kind: 'json' },
    { name: 'save', label: t('Variable for the result'), kind: 'text' },
    SAY,
  ],
  knowledge: [{ name: 'query', label: t('Question to the knowledge'), kind: 'area' }],
  transfer: [
    { name: 'to', label: t('Transfer to'), kind: 'text' },
    { name: 'summary', label: t('Summary for the person'), kind: 'area' },
    { name: 'kind', label: t('Kind'), kind: 'choice', options: ['warm', 'cold', 'queue'] },
    { name: 'also', label: t('Numbers to call next, one per line'), kind: 'list' },
    { name: 'wait_seconds', label: t('Seconds in the queue'), kind: 'number', least: 30, most: 3600 },
    { name: 'agent', label: t('The agent'), kind: 'choice', options: ['leaves', 'talks', 'listens'] },
    SAY,
  ],
  handoff: [
    { name: 'agent_id', label: t('Agent'), kind: 'agent' },
    {
      name: 'context',
      label: t('Context that it receives'),
      kind: 'choice',
      options: ['all', 'summary', 'slots'],
    },
    { name: 'slots', label: t('Values that it receives'), kind: 'slot-names' },
    SAY,
  ],
  wait: [
    { name: 'until', label: t('Until'), kind: 'choice', options: ['human', 'hold_end'] },
    { name: 'seconds', label: t('Seconds'), kind: 'number', least: 1, most: 1800 },
    SAY,
  ],
  message: [{ name: 'body', label: t('Text of the message'), kind: 'area' }],
  subflow: [{ name: 'flow', label: t('Subflow'), kind: 'subflow' }],
  end: [SAY],
};

export const MODEL_FIELDS: readonly FieldOf[] = [
  { name: 'instruction', label: t('Instruction to the model'), kind: 'area' },
  { name: 'tools', label: t('Tools that the model may call here'), kind: 'tools' },
  { name: 'topics', label: t('Topics it may talk of, one a line'), kind: 'list' },
];

export const LIMIT_FIELDS: readonly FieldOf[] = [
  { name: 'required', label: t('Required: later steps wait until this step is done'), kind: 'check' },
  { name: 'requires', label: t('Steps that must be done first'), kind: 'nodes' },
  { name: 'attempts', label: t('Attempts'), kind: 'number', least: 1, most: 20 },
  { name: 'max_seconds', label: t('Maximum seconds'), kind: 'number', least: 5, most: 3600 },
  { name: 'max_visits', label: t('Maximum visits'), kind: 'number', least: 1, most: 50 },
  { name: 'speed', label: t('Speed of the voice'), kind: 'number', least: 0.5, most: 2, step: 0.05 },
];

/** Fields of every kind that the canvas sets by other means than a field. */
export const DRAWN_FIELDS = ['id', 'type', 'label', 'position'] as const;

/** Values of these kinds can be read against the agent's records. */
export const RECORD_KINDS: readonly string[] = ['name', 'code', 'email', 'digits', 'phone'];

export const SLOT_KINDS = [
  'digits',
  'phone',
  'email',
  'name',
  'code',
  'date',
  'time',
  'amount',
  'yes_no',
  'choice',
  'text',
] as const;
