import { t } from '../i18n/index.ts';
import type { Json } from './api.ts';

const FAULTS: Readonly<Record<string, string>> = {
  unreachable: t('not reachable'),
  timeout: t('no answer in time'),
  overloaded: t('overloaded'),
  refused: t('request refused'),
  garbage: t('unusable answer'),
  silent: t('no words'),
  slow: t('slow'),
  incomplete: t('answer cut off'),
  rounds_exceeded: t('too many calls'),
  failed: t('failed'),
};

const PARTS: Readonly<Record<string, string>> = {
  brain: t('language model'),
  voice: t('voice'),
  speech: t('voice'),
  tool: t('tool'),
  recognition: t('recognition'),
};

/** The record names what the session did instead of the answer. */
const STEPS: Readonly<Record<string, string>> = {
  filler: t('The agent bridged the wait for an answer'),
  retry: t('The language model was asked again'),
  apology: t('The agent apologized instead of an answer'),
  fallback: t('The next model answered, or this server without one'),
  voice: t('A voice of this server spoke the rest'),
  tool: t('The agent answered without the result of a tool'),
  answer: t('The answer was cut, because it was too long'),
  end: t('The call was ended'),
};

const RULES: Readonly<Record<string, string>> = {
  answer: t('A rule of Trace matched the agent’s words'),
  caller: t('A rule of Trace matched the caller’s words'),
};

function faultOf(reason: string): string | null {
  const at = reason.indexOf('_');
  const part = PARTS[reason.slice(0, at)];
  const fault = FAULTS[reason.slice(at + 1)];
  return part === undefined || fault === undefined ? null : `${part}: ${fault}`;
}

/** Returns null for a step or a reason of a later version. */
export function degradedTurn({ step, reason, rule }: Json): string | null {
  if (reason.startsWith('trace_')) {
    const matched = RULES[step];
    return matched === undefined || rule === undefined ? (matched ?? null) : `${matched} (${rule})`;
  }
  if (step === 'voice' && reason === 'speech_slow') return t('The voice was late');
  const did = STEPS[step];
  if (did === undefined || reason === 'answer_too_long') return did ?? null;
  const fault = faultOf(reason);
  return fault === null ? null : `${did} (${fault})`;
}
