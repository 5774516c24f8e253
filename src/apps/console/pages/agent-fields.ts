import type { Json } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import type { Field } from '../kit/form.tsx';
import { LANGUAGE_CHOICES, recognizedPoorly } from './languages.ts';

const choices = (...values: readonly string[]) => values.map((one) => [one, one] as const);

export interface Offered {
  readonly voices: readonly Json[];
  readonly tools: readonly Json[];
  readonly bases: readonly Json[];
}

const BUILTIN_TOOLS = choices(
  ...[
    'end_call',
    'transfer',
    'handoff',
    'switch_language',
    'send_keys',
    'wait_for',
    'capture',
    'remember',
    'send_message',
  ],
  ...['pause_recording', 'resume_recording'],
);

const named = (rows: readonly Json[], chosen: readonly string[]) => {
  const names = new Map<string, string>(chosen.map((id) => [id, id]));
  for (const { id, name } of rows) names.set(id, name);
  return [...names];
};

export const fieldsOf = (agent: Json, { voices, tools, bases }: Offered): Field[] => [
  { name: 'name', label: t('Name'), value: agent.name, needed: true },
  { name: 'persona', label: t('Who the agent is'), kind: 'area', value: agent.persona },
  { name: 'greeting', label: t('Greeting'), value: agent.greeting },
  {
    name: 'language',
    label: t('Language'),
    kind: 'choice',
    options: LANGUAGE_CHOICES,
    value: agent.language,
    hint: recognizedPoorly(),
  },
  {
    name: 'voice_id',
    label: t('Voice'),
    kind: 'choice',
    options: [
      ['', t('Default voice of the language')],
      ...voices.map(({ id, name }) => [id, `${name} (${id})`] as const),
    ],
    value: agent.voice_id ?? '',
  },
  {
    name: 'knowledge_base_ids',
    label: t('Knowledge'),
    kind: 'several',
    options: named(bases, agent.knowledge_base_ids),
    value: agent.knowledge_base_ids,
  },
  {
    name: 'grounding',
    label: t('Answers from knowledge alone'),
    kind: 'choice',
    options: [
      ['', t('Where knowledge is attached')],
      ['strict', t('Always')],
      ['open', t('Never')],
    ],
    value: agent.grounding ?? '',
  },
  {
    name: 'tool_ids',
    label: t('Tools'),
    kind: 'several',
    options: named(tools, agent.tool_ids),
    value: agent.tool_ids,
  },
  {
    name: 'builtin_tools',
    label: t('Built-in tools'),
    kind: 'several',
    options: BUILTIN_TOOLS,
    value: agent.builtin_tools,
  },
  { name: 'consent_line', label: t('Recording notice'), value: agent.consent_line },
  {
    name: 'recordings_enabled',
    label: t('Record its calls'),
    kind: 'check',
    value: agent.recordings_enabled,
    hint: t('Starts after the recording notice, if there is one.'),
  },
  {
    name: 'endpointing',
    label: t('End of turn: how soon it answers'),
    kind: 'choice',
    options: choices('quick', 'normal', 'patient'),
    value: agent.endpointing,
  },
  {
    name: 'barge_sensitivity',
    label: t('Barge-in sensitivity'),
    kind: 'choice',
    options: choices('high', 'normal', 'low'),
    value: agent.barge_sensitivity,
  },
  {
    name: 'primary_speaker',
    label: t('Keep to the caller’s voice'),
    kind: 'check',
    value: agent.primary_speaker,
    hint: t('A television or a colleague neither interrupts the agent nor enters the transcript.'),
  },
  {
    name: 'denoise',
    label: t('Without the caller’s noise'),
    kind: 'several',
    options: [
      ['recording', t('Recordings')],
      ['transfer', t('Transfers')],
    ],
    value: agent.denoise,
    hint: t('For the people who listen; the agent hears the line as it is.'),
  },
  { name: 'vocabulary', label: t('Words to expect'), kind: 'list', value: agent.vocabulary },
  {
    name: 'voice_under_load',
    label: t('Voice under load'),
    kind: 'choice',
    options: [
      ['', t('No other voice')],
      ...voices
        .filter(({ tier }) => tier === 'standard')
        .map(({ id, name }) => [id, `${name} (${id})`] as const),
    ],
    value: agent.voice_under_load ?? '',
    hint: t(
      'A Standard voice that may start calls instead of this one. It must speak the same language and cost less.',
    ),
  },
  {
    name: 'draft',
    label: t('Keep it as a draft'),
    kind: 'check',
    hint: t('No call is served by a draft until it gets a share of the calls.'),
  },
];

/** Values that cannot be edited as text stay unchanged. */
export function changeOf(agent: Json, { draft: _draft, ...values }: Json): Json {
  const change: Json = { ...values };
  for (const name of ['barge_sensitivity', 'endpointing'])
    if (typeof agent[name] === 'number') delete change[name];
  for (const name of ['voice_id', 'voice_under_load', 'grounding']) change[name] = values[name] ?? null;
  for (const name of ['greeting', 'consent_line', 'persona']) change[name] = values[name] ?? '';
  return change;
}
