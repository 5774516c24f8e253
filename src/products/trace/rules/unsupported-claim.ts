import { contentStems, sentencesOf } from '../../../language/retrieval/index.ts';
import { plainText, tokensOf } from '../../../language/text/index.ts';
import type { Hit, Judgement } from '../contract.ts';
import type { RuleOf } from '../packs/schema.ts';
import type { JudgedConversation, Sentence } from '../subject.ts';

/** Where no knowledge is nearer than this, a sentence with a figure in it has nothing to stand on. */
const NEAR = 0.5;

/** Figures that the agent names and that its knowledge does not hold. A sentence is a claim where it names a figure. */
export function judgeUnsupportedClaim(
  rule: RuleOf<'unsupported_claim'>,
  subject: JudgedConversation,
): Judgement {
  const { knowledge } = subject.conversation;
  if (knowledge === null) return { kind: 'unjudged', reason: 'no_knowledge' };
  const mine = subject.by(rule.speaker ?? 'agent');
  if (mine === null) return { kind: 'unjudged', reason: 'speakers_unknown' };
  if (subject.language === null) return { kind: 'unjudged', reason: 'language' };
  const own = new Set(mine);
  const said = customersFigures(subject);
  const hits: Hit[] = [];
  for (const sentence of subject.sentences) {
    if (!own.has(sentence.utterance)) continue;
    // The agent may repeat what the customer has just said.
    const figures = figuresIn(sentence.text).filter((figure) => !said.has(figure));
    if (figures.length === 0 || isSupported(rule, subject, sentence, figures, knowledge)) continue;
    const { utterance, start, end } = sentence;
    const detail = `no knowledge document supports ${figures.join(', ')} for this statement`;
    hits.push({ span: { utterance, start, end, likeness: 1, held: '' }, detail });
  }
  return { kind: 'judged', hits };
}

/** One passage holds every figure, and speaks of the same. */
function isSupported(
  { min_likeness: near = NEAR }: RuleOf<'unsupported_claim'>,
  subject: JudgedConversation,
  { text }: Sentence,
  figures: readonly string[],
  knowledge: readonly string[],
): boolean {
  return knowledge.flatMap(sentencesOf).some((passage) => {
    subject.spend(passage.length * 10);
    const held = new Set(figuresIn(passage));
    if (!figures.every((figure) => held.has(figure))) return false;
    const similarity = subject.inputs.similarity(text, passage, subject.language);
    return similarity === null
      ? sharesSubject(text, passage, subject)
      : similarity >= near || sharesSubject(text, passage, subject);
  });
}

function sharesSubject(one: string, other: string, { language }: JudgedConversation): boolean {
  if (language === null) return false;
  const theirs = new Set(contentStems(other, language));
  return contentStems(one, language).some((stem) => !/\d/.test(stem) && theirs.has(stem));
}

function customersFigures({ conversation }: JudgedConversation): ReadonlySet<string> {
  const said = conversation.utterances.filter(({ speaker }) => speaker === 'customer');
  return new Set(said.flatMap(({ text }) => figuresIn(text)));
}

/** Whether a sentence can be a claim, or what one stands on. */
export const namesFigure = (text: string): boolean => /\d/.test(text);

const figuresIn = (text: string): string[] =>
  tokensOf(plainText(text))
    .map(({ text: token }) => token)
    .filter((token) => /^\d/.test(token));
