import { contentStems, sentencesOf } from '../../language/retrieval/index.ts';
import {
  AGENT_LANGUAGE_WORDS,
  type AgentLanguage,
  type PhraseList,
  phrase,
  phraseAt,
  plainText,
  type Token,
  tokensOf,
} from '../../language/text/index.ts';
import { type PersonaLine, personaLines } from './persona-lines.ts';

/** Something about the business that a caller may be told as it stands. */
export interface PersonaFact {
  readonly text: string;
  /** The heading above the line. */
  readonly title: string;
}

/**
 * Returns what a persona says about the business: never its instructions to the agent, nor what it must not
 * disclose.
 */
export function personaFacts(persona: string, language: AgentLanguage): PersonaFact[] {
  const lines = personaLines(persona, (title) => stanceOf(title, language));
  const confidential = new Set<PersonaLine>(
    lines.flatMap((line, at) => confidences(lines, line, at, language)),
  );
  const isInstruction = lines.map((line) => line.stance === 'instructions' || instructs(line, language));
  return lines
    .filter(
      (line, at) =>
        !confidential.has(line) &&
        !isInstruction[at] &&
        !isAmongInstructions(lines, isInstruction, at, language),
    )
    .map(({ text, title }) => ({ text, title }));
}

/** One instruction beside a fact tells nothing of the fact. */
const FEWEST = 2;

/** In running text of which half instructs, what follows an instruction is one too, whatever its words. */
function isAmongInstructions(
  lines: readonly PersonaLine[],
  isInstruction: readonly boolean[],
  at: number,
  language: AgentLanguage,
): boolean {
  const { run, stance } = lines[at] as PersonaLine;
  if (run === null || stance === 'facts' || lines[at - 1]?.run !== run || !isInstruction[at - 1])
    return false;
  const openings = AGENT_LANGUAGE_WORDS[language].persona.self.map(([opening]) => phrase(opening));
  // "You are Maya" says who the agent is.
  const others = lines.flatMap((line, other) =>
    line.run === run && phraseAt(tokensOf(plainText(line.text)), 0, openings) === 0 ? [other] : [],
  );
  const instructing = others.filter((other) => isInstruction[other]).length;
  return instructing >= FEWEST && instructing * 2 >= others.length;
}

/** Returns a passage without its instructions to an agent. */
export const sayable = (passage: string, language: AgentLanguage): string[] =>
  sentencesOf(passage).filter((text) => !instructs({ text, stance: 'facts' }, language));

const holds = (tokens: readonly Token[], phrases: PhraseList): boolean =>
  tokens.some((_, at) => phraseAt(tokens, at, phrases) > 0);

/** A title tells for whom what stands under it is meant; null: it doesn't. */
function stanceOf(title: string, language: AgentLanguage): PersonaLine['stance'] | null {
  const tokens = tokensOf(plainText(title));
  const { instructionTitles, factTitles } = AGENT_LANGUAGE_WORDS[language].persona;
  if (holds(tokens, instructionTitles)) return 'instructions';
  return holds(tokens, factTitles) ? 'facts' : null;
}

