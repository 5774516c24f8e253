/** The languages whose words are known here. */
export type LanguageCode = 'en' | 'es' | 'fr' | 'de' | 'hi' | 'it' | 'pt' | 'nl';

/** The languages that an agent speaks. */
export type AgentLanguage = 'en' | 'es' | 'fr' | 'hi' | 'de';

/** Folded words or phrases (see `fold`); the words of a phrase are parted by single spaces. */
export type Phrases = readonly string[];

/** The words of numbers, spelled as they are written. */
export interface Numbers {
  /** From zero on, as far as they are words of their own. */
  readonly counted: readonly string[];
  /** By how many tens they are; empty where none is joined with ones. */
  readonly tens: readonly string[];
  /** Other ways of writing or saying one. */
  readonly others: ReadonlyMap<string, number>;
  /** Words that multiply what stands before them, or are their own number. */
  readonly hundreds: Readonly<Record<string, number>>;
  readonly scales: Readonly<Record<string, number>>;
  /** Numbers that are articles as well. */
  readonly articles: Phrases;
  readonly minus: Phrases;
  /** Between the whole and its decimals. */
  readonly points: Phrases;
  /** "And a half", behind a whole. */
  readonly halves: Phrases;
  /** "Double five" is 55. */
  readonly repeats: Readonly<Record<string, number>>;
  /** Zero among digits. */
  readonly zeros: Phrases;
}

export interface Calendar {
  /** From Sunday on. */
  readonly weekdays: Phrases;
  /** From January on. */
  readonly months: Phrases;
  /** Other names of a weekday, and its number from 0; of a month, and its number from 1. */
  readonly alsoWeekdays: Readonly<Record<string, number>>;
  readonly alsoMonths: Readonly<Record<string, number>>;
  /** Days from today. */
  readonly relative: Readonly<Record<string, number>>;
  /** Words for days of a month that are no cardinals, by their number. */
  readonly ordinals: Readonly<Record<string, number>>;
  /** Between a day and its month, and between a month and its year. */
  readonly joiners: Phrases;
  readonly yearJoiners: Phrases;
  /** "In", before a count of days or weeks; where the language puts it behind, `later`. */
  readonly ahead: Phrases;
  readonly later: Phrases;
  readonly days: Phrases;
  readonly weeks: Phrases;
  /** Before a day without its month, and the word behind it. */
  readonly dayLeads: Phrases;
  readonly dayTails: Phrases;
  readonly nextBefore: Phrases;
  readonly nextBehind: Phrases;
  readonly thisBefore: Phrases;
}

export type PartOfDay = 'morning' | 'afternoon' | 'evening' | 'night';

export interface ClockWords {
  /** A part of the day, and the words of which one must stand before it. */
  readonly parts: readonly (readonly [phrase: string, part: PartOfDay, before?: Phrases])[];
  /** "O'clock". */
  readonly hours: Phrases;
  readonly minutes: Phrases;
  /** "At". */
  readonly markers: Phrases;
  readonly fixed: Readonly<Record<string, number>>;
  /** Behind the hour: "y media". */
  readonly behind: Readonly<Record<string, number>>;
  readonly signs: Readonly<Record<string, number>>;
  /** Before the hour that comes: "halb acht". */
  readonly halfTo: Phrases;
  readonly quarters: Phrases;
  readonly past: Phrases;
  readonly to: Phrases;
  /** Hour, this, minutes: "सात बजकर तीस". */
  readonly pastBehind: Phrases;
}

/** How people agree, decline and correct. */
export interface Consent {
  readonly yes: Phrases;
  readonly no: Phrases;
  /** What makes no yes of "yes". */
  readonly reserved: Phrases;
  readonly negation: Phrases;
  /** Holds a negation and asks for it: "why don't you". */
  readonly polite: Phrases;
}

/** How signs and letters are said one by one. */
export interface SpellingWords {
  /** Names of letters that are more than the letter itself. */
  readonly letters: Readonly<Record<string, string>>;
  /** The word that stands for each letter, from A on. */
  readonly alphabet: readonly string[];
  /** Places in a row of characters; from the end where negative. */
  readonly positions: Readonly<Record<string, number>>;
  /** Between what is right and what is wrong. */
  readonly insteadOf: Phrases;
  /** Said before, between and behind characters. */
  readonly around: Phrases;
  /** Before somebody's name. */
  readonly names: Phrases;
  /** What parts a letter and the word that stands for it: "as in". */
  readonly asIn: Phrases;
  readonly at: Phrases;
  readonly dot: Phrases;
  readonly dash: Phrases;
  readonly underscore: Phrases;
  readonly plus: Phrases;
}

/** What an agent says by itself. */
export interface AgentPhrases {
  readonly filler: string;
  readonly apology: string;
  /** Before a question that the agent puts again. */
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
  readonly handOver: string;
  /** The caller has understood, or wants no more of it. */
  readonly goOn: string;
  /** Before something that can't be undone. */
  readonly confirm: string;
  readonly nothingSaid: string;
  readonly automated: string;
}

/** What an agent says while it takes down a value; `{}` stands for the value, the character or the place that is spoken of. */
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

/** What people say to an agent whatever its business is: the whole of what was said, or a part of it. */
export interface SmallTalk {
  /** Said beside anything, and meaning nothing by itself. */
  readonly fillers: Phrases;
  readonly greet: Phrases;
  readonly thank: Phrases;
  readonly end: Phrases;
  readonly repeat: Phrases;
  readonly stop: Phrases;
  /** Anywhere in what was said. */
  readonly identity: Phrases;
  /** One of the first and soon behind it one of the last, one of the second and the last at once, or the last alone. */
  readonly connect: Phrases;
  readonly want: Phrases;
  readonly somebody: Phrases;
}

/** How a persona is written: what of it is for the agent. */
export interface PersonaWords {
  /** How a persona speaks of the agent, and how the agent says the same of itself. */
  readonly self: readonly (readonly [opening: string, own: string])[];
  /** Titles of parts that instruct the agent, word by word. */
  readonly instructionTitles: Phrases;
  /** Titles of parts that state facts. */
  readonly factTitles: Phrases;
  /** First words of a line that instructs. */
  readonly commands: Phrases;
  /** The agent is spoken to; in a part that states facts, the customer. */
  readonly secondPerson: Phrases;
  /** Anywhere in a line: it speaks of callers, or of what stays inside. */
  readonly inward: Phrases;
  /** Anywhere in a sentence: it keeps something back. */
  readonly secret: Phrases;
  /** Words by which such a sentence speaks of the one before it, and of those behind it. */
  readonly backward: Phrases;
  readonly forward: Phrases;
  /** Holds such a word, and speaks of nothing. */
  readonly impersonal: Phrases;
  /** What no automated assistant claims to be. */
  readonly human: Phrases;
}

/** What search knows of a language. */
export interface SearchWords {
  /** Words that say nothing about the subject of a sentence. */
  readonly stopWords: Phrases;
  /** Taken off so that "opening", "opens" and "opened" meet; the longest that leaves three letters wins. */
  readonly endings: Phrases;
}

export interface Language {
  /** In English. */
  readonly name: string;
  readonly numbers: Numbers;
  readonly calendar: Calendar;
  readonly clock: ClockWords;
  readonly consent: Consent;
  readonly spelling: SpellingWords;
}

/** A language that an agent speaks. */
export interface SpokenLanguage extends Language {
  readonly phrases: AgentPhrases;
  readonly capture: CapturePhrases;
  readonly smallTalk: SmallTalk;
  readonly persona: PersonaWords;
  readonly search: SearchWords;
}
