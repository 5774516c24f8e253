import { sentencesOf } from '../../language/retrieval/index.ts';

export interface PersonaLine {
  readonly text: string;
  readonly title: string;
  readonly stance: 'facts' | 'instructions' | 'open';
  readonly paragraph: number;
  /** Sentences of one line of running text have the same number; null marks an item of a list or table. */
  readonly run: number | null;
}

type StanceOf = (title: string) => PersonaLine['stance'] | null;

interface Section {
  readonly title: string;
  readonly stance: PersonaLine['stance'];
  /** A Markdown heading has its level; a line that only ends with a colon has 9. */
  readonly level: number;
}

const TOP: Section = { title: '', stance: 'open', level: 0 };
const UNMARKED = 9;

const TAG = /^<(\/?)([\p{L}][\p{L}\d _-]*)>$/u;
/** Matches a list of questions: "Q: …", "**A:** …". */
const ASKED = /^(?:\*\*|__)?(?:q|question|p|pregunta|f|frage)\s*[:.)]\s*(?:\*\*|__)?\s*(?=\S)/iu;
const ANSWERED = /^(?:\*\*|__)?(?:a|answer|r|respuesta|réponse|antwort)\s*[:.)]\s*(?:\*\*|__)?\s*(?=\S)/iu;
const HEADING = /^(#{1,6})\s*(.+?)[\s#:]*$/u;
const ITEM = /^(?:[-*•·+]|\d{1,2}[.)])\s+/u;
const MOST_WORDS = 6;

const bare = (text: string): string => text.replace(/\*\*|__|^\*|\*$/gu, '').trim();
const wordsIn = (text: string): number => text.split(/\s+/).length;

export function personaLines(persona: string, stanceOf: StanceOf): PersonaLine[] {
  return new PersonaReader(stanceOf).read(persona.split(/\r?\n/));
}

class PersonaReader {
  readonly #stanceOf: StanceOf;
  readonly #lines: PersonaLine[] = [];
  #sections: Section[] = [TOP];
  #columns: readonly string[] | null = null;
  #paragraph = 0;
  #listed = false;
  #question: string | null = null;
  #at = 0;

  constructor(stanceOf: StanceOf) {
    this.#stanceOf = stanceOf;
  }

  read(lines: readonly string[]): PersonaLine[] {
    lines.forEach((line, at) => {
      this.#at = at;
      this.#take(line.trim(), lines[at + 1]?.trim() ?? '');
    });
    return this.#lines;
  }

  #take(line: string, next: string): void {
    if (line === '' || /^[-=*_]{3,}$/.test(line)) {
      this.#paragraph++;
      this.#columns = null;
      return;
    }
    const tag = TAG.exec(line);
    if (tag !== null) {
      this.#sections = [TOP];
      if (tag[1] === '') this.#open((tag[2] ?? '').replace(/[_-]/g, ' '), 1);
      return;
    }
    if (isAsked(line, next)) {
      this.#question = bare(line.replace(ITEM, '').replace(ASKED, ''));
      return;
    }
    const title = titleIn(line, next);
    if (title !== null) this.#open(title.text, title.level);
    else if (line.startsWith('|')) this.#row(line);
    else this.#content(line);
  }

  get #section(): Section {
    return this.#sections.at(-1) ?? TOP;
  }

  #open(title: string, level: number): void {
    this.#sections = this.#sections.filter((section) => section.level < level);
    const { stance: above, level: height } = this.#section;
    const own = this.#stanceOf(title);
    // The heading "# Role" often covers the whole persona, so level 1 passes no stance on.
    const inherited = height === 1 ? 'open' : above;
    this.#sections.push({
      title,
      stance: inherited === 'instructions' ? inherited : (own ?? inherited),
      level,
    });
    this.#listed = false;
    this.#question = null;
    this.#paragraph++;
  }

  #content(line: string): void {
    const item = ITEM.test(line);
    // A paragraph ends the list under a title that is no heading; without a list, the title applies until the next
    // title.
    const before = this.#lines.at(-1)?.paragraph;
    if (!item && this.#listed && before !== this.#paragraph && this.#section.level === UNMARKED)
      this.#sections.pop();
    this.#listed ||= item;
    const text = bare(line.replace(ITEM, '').replace(this.#question === null ? /^$/ : ANSWERED, ''));
    const [, key = ''] = /^([^:.!?]{1,40}):\s+\S/u.exec(text) ?? [];
    const own = key !== '' && wordsIn(key) <= MOST_WORDS ? this.#stanceOf(key) : null;
    const stance =
      own === 'instructions' ? own : this.#section.stance === 'open' ? (own ?? 'open') : this.#section.stance;
    for (const sentence of sentencesOf(text)) this.#add(sentence, stance, item ? null : this.#at);
    this.#question = null;
  }

  /** A row becomes a sentence: "SUV: Example Toyota RAV4, Price per day $68." */
  #row(line: string): void {
    const cells = line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map(bare);
    if (cells.every((cell) => /^:?-+:?$/.test(cell))) return;
    if (this.#columns === null) {
      this.#columns = cells;
      return;
    }
    const [first = '', ...rest] = cells;
    const values = rest.map((cell, at) => `${this.#columns?.[at + 1] ?? ''} ${cell}`.trim());
    this.#add(`${first}: ${values.join(', ')}.`, this.#section.stance, null);
  }

  #add(text: string, stance: PersonaLine['stance'], run: number | null): void {
    const title = [...this.#sections.map((section) => section.title), this.#question ?? '']
      .filter((part) => part !== '')
      .join(', ');
    this.#lines.push({ text, title, stance, paragraph: this.#paragraph, run });
  }
}

function isAsked(line: string, next: string): boolean {
  if (ASKED.test(line)) return true;
  const text = bare(line.replace(/^#+\s*/, ''));
  return text.endsWith('?') && next !== '' && !bare(next).endsWith('?');
}

function titleIn(line: string, next: string): { text: string; level: number } | null {
  const heading = HEADING.exec(line);
  if (heading !== null) return { text: bare(heading[2] ?? ''), level: heading[1]?.length ?? 1 };
  if (ITEM.test(line) || line.startsWith('|')) return null;
  const text = bare(line);
  const short = wordsIn(text) <= MOST_WORDS;
  const bold = /^(\*\*|__).+(\*\*|__):?$/.test(line);
  const capitals = text.length > 3 && text === text.toUpperCase() && text !== text.toLowerCase();
  const announces = /^[^.!?]*[^.!?:]:$/u.test(text) || (!/[.!?।:,;]$/u.test(text) && ITEM.test(next));
  return short && (bold || capitals || announces) ? { text: text.replace(/:$/, ''), level: UNMARKED } : null;
}
