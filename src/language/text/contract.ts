/** The languages whose words are known here. */
export type LanguageCode = 'en' | 'es' | 'fr' | 'de' | 'hi' | 'it' | 'pt' | 'nl';

/** The languages that an agent speaks. */
export type AgentLanguage = 'en' | 'es' | 'fr' | 'hi' | 'de';

/** Folded words or phrases (see `fold`); the words of a phrase are parted by single spaces. */
export type PhraseList = readonly string[];

/** The words of numbers, spelled as they are written. */
export interface NumberWords {
  /** From zero on, as far as they are words of their own. */
  readonly counted: readonly string[];
  /** The index is the number of tens; the list is empty where tens and ones are not joined. */
  readonly tens: readonly string[];
  /** Other ways of writing or saying one. */
  readonly others: ReadonlyMap<string, number>;
  /** Words that multiply what stands before them, or are their own number. */
  readonly hundreds: Readonly<Record<string, number>>;
  readonly scales: Readonly<Record<string, number>>;
  /** Numbers that are articles as well. */
  readonly articles: PhraseList;
  readonly minus: PhraseList;
  /** The words between the whole and its decimals. */
  readonly points: PhraseList;
  /** "And a half", behind a whole. */
  readonly halves: PhraseList;
  /** "Double five" is 55. */
  readonly repeats: Readonly<Record<string, number>>;
  /** Zero among digits. */
  readonly zeros: PhraseList;
}

export interface CalendarWords {
  /** The weekdays from Sunday on. */
  readonly weekdays: PhraseList;
  /** The months from January on. */
  readonly months: PhraseList;
  /** Other names of a weekday, and its number from 0; of a month, and its number from 1. */
  readonly alsoWeekdays: Readonly<Record<string, number>>;
  readonly alsoMonths: Readonly<Record<string, number>>;
  /** Days from today. */
  readonly relative: Readonly<Record<string, number>>;
  /** Words for days of a month that are no cardinals, by their number. */
  readonly ordinals: Readonly<Record<string, number>>;
  /** Between a day and its month, and between a month and its year. */
  readonly joiners: PhraseList;
  readonly yearJoiners: PhraseList;
  /** "In", before a count of days or weeks; where the language puts it behind, `later`. */
  readonly ahead: PhraseList;
  readonly later: PhraseList;
  readonly days: PhraseList;
  readonly weeks: PhraseList;
  /** Before a day without its month, and the word behind it. */
  readonly dayLeads: PhraseList;
  readonly dayTails: PhraseList;
  readonly nextBefore: PhraseList;
  readonly nextBehind: PhraseList;
  readonly thisBefore: PhraseList;
}

export type PartOfDay = 'morning' | 'afternoon' | 'evening' | 'night';

export interface ClockWords {
  /** A part of the day, and the words of which one must stand before it. */
  readonly parts: readonly (readonly [phrase: string, part: PartOfDay, before?: PhraseList])[];
  /** "O'clock". */
  readonly hours: PhraseList;
  readonly minutes: PhraseList;
  /** "At". */
  readonly markers: PhraseList;
  readonly fixed: Readonly<Record<string, number>>;
  /** The words follow the hour: "y media". */
  readonly behind: Readonly<Record<string, number>>;
  readonly signs: Readonly<Record<string, number>>;
  /** The words precede the next hour: "halb acht". */
  readonly halfTo: PhraseList;
  readonly quarters: PhraseList;
  readonly past: PhraseList;
  readonly to: PhraseList;
  /** Hour, this, minutes: "सात बजकर तीस". */
  readonly pastBehind: PhraseList;
}

/** How people agree, decline and correct. */
export interface ConsentWords {
  readonly yes: PhraseList;
  readonly no: PhraseList;
  /** The words reverse a "yes". */
  readonly reserved: PhraseList;
  readonly negation: PhraseList;
  /** Holds a negation and asks for it: "why don't you". */
  readonly polite: PhraseList;
}

/** How signs and letters are said one by one. */
export interface SpellingWords {
  /** Names of letters that are more than the letter itself. */
  readonly letters: Readonly<Record<string, string>>;
  /** The word that stands for each letter, from A on. */
  readonly alphabet: readonly string[];
  /** Places in a row of characters; from the end where negative. */
  readonly positions: Readonly<Record<string, number>>;
  /** The words separate the right from the wrong value. */
  readonly insteadOf: PhraseList;
  /** Said before, between and behind characters. */
  readonly around: PhraseList;
  /** The words precede a name. */
  readonly names: PhraseList;
  /** The words separate a letter and the word that stands for it: "as in". */
  readonly asIn: PhraseList;
  readonly at: PhraseList;
  readonly dot: PhraseList;
  readonly dash: PhraseList;
  readonly underscore: PhraseList;
  readonly plus: PhraseList;
}

