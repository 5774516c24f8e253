import { readFileSync } from 'node:fs';
import { quantised, RETRIEVAL_LANGUAGES, similarityOf } from '../../language/retrieval/index.ts';
import { type Engine, embedByAdded, openEmbedderJob } from '../../media/engine/index.ts';
import { AddedModelError } from './errors.ts';
import type { EmbedderFacts, EmbedderMeasured } from './lock.ts';
import { RETRIEVAL_PAIRS } from './retrieval-pairs.ts';

/**
 * The least share of unrelated passages that are less similar to a question than its answer. The bundled models reach 0.88 to
 * 0.98 in their languages, MiniLM at most 0.66 in others, and random weights at most 0.71.
 */
const LEAST_RIGHT = 0.8;
/** By this bound, the bundled E5 gets 0.84 where 0.83 was tuned on more texts, and MiniLM 0.33 where 0.38 was. */
const UNRELATED_BELOW = 0.99;
const PAGE = 4096;

interface Ranked {
  readonly language: string;
  readonly right: number;
  readonly unrelated: readonly number[];
}

/**
 * Opens the model and searches with it, in each language of knowledge bases. It serves those in which it finds the passages,
 * and the similarities of unrelated passages give the bound below which a passage is not about a question.
 */
export async function testEmbedder(
  engine: Engine,
  folder: string,
  facts: EmbedderFacts,
  signal: AbortSignal,
): Promise<EmbedderMeasured> {
  const memory = residentBytes();
  await engine.submit(openEmbedderJob, { model: folder }, new Uint8Array(), signal).result();
  const embed = async (texts: readonly string[]): Promise<Int8Array[]> => {
    const vectors = await embedByAdded(engine, { model: folder, size: facts.size }, texts, {
      live: false,
      signal,
    });
    for (const vector of vectors) checkVector(vector);
    return vectors.map(quantised);
  };
  await embed([RETRIEVAL_PAIRS.en[0]?.[1] ?? '']);
  const memoryBytes = Math.max(0, residentBytes() - memory);
  const results: Ranked[] = [];
  let [milliseconds, passages] = [0, 0];
  for (const language of RETRIEVAL_LANGUAGES) {
    if (!canRead(facts, language)) continue;
    const pairs = RETRIEVAL_PAIRS[language];
    const before = process.cpuUsage();
    const answers = await embed(pairs.map(([, passage]) => facts.passage + passage));
    const { user, system } = process.cpuUsage(before);
    milliseconds += (user + system) / 1000;
    passages += pairs.length;
    const questions = await embed(pairs.map(([question]) => facts.query + question));
    results.push({ language, ...ranked(questions, answers) });
  }
  const served = results.filter(({ right }) => right >= LEAST_RIGHT);
  if (served.length === 0)
    throw new AddedModelError(
      `it does not find the passages that answer questions: only ${results.map(({ language, right }) => `${Math.round(100 * right)} % (${language})`).join(', ')} of the unrelated ones are less similar than the answer. The graph, the tokenizer and the pooling may belong to different models`,
    );
  return {
    languages: served.map(({ language }) => language),
    minSimilarity: quantile(served.flatMap(({ unrelated }) => unrelated)),
    passageMs: Math.round((milliseconds / passages) * 10) / 10,
    memoryBytes,
  };
}

/** Our WordPiece keeps the vowel signs of Devanagari, which BERT's removes. */
const canRead = ({ tokenizer }: EmbedderFacts, language: string): boolean =>
  tokenizer === 'unigram' || language !== 'hi';

function checkVector(vector: Float32Array): void {
  if (vector.every(Number.isFinite) && vector.some((value) => value !== 0)) return;
  throw new AddedModelError('its vectors are no numbers or are all zero: the graph is damaged');
}

function ranked(
  questions: readonly Int8Array[],
  answers: readonly Int8Array[],
): Pick<Ranked, 'right' | 'unrelated'> {
  const unrelated: number[] = [];
  let below = 0;
  for (const [at, question] of questions.entries()) {
    const similarities = answers.map((other) => similarityOf(question, other));
    const answer = similarities[at] ?? 0;
    const others = similarities.filter((_, other) => other !== at);
    below += others.filter((other) => other < answer).length;
    unrelated.push(...others);
  }
  return { right: below / unrelated.length, unrelated };
}

function quantile(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const value = sorted[Math.floor(UNRELATED_BELOW * (sorted.length - 1))] ?? 0;
  return Math.round(value * 1000) / 1000;
}

const residentBytes = (): number => Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1]) * PAGE;
