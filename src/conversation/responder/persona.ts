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

export interface PersonaFact {
  readonly text: string;
  readonly title: string;
}

/**
 * Returns what a persona says about the business: never its instructions to the agent, nor what it must not disclose.
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

/** A single instruction does not make the sentences next to it instructions. */
const FEWEST = 2;

/** A sentence that follows an instruction counts as one too where at least half of the running text instructs. */
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
  // The sentence "You are Maya" introduces the agent and does not count.
  const others = lines.flatMap((line, other) =>
    line.run === run && phraseAt(tokensOf(plainText(line.text)), 0, openings) === 0 ? [other] : [],
  );
  const instructing = others.filter((other) => isInstruction[other]).length;
  return instructing >= FEWEST && instructing * 2 >= others.length;
}

export const sayable = (passage: string, language: AgentLanguage): string[] =>
  sentencesOf(passage).filter((text) => !instructs({ text, stance: 'facts' }, language));

const holds = (tokens: readonly Token[], phrases: PhraseList): boolean =>
  tokens.some((_, at) => phraseAt(tokens, at, phrases) > 0);

function stanceOf(title: string, language: AgentLanguage): PersonaLine['stance'] | null {
  const tokens = tokensOf(plainText(title));
  const { instructionTitles, factTitles } = AGENT_LANGUAGE_WORDS[language].persona;
  if (holds(tokens, instructionTitles)) return 'instructions';
  return holds(tokens, factTitles) ? 'facts' : null;
}

/** Sentences with names of tools or placeholders are not said to callers. */
const MACHINERY = /\{\{|\}\}|<\w+>|`|\b\w+_\w+\b|\w\(\)/u;

const LONGEST_LEAD = 8;

function instructs({ text, stance }: Pick<PersonaLine, 'text' | 'stance'>, language: AgentLanguage): boolean {
  const { commands, secondPerson, inward, secret } = AGENT_LANGUAGE_WORDS[language].persona;
  const tokens = tokensOf(plainText(text));
  if (MACHINERY.test(text) || holds(tokens, inward) || holds(tokens, secret)) return true;
  if (stance !== 'facts' && holds(tokens, secondPerson)) return true;
  // The sentence "Check-in begins at three" is not a command.
  const commandsAt = (at: number): boolean => {
    const length = phraseAt(tokens, at, commands);
    return length > 0 && tokens[at + length]?.gap !== '-';
  };
  // A command may follow a clause: "Before anything else, check the account."
  const clause = tokens.findIndex((token, at) => at > 0 && token.gap.includes(','));
  const leads = clause > 0 && clause <= LONGEST_LEAD && stance !== 'facts';
  return commandsAt(0) || (leads && commandsAt(clause));
}

/**
 * Returns the lines that a secret line makes confidential: itself, the lines before it that it refers to, and the
 * lines after it that it announces.
 */
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

function speaksBack(line: PersonaLine | undefined, language: AgentLanguage): boolean {
  if (line === undefined) return false;
  const { secret, backward, impersonal } = AGENT_LANGUAGE_WORDS[language].persona;
  const all = tokensOf(plainText(line.text));
  const tokens = all.filter((_, at) => !impersonal.some((words) => covers(all, at, words)));
  if (holds(tokens, backward)) return true;
  const words = tokens.filter((_, at) => !secret.some((confidential) => covers(tokens, at, confidential)));
  return contentStems(words.map(({ text }) => text).join(' '), language).length === 0;
}

const covers = (tokens: readonly Token[], at: number, confidential: string): boolean => {
  const length = confidential.split(' ').length;
  return Array.from({ length }, (_, back) => at - back).some(
    (from) => from >= 0 && phraseAt(tokens, from, [confidential]) > at - from,
  );
};

/** Returns the persona's first sentence about the agent, turned into the first person. */
export function ownName(persona: string, language: AgentLanguage): string | null {
  for (const { text } of personaLines(persona, () => null)) {
    for (const [opening, self] of AGENT_LANGUAGE_WORDS[language].persona.self) {
      if (phraseAt(tokensOf(plainText(text)), 0, [phrase(opening)]) === 0) continue;
      const said = opening.split(' ').length;
      const rest = text
        .split(/\s+/)
        .slice(text.includes("'") && said > 1 && opening.includes("'") ? 1 : said);
      const whole = `${self} ${rest.join(' ')}`;
      // The clause before the comma may give the name: "You are Maya, and you never speak of prices."
      const clause = whole.replace(/[,;:–—].*$/su, '.');
      const name = [whole, clause].find((part) => isName(part, rest[0] ?? '', language));
      if (name !== undefined) return turnHindi(name, language);
    }
  }
  return null;
}

/** These words start a rule of behaviour, not a name: "You are to", "You are on the phone". */
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

/** Hindi marks the person in the verb as well: "आप रिया हैं" becomes "मैं रिया हूँ". */
const turnHindi = (sentence: string, language: AgentLanguage): string =>
  language === 'hi' ? sentence.replace(/ (हैं|हो)(?=[।.!,]|$)/u, ' हूँ') : sentence;