export interface AgentPhrases {
  readonly filler: string;
  readonly apology: string;
  /** The phrase precedes a repeated question. */
  readonly trouble: string;
  /** The caller spoke, and the words were lost. */
  readonly notHeard: string;
  readonly unable: string;
  readonly stillThere: string;
  readonly greeting: string;
  readonly unknown: string;
  readonly leaveMessage: string;
  readonly messageTaken: string;
  readonly again: string;
  readonly thanks: string;
  readonly farewell: string;
  /** The caller is back on a call that was cut off. */
  readonly resumed: string;
  readonly handOver: string;
  /** The caller has understood, or wants no more of it. */
  readonly goOn: string;
  /** The phrase precedes an action that cannot be undone. */
  readonly confirm: string;
  readonly nothingSaid: string;
  readonly automated: string;
}

/** The agent's phrases during capture; `{}` is the value, the character or the position. */
export interface CapturePhrases {
  readonly what: Readonly<Record<CaptureNoun, string>>;
  readonly ask: string;
  readonly again: string;
  readonly more: string;
  /** The place of one character. */
  readonly character: string;
  readonly places: readonly string[];
  readonly halfOfDay: string;
  readonly day: string;
  readonly check: string;
  readonly readBack: string;
  readonly whatIsWrong: string;
  readonly whichOne: string;
  readonly keypad: string;
  readonly keys: Readonly<Partial<Record<CaptureNoun, string>>>;
  readonly spell: string;
}

export type CaptureNoun =
  | 'digits'
  | 'phone'
  | 'email'
  | 'name'
  | 'code'
  | 'date'
  | 'time'
  | 'amount'
  | 'yes_no';

/** Phrases of small talk in any business, as all or a part of an utterance. */
export interface SmallTalk {
  /** Said beside anything, and meaning nothing by itself. */
  readonly fillers: PhraseList;
  readonly greet: PhraseList;
  readonly thank: PhraseList;
  readonly end: PhraseList;
  readonly repeat: PhraseList;
  readonly stop: PhraseList;
  /** Anywhere in what was said. */
  readonly identity: PhraseList;
  /** One of the first and soon behind it one of the last, one of the second and the last at once, or the last alone. */
  readonly connect: PhraseList;
  readonly want: PhraseList;
  readonly somebody: PhraseList;
}

/** How a persona is written: what of it is for the agent. */
export interface PersonaWords {
  /** How a persona speaks of the agent, and how the agent says the same of itself. */
  readonly self: readonly (readonly [opening: string, own: string])[];
  /** Titles of parts that instruct the agent, word by word. */
  readonly instructionTitles: PhraseList;
  /** Titles of parts that state facts. */
  readonly factTitles: PhraseList;
  /** First words of a line that instructs. */
  readonly commands: PhraseList;
  /** The agent is spoken to; in a part that states facts, the customer. */
  readonly secondPerson: PhraseList;
  /** Anywhere in a line: it speaks of callers, or of what stays inside. */
  readonly inward: PhraseList;
  /** Anywhere in a sentence: it keeps something back. */
  readonly secret: PhraseList;
  /** Words by which such a sentence speaks of the one before it, and of those behind it. */
  readonly backward: PhraseList;
  readonly forward: PhraseList;
  /** Holds such a word, and speaks of nothing. */
  readonly impersonal: PhraseList;
  /** The roles that no automated assistant claims. */
  readonly human: PhraseList;
}

export interface SearchWords {
  /** Words that say nothing about the subject of a sentence. */
  readonly stopWords: PhraseList;
  /** Taken off so that "opening", "opens" and "opened" meet; the longest that leaves three letters wins. */
  readonly endings: PhraseList;
}

export interface LanguageWords {
  /** The English name. */
  readonly name: string;
  readonly numbers: NumberWords;
  readonly calendar: CalendarWords;
  readonly clock: ClockWords;
  readonly consent: ConsentWords;
  readonly spelling: SpellingWords;
}

/** A language that an agent speaks. */
export interface AgentLanguageWords extends LanguageWords {
  readonly phrases: AgentPhrases;
  readonly capture: CapturePhrases;
  readonly smallTalk: SmallTalk;
  readonly persona: PersonaWords;
  readonly search: SearchWords;
}
