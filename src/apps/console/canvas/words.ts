import { t } from '../i18n/index.ts';
import type { IconName } from '../kit/icon.tsx';
import { conditionOf, type Edge, type FlowNode, type NodeType, slotsOf, type When } from './document.ts';

export const KIND_ICONS: Readonly<Record<NodeType, IconName>> = {
  say: 'speak',
  ask: 'hear',
  decide: 'dub',
  tool: 'tool',
  knowledge: 'book',
  transfer: 'phone',
  handoff: 'agent',
  wait: 'log',
  message: 'message',
  subflow: 'recap',
  end: 'stop',
};

export const KIND_TEXTS: Readonly<Record<NodeType, string>> = {
  say: t('Speaks fixed words, or lets the model speak within its instruction.'),
  ask: t('Asks for values, reads them back and takes corrections.'),
  decide: t('Goes on by rules; where none is true, the model chooses an answer.'),
  tool: t('Calls a tool of the agent.'),
  knowledge: t('Answers from the knowledge of the agent.'),
  transfer: t('Gives the call to a person.'),
  handoff: t('Gives the call to another agent.'),
  wait: t('Waits in silence until somebody speaks, the hold ends or the time runs out.'),
  message: t('Sends the caller a text message.'),
  subflow: t('Goes through another graph of this flow.'),
  end: t('Ends the call.'),
};

function ruleText(rule: unknown): string {
  if (typeof rule !== 'object' || rule === null) return '…';
  const { all, any, not, value, ...tests } = rule as Record<string, unknown>;
  if (Array.isArray(all)) return all.map(ruleText).join(' & ');
  if (Array.isArray(any)) return any.map(ruleText).join(' | ');
  if (not !== undefined) return `! (${ruleText(not)})`;
  return Object.entries(tests)
    .map(([name, other]) => `${String(value)} ${name.replaceAll('_', ' ')} ${String(other)}`)
    .join(' & ');
}

export function whenText(when: When | undefined): string {
  const condition = conditionOf(when);
  switch (condition) {
    case 'otherwise':
      return t('otherwise');
    case 'attempts':
      return t('attempts used up');
    case 'slot':
      return t('{slots} filled', { slots: [when?.slot ?? []].flat().join(', ') });
    case 'rule':
      return ruleText(when?.rule);
    case 'silence':
      return t('silent {n} times', { n: Number(when?.silence) });
    default:
      return `${condition} ${String(when?.[condition])}`;
  }
}

export const edgeText = ({ from, to, when }: Edge): string => `${from} → ${to}: ${whenText(when)}`;

const firstWords = (words: unknown): string | null => {
  if (typeof words === 'string') return words;
  return typeof words === 'object' && words !== null ? String(Object.values(words)[0] ?? '') : null;
};

export function summaryOf(node: FlowNode): string {
  switch (node.type) {
    case 'ask':
      return slotsOf(node)
        .map(({ name }) => name)
        .join(', ');
    case 'tool':
      return String(node.tool ?? '');
    case 'transfer':
      return String(node.to ?? '');
    case 'message':
      return String(node.body ?? '');
    case 'subflow':
      return String(node.flow ?? '');
    case 'wait':
      return [node.until, node.seconds === undefined ? null : `${node.seconds} s`].filter(Boolean).join(', ');
    case 'handoff':
      return String(node.agent_id ?? '');
    default:
      return firstWords(node.say) ?? String(node.question ?? node.query ?? node.instruction ?? '');
  }
}

export const short = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
