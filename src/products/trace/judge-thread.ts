/** The worker thread does all work that is proportional to a conversation or a pack. */
import { PII_ENTITIES, type PiiEntity, redactSegments } from '../../language/pii/index.ts';
import type { Conversation, TraceVerdict } from './contract.ts';
import { type RawConversation, conversationOf as read } from './conversation.ts';
import { type AppliedPack, judge as judged, wantedOf as wanted } from './judge.ts';
import { type JudgementInputData, judgementInputsOf, type RequiredInputs } from './judgement-inputs.ts';
import { checkPack, PackError, readPack } from './packs/reading.ts';
import type { RulePack } from './packs/schema.ts';
import { type Trial, trialsOf, wantedByExamples } from './packs/trial.ts';

export const conversationOf = ({
  raw,
  kinds,
}: {
  raw: RawConversation;
  kinds?: readonly PiiEntity[];
}): Conversation => read(raw, kinds);

export interface SaidText {
  readonly text: string;
  readonly speaker?: string | null;
}

/** Returns the redacted texts in their order. */
export const redact = (said: readonly SaidText[]): string[] => {
  const segments = said.map((one) => ({ ...one, words: [] }));
  return redactSegments(segments, PII_ENTITIES).segments.map(({ text }) => text);
};

interface Judging {
  readonly conversation: Conversation;
  readonly packs: readonly AppliedPack[];
}

export const wantedOf = ({ conversation, packs }: Judging): RequiredInputs => wanted(conversation, packs);

export const judge = ({
  conversation,
  packs,
  inputs,
}: Judging & { inputs: JudgementInputData }): TraceVerdict =>
  judged(conversation, packs, judgementInputsOf(inputs));

export type PackText = { readonly yaml: string } | { readonly spec: unknown };
export type PackRead =
  | { readonly pack: RulePack; readonly wanted: readonly RequiredInputs[] }
  | { readonly path: string; readonly message: string };

/** Returns a valid pack with what its examples need, or the error and its place. */
export function packOf(text: PackText): PackRead {
  try {
    const pack = 'yaml' in text ? readPack(text.yaml) : checkPack(text.spec);
    return { pack, wanted: wantedByExamples(pack) };
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    return { path: error.path, message: error.message };
  }
}

export const tryExamples = ({
  pack,
  inputs,
}: {
  pack: RulePack;
  inputs: readonly JudgementInputData[];
}): readonly Trial[] => trialsOf(pack, inputs);
