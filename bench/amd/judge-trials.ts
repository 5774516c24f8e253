import type { Answer, AnswerVerdict, MessageEnd, Models, Tunables } from '../../src/speech/amd/index.ts';
import type { HeardTrial } from './evidence.ts';
import { judge } from './listen.ts';
import { type Peer, wordRule } from './peers.ts';

export interface JudgedTrial extends Omit<HeardTrial, 'heard'> {
  readonly verdict: AnswerVerdict;
  readonly messageEnd: MessageEnd | null;
  readonly words: Peer;
  readonly readingMs: number;
  readonly lengthMs: number;
  readonly text: string;
}

export function judgeAll(heard: readonly HeardTrial[], models: Models, tunables: Tunables): JudgedTrial[] {
  return heard.map(({ heard: one, ...trial }) => {
    const { verdict } = judge(one, models, tunables);
    const { messageEnd } = judge(one, models, { ...tunables, mode: 'message_end' });
    const readingMs = one.readingMs.reduce((sum, ms) => sum + ms, 0);
    const texts = new Map(
      one.evidence.flatMap((each) => (each.kind === 'words' ? [[each.stretch, each.text]] : [])),
    );
    return {
      ...trial,
      verdict,
      messageEnd,
      words: wordRule(one.evidence, one.lengthMs),
      readingMs,
      lengthMs: one.lengthMs,
      text: [...texts.values()].join(' '),
    };
  });
}

const PEOPLE: readonly Answer[] = ['human', 'receptionist'];
const MACHINES: readonly Answer[] = ['voicemail', 'ivr', 'screening', 'dead_number', 'fax'];
export const isPerson = (answer: Answer): boolean => PEOPLE.includes(answer);
export const isMachine = (answer: Answer): boolean => MACHINES.includes(answer);
export const isRight = ({ truth, verdict }: JudgedTrial): boolean => verdict.answeredBy === truth;
