import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { runInThread } from '../../foundation/platform/threads.ts';
import type { PiiEntity } from '../../language/pii/index.ts';
import type { Conversation, TraceVerdict } from './contract.ts';
import { conversationOf, type RawConversation } from './conversation.ts';
import { type AppliedPack, judge, wantedOf } from './judge.ts';
import * as thread from './judge-thread.ts';
import type { JudgementInputCollector } from './judgement-input-collector.ts';
import { judgementInputsOf, type RequiredInputs } from './judgement-inputs.ts';
import { PackError } from './packs/reading.ts';
import type { RulePack } from './packs/schema.ts';
import type { Trial } from './packs/trial.ts';

const PROGRAM = compiledProgram(import.meta.url, 'products/trace', 'judge-thread.js');

/** A shorter conversation takes a few milliseconds, which is less than the dispatch to a worker thread costs. */
const SHORT_CHARACTERS = 4_000;
const SHORT_ENTRIES = 100;

const isShort = (
  texts: readonly { readonly text: string; readonly words?: readonly unknown[] | undefined }[],
): boolean =>
  texts.length <= SHORT_ENTRIES &&
  texts.reduce((sum, { text, words }) => sum + text.length + 10 * (words?.length ?? 0), 0) <=
    SHORT_CHARACTERS;

/** A conversation without what is personal in it; a long one is read on a thread. */
export async function conversationInWorker(
  raw: RawConversation,
  tenant: string,
  kinds?: readonly PiiEntity[],
): Promise<Conversation> {
  if (isShort(raw.utterances)) return conversationOf(raw, kinds);
  return await runInThread(
    PROGRAM,
    'conversationOf' satisfies keyof typeof thread,
    { raw, kinds },
    { tenant },
  );
}

/** Texts that follow one another, without what is personal in them. */
export async function redactInWorker(
  said: readonly thread.SaidText[],
  tenant: string,
): Promise<readonly string[]> {
  if (isShort(said)) return thread.redact(said);
  return await runInThread(PROGRAM, 'redact' satisfies keyof typeof thread, said, { tenant });
}

/** Judges a conversation; a long one on a thread. */
export async function judgeInWorker(
  conversation: Conversation,
  packs: readonly AppliedPack[],
  inputs: Pick<JudgementInputCollector, 'gather'>,
  tenant: string,
): Promise<TraceVerdict> {
  const { knowledge, utterances } = conversation;
  if (isShort(utterances) && isShort((knowledge ?? []).map((text) => ({ text })))) {
    const known = await inputs.gather(wantedOf(conversation, packs));
    return judge(conversation, packs, judgementInputsOf(known));
  }
  const asked = { conversation, packs };
  const wanted = await runInThread<RequiredInputs>(PROGRAM, 'wantedOf' satisfies keyof typeof thread, asked, {
    tenant,
  });
  const known = await inputs.gather(wanted);
  return await runInThread(
    PROGRAM,
    'judge' satisfies keyof typeof thread,
    { ...asked, inputs: known },
    { tenant },
  );
}

/** A pack as its owner sends it, with what its examples want to know. Throws PackError. */
export async function readPackInWorker(text: thread.PackText, tenant: string): Promise<ReadPack> {
  const read = await runInThread<thread.PackRead>(PROGRAM, 'packOf' satisfies keyof typeof thread, text, {
    tenant,
  });
  if ('pack' in read) return read;
  throw new PackError(read.path, read.message);
}

export interface ReadPack {
  readonly pack: RulePack;
  readonly wanted: readonly RequiredInputs[];
}

/** Holds every rule of a pack against its own examples. */
export async function tryExamplesInWorker(
  { pack, wanted }: ReadPack,
  inputs: Pick<JudgementInputCollector, 'gather'>,
  tenant: string,
): Promise<readonly Trial[]> {
  const known = [];
  for (const one of wanted) known.push(await inputs.gather(one));
  const asked = { pack, inputs: known };
  return await runInThread(PROGRAM, 'tryExamples' satisfies keyof typeof thread, asked, { tenant });
}
