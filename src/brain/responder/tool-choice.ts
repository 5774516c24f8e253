import type { BrainLanguage, BrainTool } from '../contract.ts';
import { bareText } from './intents.ts';
import { wantedIn } from './requests.ts';
import { openedName, slotsOf } from './slots.ts';
import { contentStems } from './words.ts';

/** Tools that by their name only tell something; a question is a wish for their answer. */
const LOOKS_UP =
  /^(?:check(?![\s_-]?(?:in|out)(?![a-z]))|find|look[\s_-]?up|list|search|show|track|query|fetch|read|get)(?![a-z])/;
/** Those that get, read or fetch may do more than look. */
const ONLY_LOOKS = /^(?:check|find|look[\s_-]?up|list|search|show|track|query)(?![a-z])(?!.* (?:and|or) )/;
const BARE_NO = /^(?:no|nope|nah|non|nein|नहीं|ना|जी नहीं)$/u;

const nameOf = (tool: BrainTool): string => openedName(tool.name).toLowerCase();

/** Nothing changes by calling it. */
export const onlyLooks = (tool: BrainTool): boolean => ONLY_LOOKS.test(nameOf(tool));

/** The tool that the caller asks for; null when none is clearly asked for, or it is said that one is not wanted. */
export function toolFor(
  said: string,
  tools: readonly BrainTool[],
  language: BrainLanguage,
): BrainTool | null {
  const { request, question, declined } = wantedIn(said, language);
  const asked = new Set(contentStems(request, language));
  const wondered = new Set(contentStems(`${request} ${question}`, language));
  if (declinesAll(declined, language)) return null;
  const scored = tools
    .filter((tool) => slotsOf(tool.parameters) !== null)
    .filter((tool) => !isDeclined(tool, declined, language))
    .map((tool) => ({
      tool,
      score: toolScore(tool, LOOKS_UP.test(nameOf(tool)) ? wondered : asked, language),
    }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = scored;
  if (best === undefined || best.score < 1 || best.score === second?.score) return null;
  return best.tool;
}

/** "No, don't." has no subject: it takes back whatever was asked for beside it. A mere "no" answers something. */
const declinesAll = (declined: string, language: BrainLanguage): boolean =>
  declined
    .split(', ')
    .some(
      (clause) =>
        clause !== '' &&
        !BARE_NO.test(bareText(clause)) &&
        contentStems(clause, language).filter((stem) => !/^(don|do|does|didn|wouldn|won)$/.test(stem))
          .length === 0,
    );

/** Whether what the caller does not want is what the tool does. */
export const isDeclined = (tool: BrainTool, declined: string, language: BrainLanguage): boolean =>
  contentStems(declined, language).some((stem) =>
    stemsOfName(tool, language).some((name) => isAlike(stem, name)),
  );

/** "Cancelled" and "cancel", whose stems differ: with what is not wanted, rather one too many than one too few. */
const isAlike = (one: string, other: string): boolean =>
  one === other ||
  (Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one)));

const stemsOfName = (tool: BrainTool, language: BrainLanguage): string[] => {
  const opened = openedName(tool.name);
  return [...contentStems(`${opened} ${tool.description}`, language), ...contentStems(opened, 'en')];
};

export const declinesTool = (tool: BrainTool, said: string, language: BrainLanguage): boolean =>
  isDeclined(tool, wantedIn(said, language).declined, language);

/** A word of the name counts full, a word of the description half, a choice of an enumeration half. */
function toolScore(tool: BrainTool, stems: ReadonlySet<string>, language: BrainLanguage): number {
  const opened = openedName(tool.name);
  const name = new Set([...contentStems(opened, language), ...contentStems(opened, 'en')]);
  const choices = (slotsOf(tool.parameters) ?? []).flatMap((slot) => slot.choices).join(' ');
  const about = new Set(contentStems(`${tool.description} ${choices}`, language));
  let score = 0;
  for (const stem of stems) score += name.has(stem) ? 1 : about.has(stem) ? 0.5 : 0;
  return score;
}