/** Names of tools and places to be filled in are read by no caller. */
const MACHINERY = /\{\{|\}\}|<\w+>|`|\b\w+_\w+\b|\w\(\)/u;

/** Words before the comma behind which a sentence commands. */
const LONGEST_LEAD = 8;

function instructs({ text, stance }: Pick<PersonaLine, 'text' | 'stance'>, language: AgentLanguage): boolean {
  const { commands, secondPerson, inward, secret } = AGENT_LANGUAGE_WORDS[language].persona;
  const tokens = tokensOf(plainText(text));
  if (MACHINERY.test(text) || holds(tokens, inward) || holds(tokens, secret)) return true;
  if (stance !== 'facts' && holds(tokens, secondPerson)) return true;
  // "Check-in begins at three" is no command.
  const commandsAt = (at: number): boolean => {
    const length = phraseAt(tokens, at, commands);
    return length > 0 && tokens[at + length]?.gap !== '-';
  };
  // "Before anything else, check the account."
  const clause = tokens.findIndex((token, at) => at > 0 && token.gap.includes(','));
  const leads = clause > 0 && clause <= LONGEST_LEAD && stance !== 'facts';
  return commandsAt(0) || (leads && commandsAt(clause));
}

/** The lines that a line keeps back: itself, those before it that it speaks of, those behind it that it announces. */
function confidences(
  lines: readonly PersonaLine[],
  line: PersonaLine,
  at: number,
  language: AgentLanguage,
): PersonaLine[] {
  const { secret, forward } = AGENT_LANGUAGE_WORDS[language].persona;
  const tokens = tokensOf(plainText(line.text));
  if (!holds(tokens, secret)) return [];
  const confidential = [line];
  for (let about = at; about > 0 && speaksBack(lines[about], language); about--)
    confidential.push(lines[about - 1] as PersonaLine);
  if (line.text.endsWith(':') || holds(tokens, forward)) confidential.push(...lines.slice(at));
  return confidential;
}

/** It speaks of the sentence before it, by a pronoun or by leaving out what it is about. */
function speaksBack(line: PersonaLine | undefined, language: AgentLanguage): boolean {
  if (line === undefined) return false;
  const { secret, backward, impersonal } = AGENT_LANGUAGE_WORDS[language].persona;
  const all = tokensOf(plainText(line.text));
  const tokens = all.filter((_, at) => !impersonal.some((words) => covers(all, at, words)));
  if (holds(tokens, backward)) return true;
  const words = tokens.filter((_, at) => !secret.some((confidential) => covers(tokens, at, confidential)));
  return contentStems(words.map(({ text }) => text).join(' '), language).length === 0;
}

/** Whether a token is part of a phrase that stands in the tokens. */
const covers = (tokens: readonly Token[], at: number, confidential: string): boolean => {
  const length = confidential.split(' ').length;
  return Array.from({ length }, (_, back) => at - back).some(
    (from) => from >= 0 && phraseAt(tokens, from, [confidential]) > at - from,
  );
};

/** The persona's first sentence about the agent, said in the first person. */
export function ownName(persona: string, language: AgentLanguage): string | null {
  for (const { text } of personaLines(persona, () => null)) {
    for (const [opening, self] of AGENT_LANGUAGE_WORDS[language].persona.self) {
      if (phraseAt(tokensOf(plainText(text)), 0, [phrase(opening)]) === 0) continue;
      const said = opening.split(' ').length;
      const rest = text
        .split(/\s+/)
        .slice(text.includes("'") && said > 1 && opening.includes("'") ? 1 : said);
      const whole = `${self} ${rest.join(' ')}`;
      // "You are Maya, and you never speak of prices."
      const clause = whole.replace(/[,;:–—].*$/su, '.');
      const name = [whole, clause].find((part) => isName(part, rest[0] ?? '', language));
      if (name !== undefined) return turnHindi(name, language);
    }
  }
  return null;
}

/** How the agent shall behave is no name: "You are to", "You are on the phone". */
const NO_NAME = new Set(
  'to not never allowed supposed expected required talking speaking answering on here'.split(' '),
);

function isName(sentence: string, first: string, language: AgentLanguage): boolean {
  const { human, secret, secondPerson } = AGENT_LANGUAGE_WORDS[language].persona;
  const tokens = tokensOf(plainText(sentence));
  return (
    !NO_NAME.has(first.toLowerCase()) && ![human, secret, secondPerson].some((list) => holds(tokens, list))
  );
}

/** Hindi carries the person in the verb as well: "आप रिया हैं" is "मैं रिया हूँ". */
const turnHindi = (sentence: string, language: AgentLanguage): string =>
  language === 'hi' ? sentence.replace(/ (हैं|हो)(?=[।.!,]|$)/u, ' हूँ') : sentence;
